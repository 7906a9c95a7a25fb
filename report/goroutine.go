package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// goroutine names a goroutine by how it came to be. If a library started it
// (sync.WaitGroup.Go, time.AfterFunc), the first of the user's functions that it
// ran says more than a line of that library.
func (v *viewer) goroutine(d *divergence.Divergence) prose {
	if len(d.Class) == 0 {
		return say("In the test's own goroutine")
	}
	at, own := v.src.frame(d.Class[len(d.Class)-1])
	first := v.firstFunc(d)
	if own || first == nil {
		p := v.place(say("In "+theGoroutine(d.Nth, d.Of)+" started at "), at)
		if d.Goroutine != nil && d.Goroutine.Entry.Func != "" {
			p = p.text(" (").code(v.funcName(d.Goroutine.Entry.Func)).text(")")
		}
		return p
	}
	if by := starter(d.Class[len(d.Class)-1].Func, d.Goroutine); by != "" && d.Of > 1 {
		p := say("In " + theGoroutine(d.Nth, d.Of) + v.byLibrary(d.Of, d.Class)).code(v.funcName(by)).text(", which ran ")
		return v.place(p.code(v.clean.line(v.r.Sites.Funcs[first.Func].Name, 80)).text(" ("), *first).text(")")
	}
	p := v.place(say("In the goroutine that ran ").code(v.clean.line(v.r.Sites.Funcs[first.Func].Name, 80)).text(" ("), *first).text(")")
	if by := starter(d.Class[len(d.Class)-1].Func, d.Goroutine); by != "" {
		p = p.text(", started by ").code(v.funcName(by))
	}
	return p
}

// byLibrary says that a function of a library started a goroutine: one of several is counted at one of its
// go statements, and it may have others.
func (v *viewer) byLibrary(of int, class []trace.Frame) string {
	if of < 2 {
		return " started by "
	}
	if at := class[len(class)-1]; at.File != "" && at.Line > 0 {
		return fmt.Sprintf(" started at %s:%d, in ", v.clean.line(path.Base(at.File), 60), at.Line)
	}
	return " started at one place in "
}

// theGoroutine names a goroutine among those that were started at the same place.
func theGoroutine(nth, of int) string {
	switch {
	case of < 2:
		return "the goroutine"
	case nth == 0:
		return "a goroutine"
	}
	return "the " + ordinal(int64(nth)) + " goroutine"
}

// firstFunc returns the head of the function at the bottom of the call path.
func (v *viewer) firstFunc(d *divergence.Divergence) *place {
	if len(d.Path) == 0 || v.r.Sites == nil || d.Path[0].Func < 0 || d.Path[0].Func >= len(v.r.Sites.Funcs) {
		return nil
	}
	fn := v.r.Sites.Funcs[d.Path[0].Func]
	if fn.File < 0 || fn.File >= len(v.r.Sites.Files) {
		return nil
	}
	return &place{File: v.r.Sites.Files[fn.File].Path, Start: fn.Line, End: fn.Line, Func: d.Path[0].Func}
}

// starter returns the library function that started g, "" if it is not known.
func starter(spawn string, g *trace.Goroutine) string {
	if strings.HasPrefix(spawn, "runtime.") {
		return "" // runtime.newproc starts them all
	}
	if spawn != "" {
		return spawn
	}
	if g == nil {
		return ""
	}
	name, _, _ := strings.Cut(g.Entry.Func, ".func")
	return name
}

// funcName shortens "example.com/m/p.(*T).Method" to "p.(*T).Method".
func (v *viewer) funcName(s string) string {
	s = withoutTypeArguments(s)
	return v.clean.line(s[strings.LastIndexByte(s, '/')+1:], 80)
}

// withoutTypeArguments writes "[...]" for the type arguments in the name of a function,
// as the runtime does in stacks: they are long, and have slashes and dots of their own.
func withoutTypeArguments(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		if r == '[' {
			if depth++; depth == 1 {
				b.WriteString("[...]")
			}
		}
		if depth == 0 {
			b.WriteRune(r)
		}
		if r == ']' {
			depth = max(0, depth-1)
		}
	}
	return b.String()
}

// maxGoroutines is how many of them are told of: when a server did not start,
// dozens of its goroutines are missing, and all for one reason.
const maxGoroutines = 4

// parent appends where the goroutine was started that started one of a class.
func (v *viewer) parent(p prose, class []trace.Frame) prose {
	if len(class) < 2 {
		return p
	}
	frame := class[len(class)-2]
	at, own := v.src.frame(frame)
	if !own && frame.Func != "" {
		return p.text(" in one started by ").code(v.funcName(frame.Func))
	}
	return v.place(p.text(" in one started at "), at)
}

// oneOf says which goroutine it is, of several that were started alike.
func oneOf(what string, d divergence.GoroutineDiff) string {
	if d.Of < 2 {
		return what
	}
	return "The " + ordinal(int64(d.Nth)) + " goroutine"
}

// goroutines says which goroutines were found on one side only.
func (v *viewer) goroutines(diffs []divergence.GoroutineDiff, failing bool) []prose {
	var out []prose
	times := map[string]int{} // how often a sentence was due: loops start many alike
	for _, d := range diffs {
		if len(out) == maxGoroutines {
			return append(out, say("And more like these."))
		}
		p := say("A goroutine of the test's own")
		if len(d.Class) > 0 {
			frame := d.Class[len(d.Class)-1]
			at, own := v.src.frame(frame)
			if by := starter(frame.Func, d.Goroutine); !own && by != "" {
				p = say(oneOf("A goroutine", d) + v.byLibrary(d.Of, d.Class)).code(v.funcName(by))
			} else {
				p = v.place(say(oneOf("The goroutine", d)+" started at "), at)
			}
		}
		if d.Goroutine != nil && d.Goroutine.Entry.Func != "" {
			p = p.text(" (").code(v.funcName(d.Goroutine.Entry.Func)).text(")")
		}
		p = v.parent(p, d.Class)
		t := d.Table
		has := fmt.Sprintf("and ran before the failure in %d of %s", t.FailTaken, plural(t.FailTaken+t.FailNot, "failing run"))
		not := fmt.Sprintf("in %d of %s", t.PassTaken, plural(t.PassTaken+t.PassNot, "passing run"))
		if failing {
			p = p.text(" was started " + has + ", and was started and ran " + not + ".")
		} else {
			p = p.text(" was started and ran before the last divergence " + not + ", " + has + ".")
		}
		if times[p.Plain()]++; times[p.Plain()] == 1 {
			out = append(out, p)
		}
	}
	for i, p := range out {
		if n := times[p.Plain()]; n > 1 {
			out[i] = p.text(fmt.Sprintf(" There are %d like it.", n))
		}
	}
	return out
}
