package diagnose

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A notes writes down the facts about a failure, one a line: a word, and what
// belongs to it as KEY=VALUE. Places are names of lines; a block is that which has
// the beginning of the line. Tables are "5/5,0/20": 5 of 5 failing runs, 0 of 20
// passing runs.
//
//	fails at=check                            the failed check
//	died at=x                                 the same of the statement that panicked
//	says text=T                               what it said in each of three runs, with \n for new lines
//	reported write=a read=b                   the failure is a report of this race
//	diverge at=cond pass=x fail=y table=T     a divergence of the chain; "fail" is the failed check
//	    common=a,b called=c same       if it is not given; "common" is "at" alone
//	    start=x                                 of a goroutine that is started there
//	meanwhile blocks=a,b waited=x             what another goroutine ran then; where the test had waited before
//	finished blocks=a,b lived=10-50           a goroutine that had ended, and worked beside others
//	held at=x failing=1ms,2ms passing=...     how long the goroutine that failed waited
//	earlier tests=TestA,TestB table=T blocks=a,b second=c   the blocks of each; needed: it fails without them
//	before tests=TestA,TestB blocks=a,b second=c  ran before in some runs, which tells nothing
//	left by=TestA thing=env|file|dir|port changed=a,b found=c  stacks, innermost first
//	draw at=x source=S operand=X table=T      varies, if there is no table; expr=E; key: of a map
//	observed kind=K at=a,b late table=T       a fact of recorded runs; chance unlikely behind measure=M more
//	value at=x operand=X passing=V|W            recorded values of an operand: each in three runs
//	    failing=V|W
//	race write=a read=b started=x failed=1/3  of runs with the race detector; started: the go statement of the goroutine that
//	                                          writes; failed: in how many of the runs that failed it was seen; lost: only
//	                                          the go statement of the one that writes is known
//	wait at=x for=c [benign] of a hang, in order; stuck; kind=K of the first
//	    holds=x lock=L circle; failnow=x: there a goroutine was ended
type notes struct {
	*script
	t  *testing.T
	in Input
	a  *divergence.Analysis
}

// input returns the facts of a case.
func (s *script) input(t *testing.T, text string) Input {
	n := &notes{script: s, t: t, a: new(divergence.Analysis)}
	n.in = Input{Test: &finding.Test{Package: s.pkg(), Name: "TestBus"}, Failure: new(finding.Failure), Sites: s.sites, Source: s.source}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		f := fact{notes: n, values: make(map[string]string)}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			f.values[key] = strings.ReplaceAll(value, "_", " ")
		}
		f.take(words[0])
	}
	if len(n.a.Chain) > 0 || n.a.Earlier != nil {
		n.in.Failure.Analysis = n.a
	}
	return n.in
}

// A fact is a line.
type fact struct {
	*notes
	values map[string]string
}

