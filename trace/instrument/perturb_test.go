package instrument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// TestPerturbations holds goroutines and pins draws under each version of Go. The shadow GOROOT
// has every ability that perturbations need, the same plan gives the same choices in each
// process, and without a plan they differ.
func TestPerturbations(t *testing.T) {
	for _, v := range strings.Split(*versions, ",") {
		t.Run(v, func(t *testing.T) {
			if v != "" {
				t.Setenv("GOTOOLCHAIN", "go"+v)
			}
			f := buildFixture(t, Config{})
			if len(f.plan.Warnings) > 0 {
				t.Errorf("warnings %v", f.plan.Warnings)
			}
			tr, free, _ := f.perturbed(&freedom.Plan{}, 2)
			if len(tr.Acts) > 0 || len(tr.Draws) > 0 {
				t.Errorf("without a plan: acts %v, draws %v", tr.Acts, tr.Draws)
			}
			f.stalls(tr)
			f.orders(tr)
			f.pins(free)
			f.keys()
		})
	}
}

// perturbed runs the fixture's test with a plan. It returns the trace, the choices that were
// made, and the order of the goroutines.
func (f *fixture) perturbed(p *freedom.Plan, procs int) (tr *trace.Trace, choices, order string) {
	f.t.Helper()
	file := filepath.Join(f.dir, "plan")
	if err := p.WriteFile(file); err != nil {
		f.t.Fatal(err)
	}
	env := append([]string{"PERTURBED=1", fmt.Sprint("GOMAXPROCS=", procs)}, p.Env(file)...)
	tr, out := f.run([]string{"-test.run=^TestPerturbed$"}, env...)
	lines := strings.Split(out, "\n")
	if len(lines) < 3 || lines[2] != "PASS" {
		f.t.Fatalf("output %s", out)
	}
	return tr, lines[0], lines[1]
}

// stalls holds each of the goroutines that take a lock, whose first events are in the trace.
func (f *fixture) stalls(tr *trace.Trace) {
	var class uint64
	var block trace.Event
	for _, g := range tr.GoroutinesOf("TestPerturbed") {
		if !g.Root {
			events, err := load(g)
			if err != nil || class != 0 && class != g.Class {
				f.t.Fatalf("class %x after %x, error %v", g.Class, class, err)
			}
			class, block = g.Class, events[0]
		}
	}
	stall := freedom.Stall(freedom.Position{G: freedom.Goroutine{Class: class}, Block: uint32(block)}, 3*time.Millisecond, false)
	tr, _, _ = f.perturbed(&freedom.Plan{Process: "m.test", Acts: []freedom.Step{stall}}, 2)
	if len(tr.Acts) != 8 {
		f.t.Errorf("%d acts, want 8", len(tr.Acts))
	}
	for _, a := range tr.Acts {
		g := tr.Goroutines[a.Goroutine-1]
		if !a.Applied || a.Held < int64(stall.Dose) || a.Block != uint32(block) || len(g.Stamps) == 0 || tr.Reason(g.Stamps[0]) != trace.HeldReason {
			f.t.Errorf("act %+v, reason %q", a, tr.Reasons)
		}
	}
}

// orders has one of the goroutines that take a lock wait for the ends of others, many times. It goes on when they have
// come, long before the limit.
func (f *fixture) orders(tr *trace.Trace) {
	list := slices.DeleteFunc(tr.GoroutinesOf("TestPerturbed"), func(g *trace.Goroutine) bool { return g.Root })
	first, err := load(list[0])
	if err != nil {
		f.t.Fatal(err)
	}
	plan := &freedom.Plan{Process: "m.test"}
	for i := range 100 { // more than a cursor has bits
		until := freedom.Goroutine{ID: list[1+i%(len(list)-1)].ID}
		plan.Acts = append(plan.Acts, freedom.Order(freedom.Position{G: freedom.Goroutine{ID: list[0].ID},
			Block: uint32(first[0]), Hit: 1}, freedom.Position{G: until, Block: freedom.End}, time.Minute))
	}
	tr, _, _ = f.perturbed(plan, 2)
	if len(tr.Acts) != len(plan.Acts) || slices.ContainsFunc(tr.Acts, func(a trace.Act) bool { return !a.Applied || !a.Met }) {
		f.t.Errorf("%d acts %+v, want %d orders that came about", len(tr.Acts), tr.Acts, len(plan.Acts))
	}
}

func (f *fixture) pins(free string) {
	p := &freedom.Plan{Acts: freedom.Pins(1)}
	tr, pinned, _ := f.perturbed(p, 2)
	for _, kind := range []trace.ActKind{trace.ActSelect, trace.ActMap, trace.ActRand} {
		if !drawn(tr, kind) {
			f.t.Errorf("no draws of kind %v in %v", kind, tr.Draws)
		}
	}
	if pinned == free {
		f.t.Errorf("pins change nothing: %s", pinned)
	}
	for procs := range 8 {
		if _, again, _ := f.perturbed(p, procs+1); again != pinned {
			f.t.Errorf("GOMAXPROCS=%d: %s\nnot %s", procs+1, again, pinned)
		}
	}
}

// keys has a range come to one key before another, or not, and records the keys where no order is wanted.
func (f *fixture) keys() {
	tr, _, _ := f.perturbed(&freedom.Plan{Acts: freedom.Pins(1)}, 2)
	i := slices.IndexFunc(tr.Draws, func(d trace.Draw) bool { return d.Kind == trace.ActMap && d.Block != 0 })
	a := freedom.Step{Kind: trace.ActMap, What: freedom.MapKeys, At: freedom.Position{Block: tr.Draws[i].Block}, Seed: 1}
	tr, choices, _ := f.perturbed(&freedom.Plan{Acts: []freedom.Step{a}}, 2)
	ranges, printed := freedom.Keys(tr), strings.Fields(choices)
	if len(ranges) != 1 || len(ranges[0]) != 40 {
		f.t.Fatalf("keys %v, want 40 of one range", ranges)
	}
	for i, k := range ranges[0] {
		if k.Text != printed[i] {
			f.t.Errorf("key %d is %s, want %s", i, k.Text, printed[i])
		}
	}
	x, y := ranges[0][39], ranges[0][0]
	for _, a.Unit = range []int64{1, -1} {
		a.Text = fmt.Sprintf("%x %x", x.Hash, y.Hash)
		_, choices, _ := f.perturbed(&freedom.Plan{Acts: []freedom.Step{a}}, 2)
		printed := strings.Fields(choices)
		if before := slices.Index(printed, x.Text) < slices.Index(printed, y.Text); before != (a.Unit > 0) {
			f.t.Errorf("%s and %s in %q, order %d", x.Text, y.Text, choices, a.Unit)
		}
	}
}

func drawn(t *trace.Trace, kind trace.ActKind) bool {
	for _, d := range t.Draws {
		if d.Kind == kind && d.Count > 0 {
			return true
		}
	}
	return false
}
