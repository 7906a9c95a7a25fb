package analyze

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
)

// maxBare is how many files without probes a page names.
const maxBare = 5

// noteBare says which files of the package of a test were not recorded: what is in them is seen nowhere on its page.
func (an *Analyzer) noteBare(t *finding.Test) {
	list := an.Meta.Bare[t.Package]
	for _, note := range list[:min(len(list), maxBare)] {
		if !slices.Contains(t.Warnings, note) {
			t.Warnings = append(t.Warnings, note)
		}
	}
}