func (f *fact) take(word string) {
	switch word {
	case "fails":
		f.in.Failure.Frame = f.frame("at")
	case "died":
		f.in.Failure.Frame = f.frame("at")
		f.in.Failure.Message, f.in.Failure.Dump = "panic: runtime error", "panic: runtime error"
	case "late":
		f.in.Failure.Late, f.in.Test.Name = true, f.values["test"]
	case "says":
		f.in.Failure.Message, f.in.Failure.Runs = strings.ReplaceAll(f.values["text"], `\n`, "\n"), []int{1, 2, 3}
	case "reported":
		f.in.Failure.Message = f.report()
	case "diverge":
		f.a.Chain = append(f.a.Chain, f.divergence())
	case "meanwhile":
		c := divergence.Concurrent{
			Divergence: f.step(), Blocks: f.blocks("blocks"), Waited: f.blocks("waited"),
		}
		f.a.Concurrent = append(f.a.Concurrent, c)
	case "finished":
		g := new(trace.Goroutine)
		fmt.Sscanf(f.values["lived"], "%d-%d", &g.Start, &g.End)
		f.a.Finished = append(f.a.Finished, divergence.Finished{Goroutine: g, Blocks: f.blocks("blocks")})
	case "earlier":
		table := f.table("table")
		f.a.Earlier = &divergence.Earlier{Tests: f.list("tests"), FailsIf: !f.has("needed"), Table: table, P: table.Fisher()}
		f.before()
	case "before":
		f.before()
	case "left":
		f.a.Left = append(f.a.Left, divergence.Leftover{By: f.values["by"], Thing: slices.Index([]string{"env", "file", "dir", "port"}, f.values["thing"]),
			Changed: f.stack("changed"), Found: f.stack("found")})
	case "draw":
		f.in.Failure.Data = append(f.in.Failure.Data, f.draw())
	case "observed":
		f.in.Failure.Facts = append(f.in.Failure.Facts, f.observed())
	case "value":
		f.in.Failure.Values = append(f.in.Failure.Values, finding.Value{Expr: f.values["operand"], At: f.frame("at"), Passing: f.seen("passing"), Failing: f.seen("failing")})
	case "race":
		r := finding.Race{Seen: 5, Of: 20, Accesses: [2]finding.Access{
			{Kind: finding.Write, At: f.frame("write"), Started: f.frame("started")}, {Kind: finding.Read, At: f.frame("read")},
		}}
		if f.has("lost") {
			r.Accesses[0].At, r.Accesses[0].Lost = r.Accesses[0].Started, true
		}
		fmt.Sscanf(f.values["failed"], "%d/%d", &r.Failed, &r.Failing)
		f.in.Test.Races = append(f.in.Test.Races, r)
	case "wait":
		f.wait()
	case "verdict":
		f.in.Test.Verdicts = append(f.in.Test.Verdicts, f.verdict())
	default:
		f.t.Fatalf("unknown word %q", word)
	}
}

// verdict is the verdict of an experiment: class, kind, where, and the go statement of
// the goroutine that was held, or the tests that have a say. Of a law (order or between) at is
// f and b, starts their go statements, after a; paths are the calls by which the goroutines come there (f-path, b-path, a-path).
// A goroutine has come to after for the n-th time if hit is n.
// With nothing changed hardly any run failed if rare is, and the verdict is of another failure if other is; the same elsewhere fails too if anywhere is.
func (f *fact) verdict() finding.Verdict {
	v := verdicttest.Verdict{
		Class: finding.Reproduced, Proof: proof.Proof{Plan: verdicttest.Named(f.values["kind"]), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 1, Of: 20}}}, Place: fmt.Sprintf("%s:%d", path.Base(f.in.Failure.Frame.File), f.in.Failure.Frame.Line),
	}
	if f.values["class"] == "proved" {
		v.Class = finding.Proved
	}
	if f.has("other") {
		v.Place = "other_test.go:1"
	}
	if f.in.Failure.Frame.File == "" { // an example has no check
		f.in.Failure.Signature, v.Signature, v.Place = "Test: output differs", "Test: output differs", ""
	}
	v.Proof.Before = f.list("tests")
	if f.has("needs") {
		v.Proof.Needs = v.Proof.Before
	}
	if f.has("dose") {
		v.Proof.Smallest = time.Millisecond
	}
	if f.has("started") {
		v.Started = f.frame("started")
	}
	for _, name := range f.list("at") {
		m := f.mark(name)
		v.Window = append(v.Window, finding.Span{File: m.file, Start: m.line, End: m.line})
	}
	for _, name := range f.list("starts") { // "test" is its own goroutine
		h := finding.Hold{}
		if name != "test" {
			m := f.mark(name)
			h.Started = trace.Frame{File: m.file, Line: m.line}
		}
		v.Events = append(v.Events, h)
	}
	if f.has("held") {
		m := f.mark(f.values["held"])
		v.At = finding.Span{File: m.file, Start: m.line, End: m.line}
	}
	if f.has("cure") {
		if v.Proof.Confirmed.Cure = (finding.Count{Of: 20}); !f.has("rare") {
			v.Proof.Confirmed.Plain.Failed = 9
		}
	}
	if f.has("anywhere") {
		v.Proof.Confirmed.Sham = finding.Count{Failed: 18, Of: 20}
	}
	if f.has("failed") {
		v.Proof.Confirmed.Cure = finding.Count{Failed: 5, Of: 11}
	}
	if f.has("missed") {
		v.Proof.Confirmed.Cure = finding.Count{Of: 11, Missed: 29}
	}
	for _, name := range f.list("cure") {
		m := f.mark(name)
		v.Cure = append(v.Cure, finding.Span{File: m.file, Start: m.line, End: m.line})
	}
	d := v.Make()
	if f.has("law") {
		f.law(&d.Proof)
	}
	return d
}

