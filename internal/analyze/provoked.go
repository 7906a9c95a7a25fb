package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/runner"
)

// provokedWords says of a test whose failures fdebug has provoked that it has.
func provokedWords(u *runner.Unit) string {
	failed, provoked, kinds := 0, 0, []string{}
	for _, r := range u.Runs {
		if !r.Status.Failing() {
			continue
		}
		failed++
		if k := r.Run.Provoked; k != "" {
			if provoked++; !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	if provoked == 0 {
		return ""
	}
	return fmt.Sprintf("provoked: %d of the %d failing runs were made to fail by fdebug (%s), so that how often runs fail here says nothing about how often they fail by themselves",
		provoked, failed, strings.Join(kinds, ", "))
}
