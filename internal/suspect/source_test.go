package suspect

import (
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// lineSites makes a block of each line of a file, in the functions that are
// given by their first and last lines.
func lineSites(text string, funcs ...[2]int) *trace.Sites {
	s := &trace.Sites{Root: "/m", Files: []trace.File{{Path: "p/a.go", Name: "example.com/m/p/a.go"}}, Blocks: make([]trace.Block, 1)}
	for range funcs {
		s.Funcs = append(s.Funcs, trace.Func{})
	}
	for i := range strings.Split(text, "\n") {
		fn := 0
		for j, f := range funcs {
			s.Funcs[j].Line, s.Funcs[j].End = f[0], f[1]
			if f[0] <= i+1 && i+1 <= f[1] {
				fn = j
			}
		}
		s.Blocks = append(s.Blocks, trace.Block{Func: fn, StartLine: i + 1, StartCol: 1, EndLine: i + 1, EndCol: 200, Stmts: 1, Kind: trace.BlockCall})
	}
	return s
}

func lineSource(text string, funcs ...[2]int) *source {
	return newSource(lineSites(text, funcs...), func(string) ([]byte, error) { return []byte(text), nil })
}

const waiting = `package p
func TestX(t *testing.T) {
	for range 10 {
		if q.ready() {
			return
		}
		time.Sleep(1)
	}
	for _, x := range list {
		q.add(x)
		time.Sleep(1)
	}
	for !q.ready() {
		time.Sleep(1)
	}
	time.Sleep(1)
}
`

// A wait within a loop that looks again is no wait for a time: lines 7 and 14.
// One between two steps is (11), and one that stands alone (16).
func TestTimed(t *testing.T) {
	s := lineSource(waiting, [2]int{2, 17})
	for line, want := range map[int]bool{7: false, 11: true, 14: false, 16: true, 10: false} {
		if got := s.timed(line); got != want {
			t.Errorf("line %d: %t, want %t", line, got, want)
		}
	}
}

// Eventually waits for its condition, not just for a time.
func TestWaitsFor(t *testing.T) {
	s := lineSource("package p\nfunc f() {\n\ttime.Sleep(1)\n\trequire.Eventually(t, func() bool {\n}", [2]int{2, 5})
	for line, want := range map[int]string{3: "waits for a time", 4: "waits for something else to come true"} {
		if got := s.waitsFor(line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

const chance = `package p
func (d disk) save() {
	time.Sleep(time.Duration(rand.IntN(6)) * time.Millisecond)
}
func (s shard) search() {
	delay := s.delay
	delay += rand.N(s.vary)
	<-time.After(delay)
}
func between() int {
	return rand.IntN(6)
}
func wait() { time.Sleep(between()) }
func newCode() int {
	n := rand.IntN(6)
	return n
}
`

// A random number that is slept for, by way of a variable or of a function, is
// how long something takes. The last one is not.
func TestDelays(t *testing.T) {
	s := lineSource(chance, [2]int{2, 17})
	for line, want := range map[int]bool{3: true, 7: true, 11: true, 15: false} {
		if got := s.delays("p/a.go", line); got != want {
			t.Errorf("line %d: %t, want %t", line, got, want)
		}
	}
}

const changing1 = `package p
var table = map[string]int{}
func (q *Queue) put(k string) {
	q.jobs[k] = table[k]
	table[k]++
	delete(q.old, k)
	q.state.Store(1)
	n := q.size
	local := n
	local = 2
}
`

func TestNames(t *testing.T) {
	s := lineSource(changing1, [2]int{3, 11})
	for line, want := range map[int]string{4: "jobs", 5: "table", 6: "old", 7: "state", 8: "", 10: ""} {
		_, written := s.names(line)
		var got []string
		for name := range written {
			got = append(got, name)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("line %d changes %q, want %q", line, got, want)
		}
	}
	if all, _ := s.names(8); !all["size"] || all["n"] {
		t.Errorf("line 8 mentions %v, want size and not the local variable", all)
	}
}

const captured = `package p
func TestA(t *testing.T) {
	seen, other := 0, 0
	onEvent(func(e event) {
		seen++
		e.other = seen
	})
	if seen != 2 || other != 2 {
		t.Error(seen)
	}
}
func TestB(t *testing.T) {
	seen := 0
	onEvent(func(e event) { seen++ })
}
`

// Line 8 reads the variable that the literal in line 5 changes, which the one of
// the same name in line 14 is not; and no field of the name of its own variable.
func TestSharedVariables(t *testing.T) {
	s := lineSource(captured, [2]int{2, 11}, [2]int{12, 15})
	reads, _ := s.names(8)
	for line, want := range map[int]bool{5: true, 6: false, 14: false} {
		if got := s.changes(line, reads); got != want {
			t.Errorf("line %d changes what line 8 reads: %t, want %t", line, got, want)
		}
	}
}

const setting = `package p
var conf config
func set() {
	conf.port = 9
	conf.seen = 1
	clear(conf.old)
}
`

// Of a block of lines 4 to 6 the line is named that changes most of the names, of
// several the last.
func TestChangedAt(t *testing.T) {
	sites := lineSites(setting, [2]int{3, 7})
	sites.Blocks[4].EndLine = 6
	s := newSource(sites, func(string) ([]byte, error) { return []byte(setting), nil })
	for _, c := range []struct {
		with names
		want int
	}{{names{"conf": true, "port": true}, 4}, {names{"conf": true}, 6}, {names{"port": true, "seen": true}, 5}, {names{"set": true}, 0}} {
		if got := s.changedAt(4, c.with); got != c.want {
			t.Errorf("%v: got line %d, want %d", c.with, got, c.want)
		}
	}
}

const saving = `package p
func (t *Table) save() {
	lines := t.lines()
	f, _ := os.Create(t.path)
	f.WriteString(lines)
}
func TestLoad(t *testing.T) {
	data, _ := os.ReadFile(path)
	if len(data) < 5 {
		t.Error("short")
	}
}
func TestOther(t *testing.T) {
	defaults.port = 9
	defaults.seen = 1
}
func TestPort(t *testing.T) {
	if defaults.port != 8 {
		t.Error("port")
	}
}
`

// savingInput is a test that parts at the given line, and fails in the next.
func savingInput(line int) Input {
	d := &divergence.Divergence{
		LastCommon: trace.Event(line), FailNext: trace.Event(line + 1), PassNext: trace.Event(line + 2),
		Table: divergence.Table{FailTaken: 9, PassNot: 11}, Path: []divergence.Call{{Block: line}},
	}
	for b := line - 1; b <= line; b++ {
		d.Common = append(d.Common, divergence.Count{Block: b, N: 1})
	}
	return Input{
		Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{d}},
		Sites:    lineSites(saving, [2]int{2, 6}, [2]int{7, 12}, [2]int{13, 16}, [2]int{17, 21}),
		Source:   func(string) ([]byte, error) { return []byte(saving), nil },
		Check:    trace.Frame{File: "/m/p/a.go", Line: line + 1},
	}
}

func firstLine(t *testing.T, in Input) int {
	t.Helper()
	list := Find(in)
	if len(list) == 0 {
		t.Fatal("no suspects")
	}
	return list[0].Start
}

// The other goroutine has made the file (4) and is about to write it: the file
// is where it began. If the test reads no file, that says nothing.
func TestHalfway(t *testing.T) {
	in := savingInput(9)
	in.Analysis.Halfway = []divergence.Halfway{{Func: 0, Blocks: []int{3, 4, 5}}}
	if got := firstLine(t, in); got != 4 {
		t.Errorf("first suspect in line %d, want 4", got)
	}
	in = savingInput(18)
	in.Analysis.Halfway = []divergence.Halfway{{Func: 0, Blocks: []int{3, 4, 5}}}
	if got := firstLine(t, in); got != 18 {
		t.Errorf("without a file: first suspect in line %d, want 18", got)
	}
}

// Of what the other test does, line 14 changes what the failed one reads.
func TestOtherTests(t *testing.T) {
	in := savingInput(18)
	in.Analysis.Earlier = &divergence.Earlier{Tests: []string{"TestOther"}, FailsIf: true, Blocks: []int{14, 15}}
	if got := firstLine(t, in); got != 14 {
		t.Errorf("earlier: first suspect in line %d, want 14", got)
	}
	in = savingInput(18)
	in.Analysis.Lingering = []divergence.Lingering{{Test: "TestOther", Blocks: []int{15, 14}, Goroutine: &trace.Goroutine{}}}
	if got := firstLine(t, in); got != 14 {
		t.Errorf("lingering: first suspect in line %d, want 14", got)
	}
	in = savingInput(18)
	in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{14, 15}}}
	if got := firstLine(t, in); got != 14 {
		t.Errorf("meanwhile: first suspect in line %d, want 14", got)
	}
}

// What was done so often in failing runs only comes before the condition, unless
// it is in the function that parted.
func TestOften(t *testing.T) {
	in := savingInput(9)
	in.Analysis.Often = []divergence.Often{{Block: 10, AtLeast: 3}, {Block: 5, AtLeast: 3}}
	if got := firstLine(t, in); got != 5 {
		t.Errorf("first suspect in line %d, want 5", got)
	}
}

// What the other goroutine had not done by then it never did: it had come to its
// end, line 15, as it does in passing runs. It was given less, and is no suspect.
func TestHadLess(t *testing.T) {
	in := savingInput(18)
	anchor := trace.NewGoroutine(1, "TestX", []trace.Event{17, 18, 19})
	fail := trace.NewGoroutine(2, "TestX", []trace.Event{14, 15})
	pass := trace.NewGoroutine(2, "TestX", []trace.Event{14, 15, 14, 15})
	fail.End, pass.End = 50, 60
	in.Analysis.Orders = []divergence.Order{{
		Late: true, Block: 14, Event: 2, Table: divergence.Table{FailTaken: 9, PassNot: 11},
		Missing: []divergence.Missed{{Block: 14, N: 1, First: 2}},
		Fail:    divergence.OrderRun{Anchor: anchor, AnchorPos: 2, Other: fail, Done: 2, Last: 15},
		Pass:    divergence.OrderRun{Anchor: anchor, AnchorPos: 2, Other: pass, Done: 4, Last: 15},
	}}
	if got := firstLine(t, in); got != 18 {
		t.Errorf("first suspect in line %d, want the condition, 18", got)
	}
	in.Analysis.Orders[0].Pass.Other = trace.NewGoroutine(2, "TestX", []trace.Event{14, 15, 14, 16})
	in.Analysis.Orders[0].Pass.Other.End = 60
	if got := firstLine(t, in); got != 15 {
		t.Errorf("with another end: first suspect in line %d, want the one in failing runs, 15", got)
	}
}

// Another goroutine goes round its loop (14) less often before the runs part at
// line 18: that comes first.
func TestWentRoundLess(t *testing.T) {
	in := savingInput(18)
	g := trace.NewGoroutine(2, "TestX", []trace.Event{14, 15})
	g.End = 50
	earlier := &divergence.Divergence{Goroutine: g, LastCommon: 15, PassNext: 14, Path: []divergence.Call{{Block: 15}}}
	in.Analysis.Chain = append([]*divergence.Divergence{earlier}, in.Analysis.Chain...)
	if got := firstLine(t, in); got != 15 {
		t.Errorf("not a loop: first suspect in line %d, want the earlier divergence, 15", got)
	}
	in.Sites.Blocks[14].Kind = trace.BlockLoop
	if got := firstLine(t, in); got != 18 {
		t.Errorf("first suspect in line %d, want 18", got)
	}
}

// What is received in the condition differs from run to run, as what had been
// done so often sends it: that comes first.
func TestReceived(t *testing.T) {
	in := savingInput(18)
	in.Data = []finding.DataDivergence{{Expr: "<-c", At: trace.Frame{File: "/m/p/a.go", Line: 15}, Source: "a channel"}}
	in.Values = []finding.Value{{Expr: "n", At: trace.Frame{File: "/m/p/a.go", Line: 18}, Source: "a channel"}}
	if got := firstLine(t, in); got != 15 {
		t.Errorf("first suspect in line %d, want 15", got)
	}
	in.Analysis.Often = []divergence.Often{{Block: 5, AtLeast: 3}}
	if got := firstLine(t, in); got != 5 {
		t.Errorf("first suspect in line %d, want 5", got)
	}
}

// A worker that a select ended (15) may have had more to do: it is a suspect.
func TestSelectEnds(t *testing.T) {
	in := savingInput(18)
	g := trace.NewGoroutine(2, "TestX", []trace.Event{14, 15})
	g.End = 50
	run := divergence.OrderRun{Anchor: g, AnchorPos: 2, Other: g, Done: 2, Last: 15}
	in.Sites.Blocks[15].Kind = trace.BlockComm
	in.Analysis.Orders = []divergence.Order{{Late: true, Block: 14, Table: divergence.Table{FailTaken: 9, PassNot: 11}, Fail: run, Pass: run}}
	if got := firstLine(t, in); got != 15 {
		t.Errorf("first suspect in line %d, want 15", got)
	}
}

const gate = `package p
func (g *Gate) pass() {
	g.changed.Wait()
	g.passed++
}
func (g *Gate) drain() bool {
	if g.passed == 3 {
		return true
	}
	return false
}
`

// stuckInput is of a goroutine that waits in line 3 while others run line 4, and
// of a test that looks in line 7 and gives up. At is the divergence at whose time
// they do.
func stuckInput(text string, at int) (Input, *trace.Goroutine) {
	waiting := trace.NewGoroutine(2, "TestX", []trace.Event{2, 3})
	table := divergence.Table{FailTaken: 9, PassNot: 11}
	return Input{
		Analysis: &divergence.Analysis{
			Chain: []*divergence.Divergence{
				{Goroutine: waiting, LastCommon: 3, PassNext: 4, Table: table, Path: []divergence.Call{{Block: 3}}},
				{LastCommon: 7, FailNext: 10, PassNext: 8, Table: table, Path: []divergence.Call{{Func: 1, Block: 7}}},
			},
			Meanwhile: []divergence.Meanwhile{{Divergence: at, Own: true, Blocks: []int{4}}},
		},
		Sites:  lineSites(text, [2]int{2, 5}, [2]int{6, 11}),
		Source: func(string) ([]byte, error) { return []byte(text), nil },
	}, waiting
}

// A goroutine waits in line 3 to the end. That others pass (4) as the test looks
// (7) and gives up says less.
func TestStuck(t *testing.T) {
	in, waiting := stuckInput(gate, 1)
	if got := firstLine(t, in); got != 3 {
		t.Errorf("first suspect in line %d, want 3", got)
	}
	waiting.End = 70
	if got := firstLine(t, in); got != 4 {
		t.Errorf("not stuck: first suspect in line %d, want 4", got)
	}
}

const counting = `package p
func (g *Gate) wait() {
	g.waiting++; g.changed.Wait()
	g.waiting--
}
func (g *Gate) drain() bool {
	if g.passed == 3 {
		return true
	}
	return false
}
`

// Who waits in vain in line 3 looks at nothing, though others change (4) what the
// line mentions. If that goroutine has ended, they may have to do with it.
func TestStuckLooksAtNothing(t *testing.T) {
	in, waiting := stuckInput(counting, 0)
	if got := firstLine(t, in); got != 3 {
		t.Errorf("first suspect in line %d, want 3", got)
	}
	waiting.End = 70
	if got := firstLine(t, in); got != 4 {
		t.Errorf("not stuck: first suspect in line %d, want 4", got)
	}
}
