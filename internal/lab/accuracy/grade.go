package main

import (
	"fmt"

	"github.com/fdebug/fdebug/report"
)

// maxSpan is how many lines a suspect may have and still say where to look.
const maxSpan = 3

// A grade is the result for one program.
type grade struct {
	program *program
	failing int // runs in which the test failed
	runs    int
	first   string // the first suspect; "" if there was none
	rank    int    // of the first suspect that is on the cause; 0 if none is
	counts  bool   // whether there was something to find
	right   bool   // whether the first suspect is on the cause, or rightly nothing was reported
	verdict string
	shown   *shown // by experiments; nil if nothing was
}

// judge grades what a report says about a program.
func judge(p *program, doc *report.Document) grade {
	g := grade{program: p}
	t := find(doc, p)
	if len(p.cause) == 0 {
		return g.quiet(doc)
	}
	if t == nil || !t.Flaky {
		g.verdict = "not flaky in these runs"
		if t != nil {
			g.failing, g.runs = t.Failed, t.Runs
		}
		return g
	}
	g.failing, g.runs, g.counts = t.Failed, t.Runs, true
	g.shown = shownOf(p, t)
	if len(t.Suspects) == 0 {
		g.verdict = "no suspects"
		return g
	}
	g.first = where(t.Suspects[0])
	for i, s := range t.Suspects {
		if p.on(s) {
			g.rank = i + 1
			break
		}
	}
	g.right = g.rank == 1
	g.verdict = "no"
	if g.right {
		g.verdict = "yes"
	}
	return g
}

// quiet grades a program that never fails.
func (g grade) quiet(doc *report.Document) grade {
	g.counts, g.right, g.verdict = true, true, "nothing reported, rightly"
	for _, t := range doc.Tests {
		g.failing, g.runs = g.failing+t.Failed, t.Runs
		g.right, g.verdict = false, "no: "+t.Test+" is reported"
		if len(t.Suspects) > 0 {
			g.first = where(t.Suspects[0])
		}
	}
	return g
}

// find returns the program's test in a report, or nil if it is not there.
func find(doc *report.Document, p *program) *report.DocumentTest {
	for i, t := range doc.Tests {
		if t.Test == p.test {
			return &doc.Tests[i]
		}
	}
	return nil
}

// on reports whether a suspect is on the cause.
func (p *program) on(s report.DocumentSuspect) bool {
	if s.End-s.Start >= maxSpan {
		return false
	}
	for _, c := range p.cause {
		if c.file == s.File && s.Start <= c.line && c.line <= s.End {
			return true
		}
	}
	return false
}

func where(s report.DocumentSuspect) string {
	if s.End > s.Start {
		return fmt.Sprintf("%s:%d-%d", s.File, s.Start, s.End)
	}
	return fmt.Sprintf("%s:%d", s.File, s.Start)
}
