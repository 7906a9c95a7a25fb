package source

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/trace/instrument"
)

// A script is a module of testdata, instrumented and indexed.
//
// A comment "want writes(s.n ++)" names all operations that begin in its line, except reads,
// calls, inits and returns. If it names one of these, it names all of its kind. "untyped" instead
// of "want" is for missing types. A line without a comment has none. "@name" gives a line a name.
type script struct {
	t     *testing.T
	x     *Index
	typed bool
	marks map[string]string // "m.go:12", by name
	dir   string
}

// TestIndex runs the scripts in testdata, with types and without. With -short, it uses kept types
// only for every fourth script.
func TestIndex(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for i, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		write(t, dir, a)
		plan, err := instrument.Prepare(context.Background(), instrument.Config{
			Dir: dir, Patterns: []string{"./..."}, Out: t.TempDir(),
		})
		if err != nil {
			t.Fatal(file, err)
		}
		for _, how := range []string{"typed", "untyped", "kept"} {
			typed := how != "untyped"
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + how
			t.Run(name, func(t *testing.T) {
				if testing.Short() && how == "kept" && i%4 != 0 {
					t.Skip("those of a fourth are enough")
				}
				cfg := Config{Dir: dir, Sites: plan.Sites}
				if how == "kept" {
					cfg.Known = keptOf(t, cfg)
				}
				if how != "typed" {
					cfg.Dir = filepath.Join(dir, "gone")
				}
				x := Load(context.Background(), cfg)
				if x.Typed != typed || (x.Err == nil) != typed {
					t.Errorf("typed: %v, %v", x.Typed, x.Err)
				}
				s := &script{t, x, typed, make(map[string]string), dir}
				for _, f := range a.Files {
					s.lines(f)
				}
				for _, f := range a.Files {
					if f.Name == "questions" {
						s.questions(string(f.Data))
					}
				}
			})
		}
	}
}

var (
	wantRE = regexp.MustCompile(`// want (.*?)(?:// |$)`)
	elseRE = regexp.MustCompile(`// untyped (.*?)(?:// |$)`)
	markRE = regexp.MustCompile(`// @(\w+)`)
	opRE   = regexp.MustCompile(`(\w+)\(([^()]*)\)`)
)

