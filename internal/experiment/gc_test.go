package experiment

import (
	"testing"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
)

// TestPauseIsNoCollection has a test that fails if garbage is collected before the 2nd event: in one program since
// something is collected, and in the other since the goroutine stands still for so long.
func TestPauseIsNoCollection(t *testing.T) {
	for name, tt := range map[string]struct {
		rule func(r *simRun) string
		want bool
	}{
		"collected": {func(*simRun) string { return "" }, false},
		"paused": {func(r *simRun) string {
			if r.held(1, 1, 1) >= pauseDose {
				return "late"
			}
			return ""
		}, true},
		"sometimes": {func(r *simRun) string {
			if r.held(1, 1, 1) >= pauseDose && r.turn%2 == 0 {
				return "late"
			}
			return ""
		}, false},
	} {
		s := &sim{streams: twoGoroutines(), rule: tt.rule}
		e := s.experimenter()
		e.begin()
		x := &search{Experimenter: e, ctx: t.Context(), p: &profile{}, started: e.now()}
		site := Site{G: perturb.Goroutine{ID: 1}, Event: 1, Block: int(twoGoroutines()[0][1]), Class: s.class(1), Test: "TestX"}
		sig := runner.Signature{Test: "TestX", Message: "late"}
		if got, err := x.failsPaused(site, &sig); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, tt.want)
		}
	}
}
