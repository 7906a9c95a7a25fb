package instrument

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes random Go functions that print their own path: each call p(n) and c(n) notes
// the number n, and so does append in code that calls nothing. The numbers are different, and
// none is in a place that a probe cannot see: the condition or post statement of a loop. If a
// program runs too long, a panic in p ends it.
type generator struct {
	rnd    *rand.Rand
	b      strings.Builder
	marks  int
	labels int
	vars   int
	indent int

	fn    int // number of the function being written
	funcs int // how many there are
	// What may be used here.
	loops    []string // labels of the loops around, "" for none
	inLoop   bool     // break and continue have a loop
	callFree bool     // no calls, not even of p
	result   bool     // return has a value
}

// randomProgram returns a file of package m with functions f0, f1, ...
func randomProgram(seed uint64) string {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 1)), funcs: 4}
	g.line("package m")
	for g.fn = range g.funcs {
		g.line("")
		g.line("func f%d(x int) (r int) {", g.fn)
		g.line("\txs, next := []int{1, x %% 5}, seq(2)")
		if g.rnd.IntN(3) == 0 {
			g.line("\t{ xs := seq(1); for x = range xs { %s } }", g.note())
		}
		g.line("\t_, _ = xs, next")
		g.body(4)
		g.line("\treturn x")
		g.line("}")
	}
	g.callFree, g.result = true, true
	for i := range callFreeFuncs {
		g.line("")
		g.line("func q%d(x int) int {", i)
		g.line("\txs := []int{x %% 3, 2}")
		g.line("\t_ = xs")
		g.body(4)
		g.line("\treturn x")
		g.line("}")
	}
	return g.b.String()
}

// callFreeFuncs is the number of functions that call nothing: q0, q1, ...
const callFreeFuncs = 3

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *generator) mark() int { g.marks++; return g.marks }

// note returns a statement that leaves a mark. A call ends its block. A mark without a call shows
// whether the event of a block is recorded if the block panics where it branches.
func (g *generator) note() string {
	if g.callFree || g.rnd.IntN(3) == 0 {
		return fmt.Sprintf("marks = append(marks, %d)", g.mark())
	}
	return fmt.Sprintf("p(%d)", g.mark())
}

// cond returns a condition, sometimes one that leaves a mark.
func (g *generator) cond() string {
	plain := fmt.Sprintf("x%%%d == %d", 2+g.rnd.IntN(4), g.rnd.IntN(3))
	kind := g.rnd.IntN(6)
	if g.callFree {
		kind += 2
	}
	switch kind {
	case 0:
		return fmt.Sprintf("c(%d, %s)", g.mark(), plain)
	case 1:
		return fmt.Sprintf("func() bool { p(%d); return %s }()", g.mark(), plain)
	case 2:
		return fmt.Sprintf("xs[x%%3] == %d", g.rnd.IntN(3)) // it may panic
	}
	return plain
}

// body writes the statements of a block, indented.
func (g *generator) body(depth int) {
	g.indent++
	for range 1 + g.rnd.IntN(4) {
		g.stmt(depth - 1)
	}
	g.indent--
}

// closed is body for a function literal, in which no statement can name a loop outside.
func (g *generator) closed(depth int) {
	loops, inLoop := g.loops, g.inLoop
	g.loops, g.inLoop = nil, false
	g.body(depth)
	g.loops, g.inLoop = loops, inLoop
}

func (g *generator) stmt(depth int) {
	simple := []func(int){g.printMark, g.printMark, g.assign, g.leave, g.call}
	compound := []func(int){g.ifElse, g.forLoop, g.rangeLoop, g.switchCase, g.block}
	if !g.callFree {
		compound = append(compound, g.selectCase, g.again, g.skip, g.literal, g.deferred, g.try, g.callFreeLoop)
	}
	if depth <= 0 || g.rnd.IntN(3) == 0 {
		simple[g.rnd.IntN(len(simple))](depth)
		return
	}
	compound[g.rnd.IntN(len(compound))](depth)
}

func (g *generator) printMark(int) { g.line("%s", g.note()) }

func (g *generator) assign(int) {
	g.line("x = (x*%d + %d) %% 1000", 3+g.rnd.IntN(5), g.rnd.IntN(9))
}

// leave leaves the function or loop, mostly on a condition.
func (g *generator) leave(int) {
	ways := []string{"return x + 1", "panic(x)", "return"}
	if g.callFree {
		ways = []string{"x /= zero"}
	}
	if g.result {
		ways = append(ways, "return x + 1", "return x / zero")
	}
	if g.inLoop {
		ways = append(ways, "break", "continue", "break", "continue")
	}
	for _, l := range g.loops {
		ways = append(ways, "break "+l, "continue "+l)
	}
	way := ways[g.rnd.IntN(len(ways))]
	if !g.result && strings.HasPrefix(way, "return") && len(g.loops) == 0 && !g.inLoop {
		way = "panic(x)" // in a function literal, whose results are unknown here
	}
	if !g.result && strings.HasPrefix(way, "return") {
		way = "panic(-x)"
	}
	g.line("if %s {", g.cond())
	g.line("\t%s", g.note())
	g.line("\t%s", way)
	g.line("}")
}

// call calls a later function, so that none calls itself.
func (g *generator) call(int) {
	if g.callFree {
		g.printMark(0)
		return
	}
	if g.fn+1 >= g.funcs || g.rnd.IntN(2) == 0 {
		g.line("x += q%d(x + %d); p(%d)", g.rnd.IntN(callFreeFuncs), g.rnd.IntN(5), g.mark())
		return
	}
	next := g.fn + 1 + g.rnd.IntN(g.funcs-g.fn-1)
	g.line("x += f%d(x + %d); p(%d)", next, g.rnd.IntN(5), g.mark())
}

func (g *generator) label() string { g.labels++; return fmt.Sprint("L", g.labels) }

func (g *generator) variable() string { g.vars++; return fmt.Sprint("v", g.vars) }
