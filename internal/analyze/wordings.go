package analyze

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// maxWordings is how many other wordings of a failure are kept.
const maxWordings = 5

// wordings returns the messages of other runs that differ from the first one, the most frequent first, and how
// many more there are. Where only addresses and the like differ it is said once.
func wordings(g *runner.Group) (kept []finding.Wording, more int) {
	var list []finding.Wording
	at := make(map[string]int)
	first := runner.Wording(g.Runs[0].Outcome.Message)
	for _, r := range g.Runs {
		said := runner.Wording(r.Outcome.Message)
		if said == first {
			continue
		}
		i, seen := at[said]
		if !seen {
			i = len(list)
			at[said], list = i, append(list, finding.Wording{Text: r.Outcome.Message})
		}
		list[i].Runs++
	}
	slices.SortStableFunc(list, func(a, b finding.Wording) int { return b.Runs - a.Runs })
	kept = list[:min(len(list), maxWordings)]
	return kept, len(list) - len(kept)
}
