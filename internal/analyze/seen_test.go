package analyze

import (
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A failure that came in experiments alone has a page of its own, and what is shown of it stands there; what is shown of
// the failure that came by itself stays on the page of that.
func TestAddSeen(t *testing.T) {
	at := func(line int, message string) runner.Signature {
		return runner.Signature{Test: "TestX", Frame: trace.Frame{File: "x_test.go", Line: line}, Message: message}
	}
	known, lost, slow := at(42, "known"), at(65, "lost"), at(70, "slow")
	run := func(n int, sig runner.Signature) *runner.Run {
		o := &runner.Outcome{Test: "TestX", Status: runner.Passed}
		if sig != (runner.Signature{}) {
			o.Status, o.Signature, o.Message = runner.Failed, sig, sig.Message
		}
		return &runner.Run{N: n, Package: "p", Outcomes: []*runner.Outcome{o}, Untraced: true}
	}
	held := func(r *runner.Run) *runner.Run { r.Provoked = "stall"; return r }
	results := func(runs ...*runner.Run) *runner.Results {
		return &runner.Results{N: len(runs), Packages: []*runner.Package{{Target: runner.Target{ImportPath: "p"}, Runs: runs}}}
	}
	proved := func(sig runner.Signature) []finding.Verdict {
		return []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Signature: sig.String(), Proof: proof.Proof{Plan: verdicttest.Named("stall")}}.Make()}
	}
	seen := &finding.SeenIn{Perturbed: proof.Count{Failed: 2, Of: 9}, Plain: proof.Count{Of: 5}}
	for _, c := range []struct {
		name string
		list []TestVerdict
		want finding.State
	}{
		{"without a verdict", []TestVerdict{{Package: "p", Test: "TestX", Otherwise: []Otherwise{{Signature: lost.String(), Seen: seen}}}}, finding.OnlySeen},
		{"with one", []TestVerdict{{Package: "p", Test: "TestX", Verdicts: proved(lost)}}, finding.Provoked},
		{"of nothing that is told", nil, ""},
	} {
		an := &Analyzer{Dir: t.TempDir(), Warnf: t.Errorf, Sites: &trace.Sites{}}
		if err := runner.Save(filepath.Join(an.Dir, SeenDir), results(held(run(1, lost)), held(run(2, lost)), run(3, runner.Signature{}))); err != nil {
			t.Fatal(err)
		}
		if err := WriteVerdicts(an.Dir, append(c.list, TestVerdict{Package: "p", Test: "TestX", Verdicts: proved(known)})); err != nil {
			t.Fatal(err)
		}
		r, err := an.Result(t.Context(), results(run(1, known), run(2, slow), run(3, runner.Signature{})))
		if err != nil {
			t.Fatal(err)
		}
		an.Conclude(t.Context(), r)
		x := r.Tests[0]
		if x.State() != finding.Flaky || len(x.Verdicts) != 1 || x.Verdicts[0].Signature() != known.String() || len(x.Warnings) > 0 {
			t.Errorf("%s: the test is %s, with %d verdicts and %q", c.name, x.State(), len(x.Verdicts), x.Warnings)
		}
		var got finding.State
		for _, o := range r.Tests[1:] {
			if got = o.State(); o.Name != "TestX" || len(o.Failures) != 1 || o.Failures[0].Signature != lost.String() {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
		if got != c.want {
			t.Errorf("%s: it is %q, want %q", c.name, got, c.want)
		}
	}
}
