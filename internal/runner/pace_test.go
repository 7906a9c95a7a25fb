package runner

import (
	"context"
	"sync"
	"testing"
	"time"
)

// TestPace has a package whose runs take the times in walls, and asks how long to wait for a run
// that has gone on for a while.
func TestPace(t *testing.T) {
	const s = time.Second
	fast := []time.Duration{s / 20, s / 20, s / 10, s / 20, s / 5}
	for _, c := range []struct {
		name    string
		walls   []time.Duration
		timeout bool          // -timeout was given
		share   time.Duration // from now; 0 for none
		gone    time.Duration
		hangs   bool // while there is time
		atEnd   bool // when time is up
	}{
		{name: "usual", walls: fast, gone: s},
		{name: "slow, but tests give up after half a minute", walls: fast, gone: 31 * s, atEnd: true},
		{name: "goes on forever", walls: fast, gone: 61 * s, hangs: true, atEnd: true},
		{name: "the limit is the user's", walls: fast, timeout: true, gone: 300 * s, atEnd: true},
		{name: "the share is used up", walls: fast, share: -s, gone: 6 * s, hangs: true, atEnd: true},
		{name: "the share is used up with -timeout", walls: fast, timeout: true, share: -s, gone: 6 * s, hangs: true, atEnd: true},
		{name: "the share is not used up", walls: fast, share: 10 * s, gone: 6 * s, atEnd: true},
		{name: "a hiccup at the end", walls: fast, gone: 4 * s},
		{name: "the first run", gone: 600 * s},
		{name: "the third run", walls: fast[:2], gone: 600 * s},
		{name: "long tests", walls: []time.Duration{100 * s, 120 * s, 90 * s}, gone: 1000 * s},
		{name: "long tests that hang", walls: []time.Duration{100 * s, 120 * s, 90 * s}, gone: 2001 * s, hangs: true, atEnd: true},
		{name: "some take long", walls: append([]time.Duration{40 * s}, fast...), gone: 70 * s},
		{name: "longer than those", walls: append([]time.Duration{40 * s}, fast...), gone: 81 * s, hangs: true, atEnd: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var share time.Time
			if c.share != 0 {
				share = time.Now().Add(c.share)
			}
			p := newPace(0, c.timeout, share)
			for _, w := range c.walls {
				p.add(&Run{Wall: w})
			}
			p.add(&Run{Wall: time.Hour, Exit: Exit{TimedOut: true}}) // is not what is usual
			began := time.Now().Add(-c.gone)
			for _, control := range []bool{false, true} { // there are no controls yet
				left, _ := p.left(began, control, false)
				if last, _ := p.left(began, control, true); left <= 0 != c.hangs || last <= 0 != c.atEnd {
					t.Errorf("after %v, control %v: %v left, and %v when time is up", c.gone, control, left, last)
				}
			}
		})
	}
}

// TestPaceStuck has runs that got stuck, and asks for the limit of another one: at least 5 seconds, and 20 times the
// median of the ones that ended; where none did, 20 times the longest that got stuck.
func TestPaceStuck(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		walls, stuck []time.Duration
		want         time.Duration // 0 while that is unknown
	}{
		{stuck: []time.Duration{s / 10, s / 2}},
		{stuck: []time.Duration{s / 10, s / 2, s / 5}, want: 10 * s},
		{stuck: []time.Duration{s / 10}, walls: []time.Duration{s, s, 6 * s}, want: 20 * s},
		{stuck: []time.Duration{s / 10, 30 * s}, walls: []time.Duration{s / 10}, want: 5 * s},
	} {
		p := newPace(0, false, time.Time{})
		for _, w := range c.walls {
			p.add(&Run{Wall: w})
		}
		for _, w := range c.stuck {
			p.add(&Run{Wall: w, Stuck: true, Exit: Exit{TimedOut: true}})
		}
		left, usual := p.left(time.Now(), true, false)
		if known := p.known(usual); known != (c.want > 0) || known && left.Round(s) != c.want {
			t.Errorf("%v after %v and %v: %v, known %v, want %v", left, c.walls, c.stuck, left, known, c.want)
		}
	}
}

// TestTimeUpWhileDumping has a process that is slow to dump. Time is up right after it was asked
// for a dump.
func TestTimeUpWhileDumping(t *testing.T) {
	ctx, timeUp := context.WithCancel(context.Background())
	p := &dumper{asked: timeUp, ended: make(chan struct{})}
	x := &Exec{
		Binary: &Binary{Path: "x.test"}, Limit: time.Millisecond,
		start: func(command) (process, error) { return p, nil },
	}
	run, err := x.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !run.Exit.TimedOut || run.Exit.Code != 2 {
		t.Errorf("the process ended with %+v, want exit status 2, which is that of a dump", run.Exit)
	}
}

// A dumper is a process that ends a while after it was asked for a dump.
type dumper struct {
	asked context.CancelFunc
	once  sync.Once
	exit  Exit
	ended chan struct{}
}

func (p *dumper) Wait() (Exit, time.Duration, error) {
	<-p.ended
	return p.exit, 0, nil
}

func (p *dumper) Quit() error {
	time.AfterFunc(10*time.Millisecond, p.asked)
	time.AfterFunc(100*time.Millisecond, func() { p.end(Exit{Code: 2}) })
	return nil
}

func (p *dumper) Kill() error {
	p.end(Exit{Code: -1, Signal: "killed"})
	return nil
}

// end ends the process, unless it has ended.
func (p *dumper) end(how Exit) {
	p.once.Do(func() { p.exit = how; close(p.ended) })
}
