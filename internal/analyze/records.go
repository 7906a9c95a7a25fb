package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

const (
	maxRecords = 60      // different ones of a test
	maxOutput  = 4 << 10 // bytes of output of a run
)

// records keeps what the runs of a test printed, each different output once, of failing runs first.
func records(t *finding.Test, u *runner.Unit) {
	known := make(map[string]int)
	for _, i := range failingFirst(u.Runs) {
		r := u.Runs[i]
		if r.Outcome == nil || r.Outcome.Output == "" {
			continue
		}
		output := headTail(r.Outcome.Output)
		key := maskTimes(output)
		if known[key] == 0 {
			if len(t.Records) == maxRecords {
				continue
			}
			t.Records = append(t.Records, output)
			known[key] = len(t.Records)
		}
		t.Runs[i].Record = known[key]
	}
}

// failingFirst returns the indices of runs, those of the failing ones first.
func failingFirst(runs []runner.UnitRun) []int {
	var failing, others []int
	for i, r := range runs {
		if r.Status.Failing() {
			failing = append(failing, i)
		} else {
			others = append(others, i)
		}
	}
	return append(failing, others...)
}

// maskTimes leaves out of an output how long the test took, which go test adds.
func maskTimes(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if trimmed := strings.TrimSpace(l); strings.HasPrefix(trimmed, "--- ") {
			lines[i], _, _ = strings.Cut(l, " (")
		}
	}
	return strings.Join(lines, "\n")
}

// headTail returns the beginning and the end of a long output.
func headTail(s string) string {
	if len(s) <= maxOutput {
		return s
	}
	return s[:maxOutput/2] + fmt.Sprintf("\n[... %d bytes left out here ...]\n", len(s)-maxOutput) +
		s[len(s)-maxOutput/2:]
}

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
