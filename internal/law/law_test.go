package law

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// filler returns n steps that decide nothing, with numbers from a first one on.
func filler(rnd *rand.Rand, first, n int) (list []op) {
	for i := range n {
		list = append(list, op{block: first + i, takes: time.Duration(1+rnd.IntN(200)) * time.Microsecond})
	}
	return list
}

func lock(m string) (func(*world) bool, func(*world, int)) {
	return func(w *world) bool { return w.vars[m] == 0 }, func(w *world, g int) { w.vars[m] = g + 1 }
}

// locking is a step that takes a lock, and unlocking one that gives it back.
func locking(block int, m string, do func(*world, int)) op {
	can, take := lock(m)
	return op{block: block, takes: 20 * time.Microsecond, can: can, do: func(w *world, g int) {
		take(w, g)
		if do != nil {
			do(w, g)
		}
	}}
}

func unlocking(block int, m string) op {
	return op{block: block, takes: 20 * time.Microsecond, do: func(w *world, _ int) { w.vars[m] = 0 }}
}

// checkThenAct is two goroutines that look a value up and change it in another critical section.
func checkThenAct(rnd *rand.Rand) *program {
	routine := func(base int) (list []op) {
		list = filler(rnd, base, 1+rnd.IntN(6))
		list = append(list, locking(base+10, "mu", func(w *world, g int) { w.local[g] = w.vars["x"] }), unlocking(base+11, "mu"))
		list = append(list, filler(rnd, base+20, rnd.IntN(4))...)
		list = append(list, locking(base+30, "mu", func(w *world, g int) { w.vars["x"] = w.local[g] + 1 }), unlocking(base+31, "mu"))
		return append(list, filler(rnd, base+40, 1+rnd.IntN(4))...)
	}
	p := &program{routines: [][]op{routine(100), routine(200)}}
	p.routines = append(p.routines, []op{{block: 300, takes: ms, can: func(w *world) bool { return w.vars["done"] == 2 },
		do: func(w *world, _ int) { w.failed = w.vars["x"] != 2 }}})
	for g := range 2 {
		p.routines[g] = append(p.routines[g], op{block: 100*(g+1) + 90, do: func(w *world, _ int) { w.vars["done"]++ }})
	}
	p.law = Law{Kind: Between, A: Step{G: 1, Block: 110, Hit: 1}, B: Step{G: 1, Block: 130, Hit: 1}, F: Step{G: 2, Block: 210, Hit: 1}}
	p.at, p.dose = Step{G: 1, Block: 130, Hit: 1}, 10*ms
	return p
}

// slowTabs is two goroutines alike that look a value up, take their time, and change it: they often do so at once. The
// hold is before the time that they take.
func slowTabs(rnd *rand.Rand) *program {
	routine := func() (list []op) {
		list = append(filler(rnd, 100, 1+rnd.IntN(4)), op{block: 109, takes: 15 * ms})
		list = append(list, locking(110, "mu", func(w *world, g int) { w.local[g] = w.vars["x"] }), unlocking(111, "mu"))
		list = append(list, op{block: 120, takes: 4 * ms})
		list = append(list, locking(130, "mu", func(w *world, g int) { w.vars["x"] = w.local[g] + 1 }), unlocking(131, "mu"))
		return append(list, op{block: 140, do: func(w *world, _ int) { w.vars["done"]++ }})
	}
	return &program{routines: [][]op{routine(), routine(), {{block: 300, takes: ms,
		can: func(w *world) bool { return w.vars["done"] == 2 }, do: func(w *world, _ int) { w.failed = w.vars["x"] != 2 }}}},
		class: []uint64{1, 1}, at: Step{G: 1, Block: 120, Hit: 1}, dose: 20 * ms,
		law: Law{Kind: Between, A: Step{G: 1, Block: 110, Hit: 1}, B: Step{G: 1, Block: 130, Hit: 1}, F: Step{G: 2, Block: 110, Hit: 1}}}
}