// law adds the law to a proof.
func (f *fact) law(p *proof.Proof) {
	p.Law.Kind = proof.LawKind(f.values["law"])
	for i, block := range f.blocks("at") {
		p.At[i].Block, p.At[i].Path = block, f.path([]string{"f-path", "b-path"}[i])
	}
	if f.has("after") {
		m := f.mark(f.values["after"])
		p.Law.After = &proof.Place{Shown: finding.Span{File: m.file, Start: m.line, End: m.line}, Block: f.block("after"), Path: f.path("a-path")}
		fmt.Sscan(f.values["hit"], &p.Law.After.Hit)
	}
}

// observed is a likely fact, of places of one line each.
func (f *fact) observed() finding.Fact {
	x := finding.Fact{Freedom: f.values["kind"], Chance: f.has("chance"), Late: f.has("late"), Behind: f.has("behind"), More: f.has("more"), Measure: f.values["measure"]}
	x.Likely, x.Table, x.P = !f.has("unlikely"), f.table("table"), 0.001
	for _, name := range f.list("at") {
		m := f.mark(name)
		x.At = append(x.At, finding.Span{File: m.file, Start: m.line, End: m.line})
	}
	return x
}

// seen returns values. Three runs had each of them.
func (f *fact) seen(key string) (list []finding.Seen) {
	for _, text := range strings.Split(f.values[key], "|") {
		list = append(list, finding.Seen{Text: text, Runs: []int{1, 2, 3}})
	}
	return list
}

func (f *fact) has(key string) bool { _, ok := f.values[key]; return ok }

func (f *fact) list(key string) []string {
	if !f.has(key) {
		return nil
	}
	return strings.Split(f.values[key], ",")
}

func (f *fact) mark(name string) mark {
	m, ok := f.marks[name]
	if !ok {
		f.t.Fatalf("no line is called %q", name)
	}
	return m
}

// frame returns a place as runs have it, with the path of its file.
func (f *fact) frame(key string) trace.Frame {
	if !f.has(key) {
		return trace.Frame{}
	}
	m := f.mark(f.values[key])
	return trace.Frame{File: f.root + "/" + m.file, Line: m.line}
}

// stack returns frames, innermost first, between two outside the module.
func (f *fact) stack(key string) (list []trace.Frame) {
	list = append(list, trace.Frame{File: "/go/src/os/file.go", Line: 1})
	for _, name := range slices.DeleteFunc(f.list(key), func(name string) bool { return name == "" }) {
		m := f.mark(name)
		list = append(list, trace.Frame{File: f.root + "/" + m.file, Line: m.line})
	}
	return append(list, list[0])
}

func (f *fact) block(key string) int {
	if !f.has(key) {
		return 0
	}
	return f.blockOf(f.values[key])
}

// blockOf returns the block in which the text of a line begins.
func (f *fact) blockOf(name string) (best int) {
	m := f.mark(name)
	for b := 1; b < len(f.sites.Blocks); b++ {
		x := f.sites.Blocks[b]
		begins := x.StartLine < m.line || x.StartLine == m.line && x.StartCol <= m.col
		ends := x.EndLine < m.line || x.EndLine == m.line && x.EndCol <= m.col
		if f.sites.Files[f.sites.FileOf(b)].Path == m.file && begins && !ends {
			best = b // of blocks one within the other the inner one comes later
		}
	}
	if best == 0 {
		f.t.Fatalf("no block has %v", m)
	}
	return best
}

