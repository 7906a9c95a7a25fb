package instrument

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes random Go functions that print their own path: each call
// p(n) and c(n) prints the number n. No two have the same number, and none
// stands where a probe cannot see it, in the condition or post statement of a
// loop. What runs too long is ended by a panic in p.
type generator struct {
	rnd    *rand.Rand
	b      strings.Builder
	marks  int
	labels int
	vars   int
	indent int

	fn    int // number of the function being written
	funcs int // how many there are
	// what may be used here
	loops  []string // labels of the loops around, "" for none
	inLoop bool     // break and continue have a loop
}

// randomProgram returns a file of package m with functions f0, f1, ...
func randomProgram(seed uint64) string {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 1)), funcs: 4}
	g.line("package m")
	for g.fn = range g.funcs {
		g.line("")
		g.line("func f%d(x int) (r int) {", g.fn)
		g.body(4)
		g.line("\treturn x")
		g.line("}")
	}
	return g.b.String()
}

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *generator) mark() int { g.marks++; return g.marks }

// cond returns a condition, sometimes one that leaves a mark.
func (g *generator) cond() string {
	plain := fmt.Sprintf("x%%%d == %d", 2+g.rnd.IntN(4), g.rnd.IntN(3))
	switch g.rnd.IntN(4) {
	case 0:
		return fmt.Sprintf("c(%d, %s)", g.mark(), plain)
	case 1:
		return fmt.Sprintf("func() bool { p(%d); return %s }()", g.mark(), plain)
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

// closed is body for a function literal: no statement in it can name a loop
// around.
func (g *generator) closed(depth int) {
	loops, inLoop := g.loops, g.inLoop
	g.loops, g.inLoop = nil, false
	g.body(depth)
	g.loops, g.inLoop = loops, inLoop
}

func (g *generator) stmt(depth int) {
	simple := []func(int){g.printMark, g.printMark, g.assign, g.leave, g.call}
	compound := []func(int){g.ifElse, g.forLoop, g.rangeLoop, g.switchCase, g.selectCase, g.again, g.skip, g.literal, g.deferred, g.try, g.block}
	if depth <= 0 || g.rnd.IntN(3) == 0 {
		simple[g.rnd.IntN(len(simple))](depth)
		return
	}
	compound[g.rnd.IntN(len(compound))](depth)
}

func (g *generator) printMark(int) { g.line("p(%d)", g.mark()) }

func (g *generator) assign(int) {
	g.line("x = (x*%d + %d) %% 1000", 3+g.rnd.IntN(5), g.rnd.IntN(9))
}

// leave leaves the function or loop, mostly on a condition.
func (g *generator) leave(int) {
	ways := []string{"return x + 1", "panic(x)", "return"}
	if g.inLoop {
		ways = append(ways, "break", "continue", "break", "continue")
	}
	for _, l := range g.loops {
		ways = append(ways, "break "+l, "continue "+l)
	}
	way := ways[g.rnd.IntN(len(ways))]
	if strings.HasPrefix(way, "return") && len(g.loops) == 0 && !g.inLoop {
		way = "panic(x)" // of a function literal, results are unknown here
	}
	if strings.HasPrefix(way, "return") {
		way = "panic(-x)"
	}
	g.line("if %s {", g.cond())
	g.line("\tp(%d)", g.mark())
	g.line("\t%s", way)
	g.line("}")
}

// call calls a function further down, so that none calls itself.
func (g *generator) call(int) {
	if g.fn+1 >= g.funcs {
		g.printMark(0)
		return
	}
	next := g.fn + 1 + g.rnd.IntN(g.funcs-g.fn-1)
	g.line("x += f%d(x + %d); p(%d)", next, g.rnd.IntN(5), g.mark())
}

func (g *generator) label() string { g.labels++; return fmt.Sprint("L", g.labels) }

func (g *generator) variable() string { g.vars++; return fmt.Sprint("v", g.vars) }