// polls is a goroutine that says it is done too early, and another one that asks again and again.
func polls(rnd *rand.Rand) *program {
	worker := append(filler(rnd, 100, 1+rnd.IntN(20)), op{block: 150, takes: ms, do: func(w *world, _ int) { w.vars["done"] = 1 }})
	worker = append(worker, op{block: 160, do: func(w *world, _ int) { w.vars["n"] = 1 }})
	worker = append(worker, filler(rnd, 170, 1)...)
	test := filler(rnd, 200, rnd.IntN(3))
	for range 6 {
		test = append(test, op{block: 250, takes: 4 * ms, do: func(w *world, _ int) {
			w.failed = w.failed || w.vars["done"] > w.vars["n"]
		}})
	}
	return &program{routines: [][]op{worker, test}, at: Step{G: 1, Block: 160, Hit: 1}, dose: 10 * ms,
		law: Law{Kind: Between, A: Step{G: 1, Block: 150, Hit: 1}, B: Step{G: 1, Block: 160, Hit: 1}, F: Step{G: 2, Block: 250, Hit: 1}}}
}

// sleepThenRead is a test that sleeps, and reads what another goroutine writes.
func sleepThenRead(rnd *rand.Rand) *program {
	writer := filler(rnd, 100, 1+rnd.IntN(8))
	writer = append(writer, op{block: 150, takes: ms, do: func(w *world, _ int) { w.vars["x"] = 1 }})
	writer = append(writer, filler(rnd, 160, 1+rnd.IntN(5))...)
	test := filler(rnd, 200, rnd.IntN(4))
	test = append(test, op{block: 250, takes: 4 * ms}, op{block: 260, takes: ms, do: func(w *world, _ int) { w.failed = w.vars["x"] == 0 }})
	test = append(test, filler(rnd, 270, 1+rnd.IntN(3))...)
	return &program{routines: [][]op{writer, test}, at: Step{G: 1, Block: 150, Hit: 1}, dose: 20 * ms,
		law: Law{Kind: Order, B: Step{G: 1, Block: 150, Hit: 1}, F: Step{G: 2, Block: 260, Hit: 1}}}
}

// waitWithLimit is a test that waits for another goroutine no longer than a limit.
func waitWithLimit(rnd *rand.Rand) *program {
	worker := filler(rnd, 100, 1+rnd.IntN(8))
	worker = append(worker, op{block: 150, takes: ms, do: func(w *world, _ int) { w.vars["x"] = 1 }})
	test := filler(rnd, 200, rnd.IntN(4))
	test = append(test, op{block: 250, takes: 10 * time.Microsecond, limit: 20 * ms, can: func(w *world) bool { return w.vars["x"] == 1 },
		do: func(w *world, _ int) { w.failed = w.over }})
	test = append(test, filler(rnd, 260, 1+rnd.IntN(3))...)
	return &program{routines: [][]op{worker, test}, at: Step{G: 1, Block: 150, Hit: 1}, dose: 30 * ms,
		law: Law{Kind: Deadline, B: Step{G: 1, Block: 150, Hit: 1}, F: Step{G: 2, Block: 250, Hit: 1}}}
}

// twoLocks is two goroutines that take two locks in two orders.
func twoLocks(rnd *rand.Rand) *program {
	routine := func(base int, first, second string) (list []op) {
		list = filler(rnd, base, 1+rnd.IntN(6))
		list = append(list, locking(base+10, first, nil))
		list = append(list, filler(rnd, base+20, rnd.IntN(3))...)
		list = append(list, locking(base+30, second, nil), unlocking(base+31, second), unlocking(base+32, first))
		return append(list, filler(rnd, base+40, 1)...)
	}
	return &program{routines: [][]op{routine(100, "m", "n"), routine(200, "n", "m")}, at: Step{G: 1, Block: 130, Hit: 1}, dose: 10 * ms,
		law: Law{Kind: Between, A: Step{G: 1, Block: 110, Hit: 1}, B: Step{G: 1, Block: 130, Hit: 1}, F: Step{G: 2, Block: 210, Hit: 1}}}
}

