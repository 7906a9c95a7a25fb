package hunt

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
)

// Values are recorded of what comes by itself, in as many runs as it takes to come five times: 5 * 301/9 = 167.
func TestEnoughFor(t *testing.T) {
	of := func(perturbed, plain proof.Count, before int) *sight {
		return &sight{Sight: &session.Sight{Failure: &experiment.Failure{Perturbed: perturbed, Plain: plain, Before: before}}}
	}
	held := of(proof.Count{Failed: 9, Of: 280}, proof.Count{Of: 20}, 0)
	for _, c := range []struct {
		name string
		seen []*sight
		want int
	}{
		{"nothing", nil, 0},
		{"only with something perturbed", []*sight{held}, 0},
		{"by itself", []*sight{held, of(proof.Count{Failed: 8, Of: 280}, proof.Count{Failed: 1, Of: 21}, 0)}, 167},
		{"before", []*sight{of(proof.Count{Of: 79}, proof.Count{Of: 20}, 1)}, 500},
	} {
		if got := enoughFor(c.seen); got != c.want {
			t.Errorf("%s: %d runs, want %d", c.name, got, c.want)
		}
	}
}

// A failure past a limit of time is none that was seen, nor is one that was found, or one that a test which always fails
// shows under perturbations.
func TestSeen(t *testing.T) {
	at := func(line string) runner.Signature { return runner.Signature{Test: "TestX", Message: line} }
	log := logOf(t, experiment.LogLine{Key: "a", Test: "TestX", Kind: "stall", Is: proof.TellsFailure,
		Outcome: &experiment.Outcome{Ran: true, Failed: true, Signature: at("lost")}})
	for _, c := range []struct {
		name   string
		result experiment.Result
		want   int
	}{
		{"seen", experiment.Result{}, 1},
		{"past a limit", experiment.Result{Limits: []experiment.Limit{{Sig: at("lost"), Dose: 1}}}, 0},
		{"found", experiment.Result{Findings: []*experiment.Finding{{Sig: at("lost"), Proof: proof.Proof{Verdict: proof.Proved}}}}, 0},
		{"it always fails", experiment.Result{Plain: proof.Count{Failed: 20, Of: 20}}, 0},
	} {
		c.result.Plain.Of = max(c.result.Plain.Of, 5)
		p := &Test{Result: &c.result, Search: &experiment.Experimenter{Test: "TestX", Log: log}}
		if got := len(p.seen()); got != c.want {
			t.Errorf("%s: %d seen, want %d", c.name, got, c.want)
		}
	}
}

// logOf returns a log of one run.
func logOf(t *testing.T, run experiment.LogLine) *experiment.Log {
	t.Helper()
	h, name := experiment.Header{Version: experiment.LogVersion, Build: "b"}, filepath.Join(t.TempDir(), experiment.LogFile)
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.Encode(h)
	out.Encode(run)
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	log, _, err := experiment.OpenLog(name, h)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// Failures before anything was done count among all runs, and on no side.
func TestSeenIn(t *testing.T) {
	x := &session.Sight{Failure: &experiment.Failure{Perturbed: proof.Count{Failed: 2, Of: 90}, Plain: proof.Count{Of: 20}, Before: 1}}
	if s := x.In(); s.All() != (finding.Count{Failed: 3, Of: 111}) || !s.ByItself() {
		t.Errorf("%+v", s)
	}
}
