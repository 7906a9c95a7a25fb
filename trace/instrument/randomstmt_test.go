package instrument

import "fmt"

// The compound statements that a generator writes.

func (g *generator) block(depth int) {
	g.line("{")
	g.body(depth)
	g.line("}")
}

func (g *generator) ifElse(depth int) {
	g.line("if %s {", g.cond())
	g.body(depth)
	for g.rnd.IntN(3) == 0 {
		v := g.variable()
		// The mark comes first: a probe does not see which operands are skipped.
		g.line("} else if %s := x + %d; %s || %s%%3 == 0 {", v, g.rnd.IntN(3), g.cond(), v)
		g.body(depth)
	}
	if g.rnd.IntN(2) == 0 {
		g.line("} else {")
		g.body(depth)
	}
	g.line("}")
}

// loop writes the body of a loop with the given header, labelled or not.
func (g *generator) loop(header string, depth int) {
	loops, inLoop := g.loops, g.inLoop
	g.inLoop = true
	if g.rnd.IntN(2) == 0 {
		l := g.label()
		g.line("%s:", l)
		g.loops = append(g.loops[:len(g.loops):len(g.loops)], l)
		g.line("%s", header)
		g.line("\tif x%%7 == 6 {")
		g.line("\t\tx++; continue %s", l) // a label must be used
		g.line("\t}")
	} else {
		g.line("%s", header)
	}
	g.body(depth)
	g.line("}")
	g.loops, g.inLoop = loops, inLoop
}

func (g *generator) forLoop(depth int) {
	v := g.variable()
	switch g.rnd.IntN(3) {
	case 0:
		g.loop(fmt.Sprintf("for %s := 0; %s < %d; %s++ {", v, v, 1+g.rnd.IntN(4), v), depth)
	case 1:
		g.line("%s := 0", v)
		g.loop(fmt.Sprintf("for %s < %d { %s++", v, 1+g.rnd.IntN(3), v), depth)
	case 2:
		g.line("%s := %d", v, 1+g.rnd.IntN(3))
		g.loop(fmt.Sprintf("for { if %s--; %s < 0 { %s; break }", v, v, g.note()), depth)
	}
}

// callFreeLoop is a loop that calls nothing, in a function that does.
func (g *generator) callFreeLoop(depth int) {
	g.callFree = true
	g.forLoop(depth)
	g.callFree = false
}

func (g *generator) rangeLoop(depth int) {
	n := 1 + g.rnd.IntN(3)
	headers := []string{
		fmt.Sprintf("for range %d {", n), fmt.Sprintf("for x = range %d {", n), "for range xs {", "for _, x = range xs {",
		fmt.Sprintf("for x = range seq(%d) {", n), fmt.Sprintf("for range seq(%d) {", n), "for x = range next {",
	}
	if g.callFree {
		headers = headers[:4]
	}
	g.loop(headers[g.rnd.IntN(len(headers))], depth)
}

func (g *generator) switchCase(depth int) {
	inLoop := g.inLoop
	g.inLoop = false // break would only leave the switch
	head := []string{"switch x % 4 {", "switch {", fmt.Sprintf("switch x := x + 1; x %% c2(%d, 4) {", g.mark()), "switch any(x).(type) {"}
	cases := [][]string{{"0", "1, 2", "3"}, {"x%2 == 0", "x%3 == 0", "x > 500"}, {"0", "1, 2", "3"}, {"string", "int, error", "nil"}}
	kind := g.rnd.IntN(len(head))
	if g.callFree && kind == 2 {
		kind = 0
	}
	g.line("%s", head[kind])
	for i, c := range cases[kind] {
		g.line("case %s:", c)
		if g.rnd.IntN(5) == 0 {
			continue // an empty body
		}
		g.body(depth)
		switch {
		case g.rnd.IntN(4) == 0:
			g.line("\tbreak")
		case g.rnd.IntN(3) == 0 && kind < 3 && i < 2:
			g.line("\tfallthrough")
		}
	}
	if g.rnd.IntN(2) == 0 {
		g.line("default:")
		g.body(depth)
	}
	g.line("}")
	g.inLoop = inLoop
}

// selectCase writes a select with only one ready case, so that the path is known.
func (g *generator) selectCase(depth int) {
	inLoop := g.inLoop
	g.inLoop = false
	g.line("select {")
	g.line("case <-make(chan int):")
	g.body(depth)
	g.line("%s:", []string{"default", "case ready() <- x"}[g.rnd.IntN(2)])
	g.body(depth)
	g.line("}")
	g.inLoop = inLoop
}

// again writes a loop with goto.
func (g *generator) again(depth int) {
	l, v := g.label(), g.variable()
	g.line("{")
	g.line("\t%s := 0", v)
	g.line("%s: p(%d)", l, g.mark())
	g.line("\t{")
	g.indent++
	g.body(depth)
	g.indent--
	g.line("\t}")
	g.line("\tif %s++; %s < %d { goto %s }", v, v, 1+g.rnd.IntN(3), l)
	g.line("}")
}

// skip jumps forward by goto, to a statement or to the end of the block.
func (g *generator) skip(depth int) {
	l := g.label()
	g.line("{")
	g.line("\tif %s { goto %s }", g.cond(), l)
	g.line("\t{")
	g.indent++
	g.body(depth)
	g.indent--
	g.line("\t}")
	g.line("%s:", l)
	if g.rnd.IntN(2) == 0 {
		g.line("\tp(%d); x++", g.mark())
	}
	g.line("}")
}

// literal writes a function literal that is called now or later.
func (g *generator) literal(depth int) {
	if g.rnd.IntN(2) == 0 {
		g.line("func() {")
		g.closed(depth)
		g.line("}(); p(%d)", g.mark())
		return
	}
	v := g.variable()
	g.line("%s := func(x int) int { p(%d)", v, g.mark())
	g.closed(depth)
	g.line("\treturn x")
	g.line("}; p(%d)", g.mark())
	g.line("_ = %s", v)
	for range g.rnd.IntN(3) {
		g.line("x = %s(x+1); p(%d)", v, g.mark())
	}
}

func (g *generator) deferred(depth int) {
	switch g.rnd.IntN(3) {
	case 0:
		g.line("defer p(%d); p(%d)", g.mark(), g.mark())
	case 1:
		g.line("defer func() { p(%d) }()", g.mark())
	case 2:
		g.line("defer func() {")
		g.closed(depth)
		g.line("}()")
	}
}

// try writes code that recovers from a panic in it.
func (g *generator) try(depth int) {
	g.line("func() {")
	g.line("\tdefer func() { if e := recover(); again(e) { p(%d) } else if e != nil { panic(e) } }()", g.mark())
	g.closed(depth)
	g.line("}()")
}