// sendAfterClose is a goroutine that sends what another one may have closed.
func sendAfterClose(rnd *rand.Rand) *program {
	sender := filler(rnd, 100, 1+rnd.IntN(8))
	sender = append(sender, op{block: 150, takes: ms, do: func(w *world, _ int) { w.failed = w.failed || w.vars["closed"] == 1 }})
	sender = append(sender, filler(rnd, 160, 1)...)
	closer := filler(rnd, 200, 1+rnd.IntN(4))
	closer = append(closer, op{block: 240, takes: 3 * ms}, op{block: 250, takes: ms, do: func(w *world, _ int) { w.vars["closed"] = 1 }})
	closer = append(closer, filler(rnd, 260, 1+rnd.IntN(6))...)
	return &program{routines: [][]op{sender, closer}, at: Step{G: 1, Block: 150, Hit: 1}, dose: 20 * ms,
		law: Law{Kind: Order, B: Step{G: 1, Block: 150, Hit: 1}, F: Step{G: 2, Block: 250, Hit: 1}}}
}

// clearThenFill is a goroutine that clears what another one reads, and fills it later.
func clearThenFill(rnd *rand.Rand) *program {
	set := func(block, v int) op {
		return op{block: block, takes: 50 * time.Microsecond, do: func(w *world, _ int) { w.vars["x"] = v }}
	}
	writer := filler(rnd, 100, 1+rnd.IntN(5))
	writer = append(writer, set(140, 1))
	writer = append(writer, filler(rnd, 150, rnd.IntN(3))...)
	writer = append(append(writer, set(160, 0)), filler(rnd, 170, 2)...)
	reader := append([]op{{block: 200, takes: 2 * ms}}, filler(rnd, 210, rnd.IntN(5))...)
	reader = append(reader, op{block: 250, takes: ms, do: func(w *world, _ int) { w.failed = w.vars["x"] == 1 }})
	reader = append(reader, filler(rnd, 260, 1)...)
	return &program{routines: [][]op{writer, reader}, at: Step{G: 1, Block: 160, Hit: 1}, dose: 20 * ms,
		law: Law{Kind: Between, A: Step{G: 1, Block: 140, Hit: 1}, B: Step{G: 1, Block: 160, Hit: 1}, F: Step{G: 2, Block: 250, Hit: 1}}}
}

// holed is checkThenAct with a section between under a lock that the other one needs before it looks the value up.
func holed(rnd *rand.Rand) *program {
	p := checkThenAct(rnd)
	g := p.routines[0]
	i := slices.IndexFunc(g, func(o op) bool { return o.block == 130 })
	p.routines[0] = slices.Insert(g, i, locking(125, "log", nil), filler(rnd, 126, 1)[0], unlocking(127, "log"))
	h := p.routines[1]
	i = slices.IndexFunc(h, func(o op) bool { return o.block == 210 })
	p.routines[1] = slices.Insert(h, i, locking(205, "log", nil), filler(rnd, 206, 1)[0], unlocking(207, "log"))
	return p
}

// rounds is two goroutines that change a value in three rounds: whatever is forced in one, they may fail in another.
// So most laws are refused by their opposite.
func rounds(rnd *rand.Rand) *program {
	p := checkThenAct(rnd)
	for g := range 2 {
		end := len(p.routines[g]) - 1
		round := p.routines[g][:end:end]
		p.routines[g] = slices.Concat(round, round, round, p.routines[g][end:])
	}
	p.routines[2][0].do = func(w *world, _ int) { w.failed = w.vars["x"] != 6 }
	n := 1 + rnd.IntN(3)
	p.at.Hit, p.law.A.Hit, p.law.B.Hit = n, n, n
	p.law.F.Hit = 0 // any
	return p
}

// beforeSleep is sleepThenRead, held a while before it writes.
func beforeSleep(rnd *rand.Rand) *program {
	p := sleepThenRead(rnd)
	p.at = Step{G: 1, Block: 100, Hit: 1}
	return p
}

// locked is checkThenAct, held where it still has the lock that the other one needs to look.
func locked(rnd *rand.Rand) *program {
	p := checkThenAct(rnd)
	p.at.Block = 111
	for g := range 2 { // it takes a while between the sections
		i := slices.IndexFunc(p.routines[g], func(o op) bool { return o.block == 100*(g+1)+30 })
		p.routines[g] = slices.Insert(p.routines[g], i, op{block: 100*(g+1) + 29, takes: 2 * ms})
	}
	p.routines[1] = slices.Insert(p.routines[1], 0, op{block: 299, takes: 4 * ms})
	return p
}

