package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/runner"
)

// provokedWords says of a test whose failures fdebug has provoked that it has. Those that came by themselves in
// its experiments are told apart, if others did not.
func provokedWords(u *runner.Unit) string {
	failed, provoked, alone, kinds := 0, 0, 0, []string{}
	for _, r := range u.Runs {
		if !r.Status.Failing() {
			continue
		}
		failed++
		switch k := r.Run.Provoked; {
		case k == runner.Alone:
			alone++
		case k != "":
			if provoked++; !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	switch {
	case provoked+alone == 0:
		return ""
	case provoked == 0:
		return fmt.Sprintf("%d of %d failures come from running this test alone", alone, failed)
	}
	text := fmt.Sprintf("%d of %d failures were provoked (%s)", provoked, failed, strings.Join(kinds, ", "))
	if alone > 0 {
		text += fmt.Sprintf(", and %d come from running this test alone", alone)
	}
	return text
}
