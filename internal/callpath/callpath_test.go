package callpath

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

const source = `package m

import (
	"sort"

	"example.com/m/other"
)

type T struct{ field func() }

var start = Open()

func Open() *T { return &T{} }

func (t *T) Close() {}

func init() {}

func use(f func()) { f() }

func plain(t *T, local func()) {
	Open()
	t.Close()
	other.Open()
	other.Helper()
	sort.Ints(nil)
	local()
	t.field()
	t.Other()
	T(*t)
	len("")
	use(t.Close)
	func() { recover() }()
	[]int(nil)
	defer Open()
	Open()
}
`

const otherSource = `package other

func Open() {}
`

// tables makes a site table of the two files, with a block for each line of plain.
func tables(t *testing.T) (*Finder, map[string]int) {
	sources := map[string]string{"m.go": source, "other/other.go": otherSource}
	sites := &trace.Sites{
		Files:  []trace.File{{Path: "m.go", Name: "example.com/m/m.go"}, {Path: "other/other.go", Name: "example.com/m/other/other.go"}},
		Blocks: make([]trace.Block, 1),
	}
	funcs := map[string]int{}
	add := func(file int, name, head string, more int) {
		text := sources[sites.Files[file].Path]
		i := strings.Index(text, head)
		if i < 0 {
			t.Fatalf("no %q", head)
		}
		line := 1 + strings.Count(text[:i], "\n")
		funcs[name] = len(sites.Funcs)
		sites.Funcs = append(sites.Funcs, trace.Func{File: file, Name: name, Line: line, End: line + more})
	}
	add(0, "Open", "func Open", 0)
	add(0, "(*T).Close", "func (t *T) Close", 0)
	add(0, "init.0", "func init", 0)
	add(0, "use", "func use", 0)
	add(0, "plain", "func plain", 16)
	add(0, "plain.func1", "func() { rec", 0)
	add(1, "other.Open", "func Open", 0)
	parse := func(path string) (*token.FileSet, *ast.File) {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, path, sources[path], parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
		}
		return fset, tree
	}
	return &Finder{Sites: sites, Parse: parse}, funcs
}

// blockAt adds a block that is the line of plain with the given text.
func blockAt(f *Finder, fn int, text string) int {
	i := strings.Index(source, "\t"+text+"\n")
	line := 1 + strings.Count(source[:i], "\n")
	f.Sites.Blocks = append(f.Sites.Blocks, trace.Block{Func: fn, StartLine: line, StartCol: 2, EndLine: line, EndCol: 2 + len(text)})
	return len(f.Sites.Blocks) - 1
}

// TestFit checks the fit of a call for each function.
func TestFit(t *testing.T) {
	f, funcs := tables(t)
	for _, c := range []struct {
		call  string
		named string // functions whose name it has
		other fit    // for all others
	}{
		{"Open()", "Open", no},
		{"t.Close()", "(*T).Close", callback},
		{"other.Open()", "other.Open", no},
		{"other.Helper()", "", dynamic},
		{"sort.Ints(nil)", "", callback},
		{"local()", "", dynamic},
		{"t.field()", "", dynamic},
		{"t.Other()", "", callback},
		{"T(*t)", "", no},
		{`len("")`, "", no},
		{"use(t.Close)", "use", no}, // Close is passed: dynamic
		{"func() { recover() }()", "plain.func1", no},
		{"[]int(nil)", "", no},
	} {
		step := Step{Call: divergence.Call{Func: funcs["plain"], Block: blockAt(f, funcs["plain"], c.call)}}
		for name, fn := range funcs {
			want := c.other
			switch {
			case name == c.named:
				want = named
			case name == "(*T).Close" && c.call == "use(t.Close)":
				want = dynamic
			}
			got := no
			for _, g := range f.grades(step, fn) {
				if g.line == f.Sites.Blocks[step.Block].StartLine {
					got = g.fit
				}
			}
			if got != want {
				t.Errorf("%s as a call of %s: fit %d, want %d", c.call, name, got, want)
			}
		}
	}
}

// The events of the path look as if each function had called the next.
func TestPath(t *testing.T) {
	f, funcs := tables(t)
	call := func(name, text string) divergence.Call {
		c := divergence.Call{Func: funcs[name]}
		if text != "" {
			c.Block = blockAt(f, funcs[name], text)
		}
		return c
	}
	last := blockAt(f, funcs["plain"], "Open()")
	f.Sites.Blocks[last].StartLine, f.Sites.Blocks[last].EndLine = 36, 36 // the second one
	closing := blockAt(f, funcs["plain"], "t.Close()")
	for _, c := range []struct {
		name    string
		calls   []divergence.Call
		initial bool
		want    string
	}{
		{"a call", []divergence.Call{call("plain", "Open()"), call("Open", "")}, false, "plain Open<plain:22"},
		{"after one that has returned", []divergence.Call{call("plain", "t.Close()"), call("use", ""), call("(*T).Close", "")}, false, "plain (*T).Close<plain:23"},
		{"deferred", []divergence.Call{call("plain", "len(\"\")"), call("use", ""), call("Open", "")}, false, "plain Open<plain:35"},
		{"called or deferred", []divergence.Call{{Func: funcs["plain"], Block: last}, call("(*T).Close", ""), call("Open", "")}, false, "plain Open<plain"},
		{"nobody", []divergence.Call{call("plain", "[]int(nil)"), call("use", "")}, false, "plain use"},
		{"of another package", []divergence.Call{call("plain", "other.Open()"), call("other.Open", "")}, false, "plain other.Open<plain:24"},
		{"a variable", []divergence.Call{call("use", ""), call("Open", "")}, true, "Open<var:11"},
		{"an init function", []divergence.Call{call("Open", ""), call("init.0", "")}, true, "init.0"},
		{"by the standard library", []divergence.Call{{Func: funcs["plain"], Block: blockAt(f, funcs["plain"], "sort.Ints(nil)")}, call("(*T).Close", "")}, false, "plain (*T).Close<plain:26"},
		{"by it, from either of two", []divergence.Call{call("plain", "sort.Ints(nil)"), call("plain", "sort.Ints(nil)"), call("(*T).Close", "")}, false, "plain plain<plain:26 (*T).Close"},
		{"damaged", []divergence.Call{{Func: 99, Block: 99}, {Func: -1}, {Func: funcs["use"], Block: closing}, call("Open", "")}, false, "use Open"},
	} {
		var got []string
		for _, s := range f.Path(c.calls, c.initial) {
			text := f.Sites.Funcs[s.Func].Name
			if s.From != nil {
				text += "<" + where(f, s.From)
			}
			got = append(got, text)
		}
		want := c.want
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, " "), want)
		}
	}
}

func where(f *Finder, p *Place) string {
	name := "var"
	if p.Func >= 0 {
		name = f.Sites.Funcs[p.Func].Name
	}
	if p.Line > 0 {
		name += fmt.Sprint(":", p.Line)
	}
	return name
}