// crowd is a test that sleeps, and counts what many goroutines did, each under a lock.
func crowd(rnd *rand.Rand) *program {
	const workers = 20
	test := append(filler(rnd, 1000, 2), op{block: 1050, takes: 12 * ms}, locking(1060, "mu", func(w *world, _ int) {
		w.failed = w.vars["x"] < workers
	}), unlocking(1061, "mu"))
	p := &program{law: Law{Kind: Order, B: Step{G: 1, Block: 150, Hit: 1}, F: Step{G: 2, Block: 1060, Hit: 1}}}
	for i := range workers {
		list := append(filler(rnd, 100, 1+rnd.IntN(4)), locking(110, "log", nil), op{block: 115, takes: 100 * time.Microsecond},
			unlocking(120, "log"))
		list = append(list, filler(rnd, 130, 1+rnd.IntN(3))...)
		list = append(list, locking(150, "mu", func(w *world, _ int) { w.vars["x"]++ }), unlocking(151, "mu"))
		p.routines = append(p.routines, append(list, filler(rnd, 160, 1+rnd.IntN(3))...))
		if i == 0 {
			p.routines = append(p.routines, test)
		}
	}
	p.at, p.dose = Step{G: 1, Block: 150, Hit: 1}, 30*ms
	return p
}

// unawaited is a test that starts goroutines, does something else, and counts what they did.
func unawaited(rnd *rand.Rand) *program {
	workers := 2 + rnd.IntN(12)
	test := append(filler(rnd, 1000, 1+rnd.IntN(4)), op{block: 1050, takes: 1200 * time.Microsecond}, op{block: 1060, takes: ms,
		do: func(w *world, _ int) { w.failed = w.vars["x"] < workers }})
	p := &program{law: Law{Kind: Order, B: Step{G: 2, Block: 150, Hit: 1}, F: Step{G: 1, Block: 1060, Hit: 1}}, class: []uint64{1},
		at: Step{G: 2, Block: 150, Hit: 1}, dose: 30 * ms}
	p.routines = [][]op{append(test, filler(rnd, 1070, 1+rnd.IntN(3))...)}
	p.count(rnd, workers, func() time.Duration { return time.Duration(1+rnd.IntN(10)) * 100 * time.Microsecond })
	return p
}

// count adds goroutines of one go statement that work, and are counted.
func (p *program) count(rnd *rand.Rand, n int, works func() time.Duration) {
	for range n {
		list := append(filler(rnd, 100, 1+rnd.IntN(4)), op{block: 140, takes: works()},
			op{block: 150, takes: 50 * time.Microsecond, do: func(w *world, _ int) { w.vars["x"]++ }})
		p.routines = append(p.routines, append(list, filler(rnd, 160, 1+rnd.IntN(3))...))
		p.class = append(p.class, 2)
	}
}

// anyOf is a test that looks whether one of many goroutines, which all wait for a while, came too early.
func anyOf(rnd *rand.Rand) *program {
	test := append(filler(rnd, 1000, 1+rnd.IntN(4)), op{block: 1050, takes: 50 * time.Microsecond, do: func(w *world, _ int) {
		w.failed = w.vars["x"] > 0
	}})
	p := &program{law: Law{Kind: Order, B: Step{G: 1, Block: 1050, Hit: 1}, F: Step{Block: 150, Hit: 1}}, class: []uint64{1},
		at: Step{G: 1, Block: 1050, Hit: 1}, dose: 30 * ms}
	p.routines = [][]op{append(test, filler(rnd, 1070, 1+rnd.IntN(3))...)}
	p.count(rnd, 2+rnd.IntN(12), func() time.Duration { return time.Duration(2+rnd.IntN(8)) * 500 * time.Microsecond })
	return p
}

