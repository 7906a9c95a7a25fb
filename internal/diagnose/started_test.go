package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// Line 9 is in a process that the test starts: where it is as good as a place of the test it comes
// first, and where it does not go with the outcome it is left out.
func TestWithStarted(t *testing.T) {
	tells, chance := divergence.Table{FailTaken: 10, PassNot: 10}, divergence.Table{FailTaken: 5, FailNot: 5, PassTaken: 5, PassNot: 5}
	place := func(line int, class finding.Class, table divergence.Table) finding.Suspect {
		return finding.Suspect{File: "m.go", Start: line, End: line, Evidence: finding.Evidence{Class: class, Table: table, P: table.Fisher()}, Reason: reason{kind: whyDiverges}}
	}
	own := []finding.Suspect{place(1, finding.Hint, tells), place(2, finding.Symptom, tells)}
	for _, c := range []struct {
		name string
		in   []finding.Suspect
		want string
	}{
		{"as good", []finding.Suspect{place(9, finding.Hint, tells)}, "9 1 2"},
		{"better", []finding.Suspect{place(9, finding.Associated, tells)}, "9 1 2"},
		{"where the failure of the process shows", []finding.Suspect{place(9, finding.Symptom, tells)}, "1 2"},
		{"by chance", []finding.Suspect{place(9, finding.Associated, chance)}, "1 2"},
		{"the first that tells", []finding.Suspect{place(8, finding.Associated, chance), place(9, finding.Hint, tells), place(7, finding.Hint, tells)}, "9 1 2"},
		{"nothing", nil, "1 2"},
	} {
		var got []string
		for _, s := range WithStarted(own, c.in) {
			got = append(got, fmt.Sprint(s.Start))
			if s.Start != 9 {
				continue
			}
			if why, claim := s.Reason.Why(nil).String(), s.Reason.Claim(); why != "in a process that the test starts" || claim.Try != finding.TryNothing || claim.Differs {
				t.Errorf("%s: %q, %+v", c.name, why, claim)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
}
