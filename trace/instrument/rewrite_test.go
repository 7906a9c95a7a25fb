package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/trace"
)

// rewriteAlone rewrites one file as a package of its own.
func rewriteAlone(t testing.TB, name string, src []byte) ([]byte, *trace.Sites) {
	t.Helper()
	fset, f, err := parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	sites := &trace.Sites{Blocks: make([]trace.Block, 1)}
	names := chooseNames([][]byte{src})
	names.noCalls = noCalls
	names.callFree, names.declared = true, declaredBy([]*ast.File{f})
	return rewrite(sites, trace.File{Path: name}, fset, f, src, names), sites
}

// The inputs are not called .go, because they are not gofmt'd, on purpose.
func TestRewriteGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/rewrite/*.src")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := rewriteAlone(t, name, src)
			checkInsertions(t, name, src, got)
			golden.File(t, strings.TrimSuffix(name, ".src")+".golden", string(got))
		})
	}
}

// TestRewriteStd rewrites much real code.
func TestRewriteStd(t *testing.T) {
	src := filepath.Join(goEnv(t, "GOROOT"), "src")
	n := 0
	for _, pattern := range []string{"go/*/*.go", "net/http/*.go", "encoding/*/*.go", "testing/*.go", "cmd/compile/internal/syntax/testdata/*.go"} {
		files, err := filepath.Glob(filepath.Join(src, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range files {
			if testing.Short() && i%4 != 0 {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := parse(name, text); err != nil {
				continue // in testdata
			}
			got, sites := rewriteAlone(t, name, text)
			checkInsertions(t, name, text, got)
			checkSites(t, name, text, sites)
			n++
		}
	}
	want := 300
	if testing.Short() {
		want /= 4
	}
	if n < want {
		t.Errorf("only %d files", n)
	}
}

// TestLarge looks at the probes of functions on both sides of the limit, and of a small one in the large one.
func TestLarge(t *testing.T) {
	const literal = "\tdefer func() { for x > 0 { x-- } }()\n"
	for cases, large := range map[int]bool{100: false, 1000: true} {
		src := "package p\nfunc f(x int) (n int) {\n" + literal + "\tswitch x {\n"
		for i := range cases {
			src += fmt.Sprintf("\tcase %d:\n\t\tif n > 1 {\n\t\t\treturn 2\n\t\t}\n\t\tn++\n", i)
		}
		got, sites := rewriteAlone(t, "f.go", []byte(src+"\t}\n\treturn\n}\n"))
		if got, want := len(sites.Blocks)-1, 3*cases+5; got != want {
			t.Errorf("%d cases: %d blocks, want %d", cases, got, want)
		}
		// The two probes of the literal are inlined anyway.
		if inlined := bytes.Count(got, []byte("fdebugrt.Put")); large != (inlined == 2) {
			t.Errorf("%d cases: %d probes are inlined", cases, inlined)
		}
	}
}

// FuzzRewrite rewrites everything that parses.
func FuzzRewrite(f *testing.F) {
	files, err := filepath.Glob("testdata/rewrite/*.src")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for seed := range uint64(3) {
		f.Add([]byte(randomProgram(seed)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, _, err := parse("x.go", src); err != nil {
			t.Skip()
		}
		got, sites := rewriteAlone(t, "x.go", src)
		checkInsertions(t, "x.go", src, got)
		checkSites(t, "x.go", src, sites)
	})
}

// checkInsertions checks that a rewritten file parses, that it has the lines of
// the original, and that it is the original without the probes.
func checkInsertions(t *testing.T, name string, src, got []byte) {
	t.Helper()
	if got == nil {
		return
	}
	if _, err := parser.ParseFile(token.NewFileSet(), name, got, parser.SkipObjectResolution); err != nil {
		t.Errorf("%s: %v\n%s", name, err, got)
	}
	if g, w := bytes.Count(got, []byte("\n")), bytes.Count(src, []byte("\n")); g != w {
		t.Errorf("%s: %d lines, want %d", name, g, w)
	}
	names := chooseNames([][]byte{src})
	probes := regexp.MustCompile(strings.NewReplacer("PKG", names.pkg, "POS", names.pos).Replace(
		`; import PKG "fdebugrt"|PKG\.(?:At|Leaf)\(\d+\);|` +
			`;if PKG\.Full\(\){PKG\.(At|MarkAt)\(\d+\)}else{PKG\.(Put|Mark)\(\d+\)};|` +
			`;if PKG\.Last\(\){PKG\.After\(\d+\)}else{PKG\.PutAfter\(\d+\)};|` +
			`;if PKG\.Full2\(\){PKG\.At2\(\d+,\d+\)}else{PKG\.Put2\(\d+,\d+\)};|` +
			`POS:=PKG\.Here\(\);|;if POS==PKG\.End\(\){POS=PKG\.Next\(POS,\d+\)};POS=PKG\.PutAt\(POS,\d+\);|` +
			`;if POS\+4>=PKG\.End\(\){POS=PKG\.Next2\(POS,\d+,\d+\)}else{POS=PKG\.Put2At\(POS,\d+,\d+\)};|` +
			`;?PKG\.Keep\(POS\);?`))
	if rest := probes.ReplaceAll(got, nil); !sameButElse(rest, src) {
		t.Errorf("%s: without the probes it is\n%s", name, rest)
	}
}

// sameButElse reports whether got is want, except for the braces in else{if ...}.
func sameButElse(got, want []byte) bool {
	i := 0
	for _, c := range got {
		if i < len(want) && want[i] == c {
			i++
		} else if c != '{' && c != '}' {
			return false
		}
	}
	return i == len(want)
}

// checkSites checks that the file contains the blocks, in the order of their functions, and at
// least one for each function.
func checkSites(t *testing.T, name string, src []byte, sites *trace.Sites) {
	t.Helper()
	lines := bytes.Count(src, []byte("\n")) + 1
	has := make(map[int]bool)
	for i, b := range sites.Blocks[1:] {
		f := sites.Funcs[b.Func]
		has[b.Func] = true
		if b.StartLine < f.Line || b.EndLine > f.End || b.EndLine > lines ||
			!(place{b.StartLine, b.StartCol}.before(place{b.EndLine, b.EndCol})) && b.Stmts > 0 {
			t.Errorf("%s: block %d is %+v in %+v", name, i+1, b, f)
		}
	}
	if len(has) != len(sites.Funcs) {
		t.Errorf("%s: %d functions, %d of them with blocks", name, len(sites.Funcs), len(has))
	}
}