func (f *fact) blocks(key string) (list []int) {
	for _, name := range f.list(key) {
		list = append(list, f.blockOf(name))
	}
	return list
}

func (f *fact) table(key string) (t divergence.Table) {
	if !f.has(key) {
		return t
	}
	var fail, pass int
	if _, err := fmt.Sscanf(f.values[key], "%d/%d,%d/%d", &t.FailTaken, &fail, &t.PassTaken, &pass); err != nil {
		f.t.Fatalf("%s: %v", f.values[key], err)
	}
	t.FailNot, t.PassNot = fail-t.FailTaken, pass-t.PassTaken
	return t
}

// event returns a block as an event, or the failed check for "fail".
func (f *fact) event(key string) trace.Event {
	if f.values[key] == "fail" {
		return trace.CheckEvent(trace.CheckFailNow, 1)
	}
	return trace.Event(f.block(key))
}

func (f *fact) divergence() *divergence.Divergence {
	d := &divergence.Divergence{
		LastCommon: f.event("at"), PassNext: f.event("pass"), FailNext: f.event("fail"),
		Table: f.table("table"), SamePath: f.has("same"),
	}
	d.P = d.Table.Fisher()
	for _, b := range append(f.blocks("common"), f.block("at")) {
		d.Common = append(d.Common, divergence.Count{Block: b, N: 1})
	}
	d.Path = append(f.path("called"), f.path("at")...)
	if f.has("start") {
		d.Class = []trace.Frame{f.frame("start")}
	}
	return d
}

// path returns blocks as a call path.
func (f *fact) path(key string) (list []divergence.Call) {
	for _, b := range f.blocks(key) {
		list = append(list, divergence.Call{Func: f.sites.Blocks[b].Func, Block: b})
	}
	return list
}

// step is the divergence that a fact is about.
func (f *fact) step() int {
	n := len(f.a.Chain) - 1
	if f.has("divergence") {
		fmt.Sscan(f.values["divergence"], &n)
	}
	return n
}

// before adds the blocks of tests that came before in some of the runs.
func (f *fact) before() {
	tests := f.list("tests")
	f.a.Before = map[string][]int{tests[0]: f.blocks("blocks")}
	if len(tests) > 1 {
		f.a.Before[tests[1]] = f.blocks("second")
	}
}

func (f *fact) draw() finding.DataDivergence {
	d := finding.DataDivergence{Kind: finding.DataVaries, Expr: f.values["expr"], At: f.frame("at"), Source: strings.ReplaceAll(f.values["source"], "_", " "), Operand: f.values["operand"]}
	if table := f.table("table"); table.Total() > 0 {
		d.Kind, d.Found = finding.DataValue, &divergence.DataDivergence{Table: table, P: table.Fisher()}
	}
	return d
}

// report words a race as the race detector does.
func (f *fact) report() string {
	w, r := f.frame("write"), f.frame("read")
	return fmt.Sprintf("WARNING: DATA RACE\nWrite at 0x00c000018f7f by goroutine 8:\n  m.f()\n      %s:%d +0x47e\n\n"+
		"Previous read at 0x00c000018f7f by goroutine 10:\n  m.g()\n      %s:%d +0x4e\n", w.File, w.Line, r.File, r.Line)
}

// wait adds a wait to the hang.
func (f *fact) wait() {
	h := f.in.Failure.Hang
	if h == nil {
		h = &finding.Hang{Kind: cmp.Or(finding.HangKind(f.values["kind"]), finding.HangTimeout), Failing: 3, Passing: 17}
		f.in.Failure.Hang = h
	}
	w := finding.Wait{At: f.frame("at"), For: f.values["for"], Failing: 3, Benign: f.has("benign"), Stuck: f.has("stuck")}
	if f.has("holds") {
		w.Holds = []finding.HeldLock{{Lock: f.values["lock"], At: f.frame("holds")}}
	}
	if f.has("circle") {
		h.LockOrder = append(h.LockOrder, len(h.Waits))
	}
	if f.has("failnow") {
		h.FailNow = f.frame("failnow")
	}
	h.Waits = append(h.Waits, w)
}
