package experiment

import (
	"testing"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// TestShamInTest has a draw that decides, one in the initialization of the package and one in the test: the same
// elsewhere is that of the test, and none if there is none.
func TestShamInTest(t *testing.T) {
	sites := &trace.Sites{
		Funcs:  []trace.Func{{Name: "init.0"}, {Name: "initial"}, {Name: "(*T).init"}},
		Blocks: []trace.Block{{}, {Func: 0}, {Func: 1}, {Func: 2}},
	}
	for _, tt := range []struct {
		draws []uint32
		want  int
	}{
		{[]uint32{1, 3}, 0},
		{[]uint32{1, 3, 2}, 2},
		{[]uint32{1, 2, 3}, 2},
	} {
		decides := drawSite{trace.ActRand, 3}
		is := &isolation{s: &search{Experimenter: &Experimenter{Sites: sites}}, f: &Finding{}}
		is.s.passing = map[runner.Signature]*passing{{}: {draws: drawsAt(trace.ActRand, tt.draws...)}}
		for _, b := range tt.draws {
			is.all = append(is.all, drawSite{trace.ActRand, b})
		}
		is.sham([]drawSite{decides})
		got := 0
		if is.f.sham != nil {
			got = int(is.f.sham.Plan.First(perturb.Act.Chooses).At.Block)
		}
		if got != tt.want {
			t.Errorf("draws at %v, and the third decides: the sham is at %d, want %d", tt.draws, got, tt.want)
		}
	}
}
