package divergence

import (
	"math/rand/v2"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// A program is generated at random: functions of statements that branch, poll, range over maps
// and call each other. Each run decides anew which way they go, whatever the outcome: it is
// noise. At most one branch, the cause, follows the outcome. Every run ends with a check, on
// which failing runs fail.
type program struct {
	r     *rand.Rand // of the generator
	sites *trace.Sites
	root  *function

	cause *statement // nil: the difference is in the data only

	// of the current run
	run    *rand.Rand
	failed bool
	out    []trace.Event
}

type function struct {
	id    int
	entry trace.Event
	body  []*statement
}

type statementKind int

const (
	ifElse   statementKind = iota // then or else, then next
	rarely                        // then, in one run of ten
	pollLoop                      // up to 8 rounds, each with a body
	mapLoop                       // four cases in random order
	retry                         // break at the first to third try
	callFunc
	nStatements
)

type statement struct {
	kind   statementKind
	blocks []trace.Event
	body   []*statement
	callee *function
}

func newProgram(seed uint64, cause bool) *program {
	p := &program{r: rand.New(rand.NewPCG(seed, 5)), sites: &trace.Sites{Files: make([]trace.File, 1), Blocks: make([]trace.Block, 1)}}
	p.root = p.function(0)
	if cause {
		p.cause = &statement{kind: ifElse}
		// In a function of its own, called from somewhere.
		f := &function{id: len(p.sites.Funcs)}
		p.sites.Funcs = append(p.sites.Funcs, trace.Func{Name: "cause"})
		f.entry = p.block(f, trace.BlockEntry)
		p.cause.blocks = []trace.Event{p.block(f, trace.BlockThen), p.block(f, trace.BlockElse), p.block(f, trace.BlockNext)}
		f.body = []*statement{p.cause}
		p.plant(p.root, f)
	}
	return p
}

// plant puts a call of f at the end of the root function, or of one that it calls.
func (p *program) plant(in, f *function) {
	for _, s := range in.body {
		if s.kind == callFunc && s.callee != nil && p.r.IntN(2) == 0 {
			p.plant(s.callee, f)
			return
		}
	}
	call := &statement{kind: callFunc, callee: f, blocks: []trace.Event{p.block(in, trace.BlockCall)}}
	in.body = append(in.body, call)
}

func (p *program) block(f *function, kind trace.BlockKind) trace.Event {
	n := len(p.sites.Blocks)
	p.sites.Blocks = append(p.sites.Blocks, trace.Block{Func: f.id, Kind: kind, StartLine: n, EndLine: n})
	return trace.Event(n)
}

func (p *program) function(depth int) *function {
	f := &function{id: len(p.sites.Funcs)}
	p.sites.Funcs = append(p.sites.Funcs, trace.Func{Name: "f"})
	f.entry = p.block(f, trace.BlockEntry)
	f.body = p.statements(f, depth, 2+p.r.IntN(4))
	return f
}

func (p *program) statements(f *function, depth, n int) []*statement {
	var list []*statement
	for range n {
		s := &statement{kind: statementKind(p.r.IntN(int(nStatements)))}
		if depth > 2 && s.kind == callFunc {
			s.kind = ifElse
		}
		add := func(kinds ...trace.BlockKind) {
			for _, k := range kinds {
				s.blocks = append(s.blocks, p.block(f, k))
			}
		}
		switch s.kind {
		case ifElse:
			add(trace.BlockThen, trace.BlockElse, trace.BlockNext)
		case rarely:
			add(trace.BlockThen, trace.BlockNext)
		case pollLoop:
			add(trace.BlockLoop)
			if depth < 3 && p.r.IntN(2) == 0 {
				s.body = p.statements(f, depth+2, 1)
			}
			add(trace.BlockNext)
		case mapLoop:
			add(trace.BlockLoop, trace.BlockCase, trace.BlockCase, trace.BlockCase, trace.BlockCase, trace.BlockNext)
		case retry:
			add(trace.BlockLoop, trace.BlockThen, trace.BlockNext, trace.BlockNext)
		case callFunc:
			s.callee = p.function(depth + 1)
			add(trace.BlockCall)
		}
		list = append(list, s)
	}
	return list
}

// exec returns the stream of one run.
func (p *program) exec(seed uint64, failed bool) []trace.Event {
	p.run, p.failed, p.out = rand.New(rand.NewPCG(seed, 6)), failed, nil
	p.call(p.root)
	if failed {
		p.out = append(p.out, trace.CheckEvent(trace.CheckFailNow, 1))
	}
	return p.out
}

func (p *program) call(f *function) {
	p.out = append(p.out, f.entry)
	p.all(f.body)
}

func (p *program) all(list []*statement) {
	for _, s := range list {
		p.do(s)
	}
}

func (p *program) emit(e ...trace.Event) { p.out = append(p.out, e...) }

func (p *program) do(s *statement) {
	b := s.blocks
	switch s.kind {
	case ifElse:
		way := p.run.IntN(2)
		if s == p.cause {
			if way = 0; p.failed {
				way = 1
			}
		}
		p.emit(b[way], b[2])
	case rarely:
		if p.run.IntN(10) == 0 {
			p.emit(b[0])
		}
		p.emit(b[1])
	case pollLoop:
		for range p.run.IntN(9) {
			p.emit(b[0])
			p.all(s.body)
		}
		p.emit(b[1])
	case mapLoop:
		for _, k := range p.run.Perm(4) {
			p.emit(b[0], b[1+k])
		}
		p.emit(b[5])
	case retry:
		for k, n := 0, p.run.IntN(3); ; k++ {
			if p.emit(b[0]); k == n {
				p.emit(b[1], b[3])
				return
			}
			p.emit(b[2])
		}
	case callFunc:
		p.call(s.callee)
		p.emit(b[0])
	}
}

func (p *program) input(seed uint64, passing, failing int) Input {
	in := Input{Test: "TestX", Sites: p.sites}
	for i := range passing + failing {
		failed := i < failing
		in.Runs = append(in.Runs, oneRun(i+1, failed, p.exec(seed<<16+uint64(i), failed)))
	}
	return in
}

// The programs are nothing but noise, so only the failed check may be blamed, and no branch. By
// chance a few branches look guilty, according to their p-values.
func TestNoiseIsNotBlamed(t *testing.T) {
	const n = 300
	blamed, found := 0, 0
	for seed := range uint64(n) {
		in := newProgram(seed, false).input(seed, 38, 12)
		a, err := Analyze(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range a.Chain {
			if d.SamePath {
				found++
			} else {
				blamed++
				t.Logf("seed %d: %s", seed, summary(in.Sites, a))
			}
		}
	}
	t.Logf("%d of %d programs blamed, failed check found in %d", blamed, n, found)
	if blamed > n*5/100 || found < n*95/100 {
		t.Errorf("%d of %d programs blamed, failed check found in %d", blamed, n, found)
	}
}

// The same with a cause somewhere. It must be found, with the right runs.
func TestCauseInNoise(t *testing.T) {
	const n = 300
	found, perfect := 0, 0
	for seed := range uint64(n) {
		p := newProgram(seed, true)
		a, err := Analyze(p.input(seed, 38, 12))
		if err != nil {
			t.Fatal(err)
		}
		ok := false
		for _, d := range a.Chain {
			if d.FailNext == p.cause.blocks[1] && d.PassNext == p.cause.blocks[0] {
				ok = true
				if d.Table.Perfect() {
					perfect++
				}
			}
		}
		if ok {
			found++
		} else {
			t.Logf("seed %d, cause %d: %s", seed, p.cause.blocks[1], summary(p.sites, a))
		}
	}
	t.Logf("%d of %d found, %d with a perfect table", found, n, perfect)
	if found < n*95/100 {
		t.Errorf("%d of %d found, %d with a perfect table", found, n, perfect)
	}
}