// missed is a goroutine that looks whether there is something to do, and then waits to be woken: nobody is if it comes
// before the goroutine waits.
func missed(rnd *rand.Rand) *program {
	list := append(filler(rnd, 100, 1+rnd.IntN(6)), op{block: 110, takes: 50 * time.Microsecond, do: func(w *world, g int) {
		w.local[g] = w.vars["x"]
	}})
	list = append(append(list, filler(rnd, 120, rnd.IntN(4))...), op{block: 130, takes: 50 * time.Microsecond},
		op{block: 131, takes: 50 * time.Microsecond, can: func(w *world) bool { return w.local[0] == 1 || w.vars["woken"] == 1 }})
	other := append(filler(rnd, 200, 1+rnd.IntN(6)), op{block: 230, takes: ms}, op{block: 240, takes: 50 * time.Microsecond,
		do: func(w *world, _ int) {
			if w.vars["x"] = 1; w.waits[0] > 0 && w.waits[0] <= w.now {
				w.vars["woken"] = 1
			}
		}})
	return &program{routines: [][]op{append(list, filler(rnd, 140, 1)...), append(other, filler(rnd, 250, 1+rnd.IntN(4))...)},
		at: Step{G: 1, Block: 130, Hit: 1}, dose: 20 * ms,
		law: Law{Kind: Between, A: Step{G: 1, Block: 110, Hit: 1}, B: Step{G: 1, Block: 131, Hit: 1}, F: Step{G: 2, Block: 240, Hit: 1}}}
}

// first is a test in which many goroutines make a value, unless one of them has made it already.
func first(rnd *rand.Rand) *program {
	workers := 3 + rnd.IntN(4)
	p := &program{class: []uint64{1}, at: Step{G: 2, Block: 130, Hit: 1}, dose: 10 * ms,
		law: Law{Kind: Between, A: Step{G: 2, Block: 110, Hit: 1}, B: Step{G: 2, Block: 130, Hit: 1}, F: Step{Block: 110, Hit: 1}}}
	p.routines = [][]op{{{block: 300, takes: ms, can: func(w *world) bool { return w.vars["done"] == workers },
		do: func(w *world, _ int) { w.failed = slices.Min(w.local[1:1+workers]) != slices.Max(w.local[1:1+workers]) }}}}
	before, between := 1+rnd.IntN(6), rnd.IntN(4)
	for range workers {
		list := append(filler(rnd, 100, before), locking(110, "mu", func(w *world, g int) { w.local[g] = w.vars["x"] }))
		list = append(append(list, unlocking(111, "mu")), filler(rnd, 120, between)...)
		list = append(list, locking(130, "mu", func(w *world, g int) {
			if w.local[g] == 0 {
				w.local[g], w.vars["x"] = g+1, g+1
			}
		}), unlocking(131, "mu"))
		p.routines = append(p.routines, append(list, op{block: 190, do: func(w *world, _ int) { w.vars["done"]++ }}))
		p.class = append(p.class, 2)
	}
	return p
}

// lostUpdates is a test whose goroutines read a value and write it back, while it waits for half of them, and then goes on.
func lostUpdates(rnd *rand.Rand) *program {
	const workers = 20
	p := &program{class: []uint64{1}, at: Step{G: 2, Block: 130, Hit: 1}, dose: 20 * ms,
		law: Law{Kind: Between, A: Step{G: 2, Block: 110, Hit: 1}, B: Step{G: 2, Block: 130, Hit: 1}, F: Step{Block: 110, Hit: 1}}}
	done := func(n int) func(*world) bool { return func(w *world) bool { return w.vars["done"] >= n } }
	test := append([]op{{block: 300, takes: ms, can: done(workers / 2)}}, filler(rnd, 310, 1+rnd.IntN(20))...)
	p.routines = [][]op{append(test, op{block: 390, takes: ms, can: done(workers), do: func(w *world, _ int) {
		w.failed = w.vars["x"] != workers
	}})}
	before := 1 + rnd.IntN(6)
	for i := range workers {
		list := append([]op{{block: 100, takes: time.Duration(i+1) * ms / 4}}, filler(rnd, 101, before)...)
		list = append(list, op{block: 110, takes: 20 * time.Microsecond, do: func(w *world, g int) { w.local[g] = w.vars["x"] }},
			op{block: 130, takes: 10 * time.Microsecond, do: func(w *world, g int) { w.vars["x"] = w.local[g] + 1 }})
		p.routines = append(p.routines, append(list, filler(rnd, 140, 1+rnd.IntN(4))...))
		p.routines[i+1] = append(p.routines[i+1], op{block: 190, do: func(w *world, _ int) { w.vars["done"]++ }})
		p.class = append(p.class, 2)
	}
	return p
}

