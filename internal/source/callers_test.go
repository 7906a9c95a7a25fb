package source

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace/instrument"
)

const callersModule = `-- go.mod --
module example.com/m

go 1.25
-- other/other.go --
package other

func Open() {}

var Run = func(f func()) { f() }
-- m.go --
package m

import (
	"sort"

	"example.com/m/other"
)

type T struct{ field func() }

type closer interface{ Close() }

var start = Open()

func Open() *T { println(); return &T{} }

func (t *T) Close() { println() }

func init() { println() }

func use(f func()) { f() }

func plain(t *T, c closer, local func()) {
	if c != nil { Open() }
	if c != nil { t.Close() }
	if c != nil { c.Close() }
	if c != nil { other.Open() }
	if c != nil { sort.Ints(nil) }
	if c != nil { local() }
	if c != nil { t.field() }
	if c != nil { use(t.Close) }
	if c != nil { func() { println() }() }
	if c != nil { _ = []int(nil) }
	for i := 0; i < t.n(); i++ {
		println(i)
	}
	defer Open()
	if c != nil { Open(); Open() }
	if c != nil {
		println(Open(),
			Open())
	}
}

func (t *T) n() int { return 0 }
-- m_test.go --
package m

import "testing"

func TestX(t *testing.T) {}
`

// A callersCase is a call path by functions and the lines of their blocks: "plain Open()", then "Open".
type callersCase struct {
	name    string
	calls   []string
	initial bool
	want    string
}

var callersCases = []callersCase{
	{"a call", []string{"plain { Open() }", "Open"}, false, "plain Open<24"},
	{"a method", []string{"plain { t.Close() }", "(*T).Close"}, false, "plain (*T).Close<25"},
	{"a method of an interface", []string{"plain { c.Close() }", "(*T).Close"}, false, "plain (*T).Close<26"},
	{"of another package", []string{"plain { other.Open() }", "other.Open"}, false, "plain other.Open<27"},
	{"after one that has returned", []string{"plain { t.Close() }", "use", "(*T).Close"}, false, "plain (*T).Close<25"},
	{"by the standard library", []string{"plain { sort.Ints", "(*T).Close"}, false, "plain (*T).Close<28"},
	{"by it, from either of two", []string{"plain { sort.Ints", "plain { sort.Ints", "(*T).Close"}, false,
		"plain plain<28 (*T).Close"},
	{"a function value", []string{"plain { local()", "init.0"}, false, "plain init.0<29"},
	{"in a field", []string{"plain { t.field()", "init.0"}, false, "plain init.0<30"},
	{"an argument", []string{"plain { use(", "(*T).Close"}, false, "plain (*T).Close<31"},
	{"a literal", []string{"plain { func()", "plain.func1"}, false, "plain plain.func1<32"},
	{"nobody", []string{"plain { _ = []int", "use"}, false, "plain use"},
	{"at the head of a loop", []string{"plain println(i)", "(*T).n"}, false, "plain (*T).n<34"},
	{"deferred", []string{"plain { _ = []int", "use", "Open"}, false, "plain Open<37"},
	{"twice in a line", []string{"plain { Open(); Open() }", "Open"}, false, "plain Open<38"},
	{"in either of two lines", []string{"plain println(Open()", "Open"}, false, "plain Open<0"},
	{"a variable", []string{"use", "Open"}, true, "Open<13"},
	{"an init function", []string{"Open", "init.0"}, true, "init.0"},
	{"damaged", []string{"", "use", "Open"}, false, "use Open"},
}

// TestCallers asks who called the functions of call paths, with types and without.
func TestCallers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir, archive := t.TempDir(), txtar.Parse([]byte(callersModule))
	write(t, dir, archive)
	plan, err := instrument.Prepare(context.Background(), instrument.Config{
		Dir: dir, Patterns: []string{"./..."}, Out: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(archive.Files[2].Data)
	for _, from := range []string{dir, path.Join(dir, "gone")} {
		x := Load(context.Background(), Config{Dir: from, Sites: plan.Sites})
		for _, c := range callersCases {
			var calls []divergence.Call
			for _, name := range c.calls {
				calls = append(calls, callIn(x, text, name))
			}
			var got []string
			for _, s := range x.Callers(calls, c.initial) {
				name := x.sites.Funcs[s.Func].Name
				if s.Func == callIn(x, text, "other.Open").Func {
					name = "other.Open"
				}
				if s.From.File != "" {
					name += fmt.Sprint("<", s.From.Line)
				}
				got = append(got, name)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s (typed: %v): %s, want %s", c.name, x.Typed, strings.Join(got, " "), c.want)
			}
		}
	}
}

// callIn returns a function and the last block of it that starts in the line in which a text ends. Without a name it
// is out of range.
func callIn(x *Index, text, what string) divergence.Call {
	name, at, _ := strings.Cut(what, " ")
	file := "m.go"
	if rest, ok := strings.CutPrefix(name, "other."); ok {
		file, name = "other/other.go", rest
	}
	c := divergence.Call{Func: -1}
	for i, f := range x.sites.Funcs {
		if f.Name == name && x.sites.Files[f.File].Path == file {
			c.Func = i
		}
	}
	if at != "" {
		line := 1 + strings.Count(text[:strings.Index(text, at)], "\n") + strings.Count(at, "\n")
		for b := range x.sites.Blocks { // of two in a line, the inner one comes last
			if x.sites.Has(b) && x.sites.Blocks[b].Func == c.Func && x.sites.Blocks[b].StartLine == line {
				c.Block = b
			}
		}
	}
	return c
}
