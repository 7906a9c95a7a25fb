package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

const selecting = `package p
func (s *server) stop(ctx context.Context) (err error) {
	select {
	case err = <-s.done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	return err
}
func (s *server) drain() {
	select {
	case <-s.signal:
	default:
	}
	s.wait()
}
func (s *server) poll() {
	for {
		select {
		case <-s.signal:
			return
		default:
			s.work()
		}
	}
}
`

// selectInput is a server that parts at a select, whose cases are those lines.
func selectInput(fail, pass int, waited divergence.Table) Input {
	sites := lineSites(selecting, [2]int{2, 9}, [2]int{10, 16}, [2]int{17, 26})
	for _, b := range []int{fail, pass} {
		sites.Blocks[b].Kind, sites.Blocks[b].StartCol = trace.BlockComm, 4 // behind the tabs before the case
	}
	last := min(fail, pass) - 1
	return Input{
		Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{{
			LastCommon: trace.Event(last), FailNext: trace.Event(fail), PassNext: trace.Event(pass), Waited: waited,
			Table: divergence.Table{FailTaken: 9, PassNot: 11}, Path: []divergence.Call{{Block: last}},
		}}},
		Sites:  sites,
		Source: func(string) ([]byte, error) { return []byte(selecting), nil },
	}
}

// Nobody waited in line 3: either case may have been ready, and one is taken by chance.
// If most runs waited, what came first decided. In line 11 the default is taken
// if the signal is late; the loop of line 18 looks again.
func TestSelects(t *testing.T) {
	none, most := divergence.Table{FailNot: 9, PassNot: 11}, divergence.Table{FailTaken: 9, PassTaken: 11}
	for _, c := range []struct {
		name       string
		fail, pass int
		waited     divergence.Table
		want       finding.Suspect
	}{
		{"ready at once", 4, 5, none, finding.Suspect{Start: 3, End: 5, Score: 0.87}},
		{"came first", 4, 5, most, finding.Suspect{Start: 3, End: 3, Score: 0.8}},
		{"looks once", 12, 13, none, finding.Suspect{Start: 11, End: 13, Score: 0.855}},
		{"looks again", 20, 22, none, finding.Suspect{Start: 19, End: 19, Score: 0.8}},
	} {
		got := Find(selectInput(c.fail, c.pass, c.waited))[0]
		if got.Start != c.want.Start || got.End != c.want.End || got.Score != c.want.Score {
			t.Errorf("%s: got %+v, want lines %d-%d with score %g", c.name, got, c.want.Start, c.want.End, c.want.Score)
		}
	}
}