var programs = []struct {
	name string
	make func(*rand.Rand) *program
	rate float64 // of searches that find the law, at least
}{
	{"check then act", checkThenAct, 0.95}, {"slow tabs", slowTabs, 0.9}, {"polls", polls, 0.95},
	{"sleep", sleepThenRead, 0.95}, {"limit", waitWithLimit, 0.95}, {"two locks", twoLocks, 0.95},
	{"send after close", sendAfterClose, 0.95}, {"clear then fill", clearThenFill, 0.95},
	{"hole", holed, 0.8}, {"rounds", rounds, 0}, {"before a sleep", beforeSleep, 0.95},
	{"held with the lock", locked, 0.95}, {"crowd", crowd, 0.95},
	{"unawaited", unawaited, 0.85}, {"any of", anyOf, 0.95}, {"first", first, 0.9}, {"missed", missed, 0.9},
	{"lost updates", lostUpdates, 0.9},
}

// bystanders adds goroutines that have nothing to do with the failure.
func (p *program) bystanders(rnd *rand.Rand, n int) {
	for range n {
		p.routines = append(p.routines, filler(rnd, 1000*len(p.routines), 5+rnd.IntN(60)))
	}
}

// decides reports whether holding the goroutine decides: otherwise a search would not have proved it.
func (s *sim) decides() bool {
	failed := 0
	for range 20 {
		_, _, o, _, to := s.run(nil, s.p.at, s.p.dose)
		if o.Failed && to != 0 {
			failed++
		}
	}
	return failed >= 19
}

// confirms reports whether fresh runs bear a law out, as a search confirms a plan.
func (s *sim) confirms(law Law) bool {
	with, without := 0, 0
	for range 20 {
		if o, _ := s.Wait(context.Background(), law.Waits); o.Failed {
			with++
		}
		for _, waits := range [][]Wait{law.Opposite, law.Elsewhere} {
			if o, _ := s.Wait(context.Background(), waits); o.Failed {
				without++
			}
		}
	}
	return with >= 19 && without <= 1
}

// search looks for the law of a program with some bystanders. It is not ok if holding the goroutine decides nothing.
func search(t *testing.T, make func(*rand.Rand) *program, seed uint64) (s *sim, law Law, ok bool) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	p := make(rnd)
	p.bystanders(rnd, rnd.IntN(4))
	s = &sim{p: p, rnd: rnd}
	plain := s.plainRate()
	if plain > 0.7 || !s.decides() {
		return s, law, false
	}
	law, err := Find(context.Background(), s, plain)
	if err != nil {
		t.Fatal(err)
	}
	return s, law, true
}

var searches = flag.Int("searches", 20, "simulated programs of each kind")

func TestFind(t *testing.T) {
	for _, x := range programs {
		t.Run(x.name, func(t *testing.T) {
			found, of, runs, wrong, refused := 0, 0, 0, 0, 0
			for seed := uint64(0); of < *searches && seed < 100*uint64(*searches); seed++ {
				s, law, ok := search(t, x.make, seed)
				if !ok {
					continue
				}
				p := s.p
				of++
				runs += law.Runs
				right := law.Kind == p.law.Kind && law.A.is(p.law.A) && law.B.is(p.law.B) && (law.F.is(p.law.F) ||
					law.F.Block == p.law.F.Block && (p.law.F.Hit == 0 || p.law.F.G == 0))
				switch {
				case law.Kind == None:
				case law.Kind != Deadline && !s.confirms(law):
					refused++
				case right:
					found++
				default:
					wrong++
					t.Logf("seed %d: kind %d, a %v, b %v, f %v", seed, law.Kind, law.A, law.B, law.F)
				}
			}
			t.Logf("%d of %d found, %d wrong, %d refused, %d runs each", found, of, wrong, refused, runs/max(of, 1))
			if of < *searches || float64(found) < x.rate*float64(of) || 20*wrong > of {
				t.Error("too few are found, or too many wrong")
			}
		})
	}
}