// lines compares the operations in the lines of a file with their comments.
func (s *script) lines(f txtar.File) {
	if !strings.HasSuffix(f.Name, ".go") || strings.HasPrefix(string(f.Data), "// only asked") {
		return
	}
	for i, text := range strings.Split(string(f.Data), "\n") {
		if m := markRE.FindStringSubmatch(text); m != nil {
			s.marks[m[1]] = fmt.Sprintf("%s:%d", f.Name, i+1)
		}
		m := wantRE.FindStringSubmatch(text)
		if u := elseRE.FindStringSubmatch(text); u != nil && !s.typed {
			m = u
		}
		var want []string
		optional := map[string]bool{"reads": true, "calls": true, "inits": true, "returns": true}
		if m != nil {
			for _, op := range opRE.FindAllStringSubmatch(m[1], -1) {
				optional[op[1]] = false
				if op[2] != "none" {
					want = append(want, op[0])
				}
			}
		}
		var got []string
		for _, o := range s.x.File(f.Name).ops {
			if s.x.Line(o.Node) == i+1 && !optional[o.Kind.String()] {
				got = append(got, opText(o))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			s.t.Errorf("%s:%d: %s\n got %s\nwant %s", f.Name, i+1, strings.TrimSpace(text), strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

// opText writes an operation as comments do: "writes(s.list[] append)". A question mark means
// that it is a guess, "deferred" that it is deferred.
func opText(o *Op) string {
	name := o.Name()
	if o.Elem {
		name += "[]"
	}
	words := []string{name, o.How}
	if o.Value != 0 {
		words = append(words, o.Value.String())
	}
	if o.Maybe {
		words = append(words, "?")
	}
	if o.Deferred {
		words = append(words, "deferred")
	}
	if o.Kind == Read || o.Kind == Init || o.Kind == Return {
		words = []string{name}
	}
	return o.Kind.String() + "(" + strings.TrimSpace(strings.Join(words, " ")) + ")"
}

// block returns the first block that begins in a named line, or the last one that begins before
// it.
func (s *script) block(mark string) int {
	file, line, _ := strings.Cut(s.marks[mark], ":")
	best, at := 0, 0
	for b := 1; b < len(s.x.sites.Blocks); b++ {
		span, _ := s.x.sites.Pos(b)
		var n int
		fmt.Sscan(line, &n)
		if span.File == file && span.Start <= n && span.Start > at {
			best, at = b, span.Start
		}
	}
	if best == 0 {
		s.t.Fatalf("no line is called %s", mark)
	}
	return best
}

// op returns the only operation of a kind in a named line.
func (s *script) op(kind, mark string) *Op {
	file, _, _ := strings.Cut(s.marks[mark], ":")
	for _, o := range s.x.File(file).ops {
		if o.Kind.String() == kind && fmt.Sprintf("%s:%d", file, s.x.Line(o.Node)) == s.marks[mark] {
			return o
		}
	}
	s.t.Fatalf("%s has no operation that %s", mark, kind)
	return nil
}

// questions asks the questions in lines like "decides head: s.n max".
func (s *script) questions(text string) {
	for _, q := range strings.Split(strings.TrimSpace(text), "\n") {
		question, want, ok := strings.Cut(q, ":")
		if !ok {
			continue
		}
		w := strings.Fields(question)
		if w[0] == "typed" != s.typed && (w[0] == "typed" || w[0] == "untyped") {
			continue
		} else if w[0] == "typed" || w[0] == "untyped" {
			w = w[1:]
		}
		if got := s.answer(w); got != strings.TrimSpace(want) {
			s.t.Errorf("%s: got %s", q, got)
		}
	}
}

func (s *script) answer(w []string) string {
	switch w[0] {
	case "decides": // what the end of the block at a line looks at
		d := s.x.Decision(s.block(w[1]))
		if d == nil {
			return "nothing"
		}
		return s.texts(d.Looks)
	case "operands":
		var list []ast.Expr
		for _, e := range s.x.Decision(s.block(w[1])).Looks {
			list = append(list, s.x.operands(e)...)
		}
		return s.texts(list)
	case "flow": // the same, without reads
		var list []string
		for _, o := range s.x.Flow(12, s.x.Decision(s.block(w[1])).Looks...) {
			if o.Kind == Draw || o.Kind == Limit || o.Kind == Wait {
				list = append(list, fmt.Sprintf("%s:%d", o.How, s.x.Line(o.Node)))
			}
		}
		return strings.Join(list, ", ")
	case "from": // its reads
		var list []string
		for _, o := range s.x.Flow(12, s.x.Decision(s.block(w[1])).Looks...) {
			if o.Kind == Read && !slices.Contains(list, o.Name()) {
				list = append(list, o.Name())
			}
		}
		return strings.Join(list, ", ")
	case "origins": // of an expression in a line, in runs of all tests, or of the others
		var n int
		fmt.Sscan(w[1], &n)
		e := s.x.Expr("m_test.go", n, strings.ReplaceAll(w[2], "_", " "))
		if e == nil {
			return "no such expression"
		}
		var ran func(block int) bool
		if len(w) > 4 && w[3] == "without" {
			ran = func(b int) bool { return s.x.sites.Funcs[s.x.sites.Blocks[b].Func].Name != w[4] }
		}
		var list []string
		for _, o := range s.x.Origins(e, ran) {
			list = append(list, fmt.Sprintf("%s:%d", o.Origin, s.x.Line(o.Node)))
		}
		return strings.Join(list, ", ")
	case "polls":
		return fmt.Sprint(s.x.Polls(s.block(w[1])))
	case "check":
		file, line, _ := strings.Cut(s.marks[w[1]], ":")
		var n int
		fmt.Sscan(line, &n)
		return s.texts(s.x.Check(file, n))
	case "drawn": // of a kind, after the event of the block at a line: the lines
		var list []string
		for _, o := range s.x.Drawn(s.block(w[2]), func(o *Op) bool { return strings.Contains(o.How, w[1]) }) {
			list = append(list, fmt.Sprint(s.x.Line(o.Node)))
		}
		return cmp.Or(strings.Join(list, ", "), "none")
	case "ranges": // of a sync.Map that the block at a line may have seeded
		var list []string
		for _, o := range s.x.Ranges(s.block(w[1])) {
			list = append(list, fmt.Sprint(s.x.Line(o.Node)))
		}
		return cmp.Or(strings.Join(list, ", "), "none")
	case "locked": // the locks that a line runs under
		file, line, _ := strings.Cut(s.marks[w[1]], ":")
		var n int
		fmt.Sscan(line, &n)
		var list []string
		for _, o := range s.x.Locked(file, n) {
			list = append(list, o.Name())
		}
		return cmp.Or(strings.Join(list, ", "), "none")
	case "enders":
		var list []string
		for _, o := range s.x.Enders(s.op("waits", w[1])) {
			list = append(list, fmt.Sprintf("%s:%d", o.How, s.x.Line(o.Node)))
		}
		return strings.Join(list, ", ")
	case "writers": // of what an operation of a kind in a line is on: the lines
		var list []string
		for _, o := range writers(s.x, s.op(w[1], w[2])) {
			list = append(list, fmt.Sprint(s.x.Line(o.Node)))
		}
		return strings.Join(list, ", ")
	case "callers":
		var list []string
		for _, o := range s.x.Of(s.op("calls", w[1]).Obj(), Call, Go, Defer) {
			list = append(list, fmt.Sprint(s.x.Line(o.Node)))
		}
		return strings.Join(list, ", ")
	case "apart":
		return fmt.Sprint(s.x.Apart(s.op("writes", w[1]), s.op("writes", w[2])))
	case "shared":
		return fmt.Sprint(s.x.Shared(s.op("writes", w[1]).Obj()))
	case "block": // the operations of a kind in a block
		var list []string
		for _, o := range s.x.Block(s.block(w[2])) {
			if o.Kind.String() == w[1] {
				list = append(list, opText(o))
			}
		}
		return strings.Join(list, " ")
	}
	s.t.Fatal("unknown question", w)
	return ""
}

func (s *script) texts(list []ast.Expr) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, s.x.Text(e))
	}
	return strings.Join(texts, ", ")
}

// TestNoFile uses an index without files.
func TestNoFile(t *testing.T) {
	x := Load(context.Background(), Config{Dir: t.TempDir(), Sites: write(t, t.TempDir(), txtar.Parse([]byte("-- m.go --\npackage"))), Read: os.ReadFile})
	if x.Typed || x.Err == nil || x.Block(1) != nil || x.Decision(1) != nil || x.Check("m.go", 1) != nil {
		t.Errorf("%+v", x)
	}
}

// writers returns the operations that may change what an operation is on: all of it, a part of
// it, or what it is a part of. It leaves out those on other structs.
func writers(x *Index, o *Op) []*Op {
	var list []*Op
	on := slices.Clone(o.Path)
	if o.Elem {
		on = append(on, x.standsFor(o.Obj())[1:]...)
	}
	for i, obj := range on {
		for _, w := range x.Of(obj, Write) {
			whole := w.Obj() == obj || slices.Contains(x.aliases(obj), w.Obj())
			if (whole || i >= len(o.Path)-1) && !x.Apart(o, w) && !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	slices.SortStableFunc(list, byPos)
	return list
}
