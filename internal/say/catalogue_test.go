package say

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/lab/phrasing"
)

// A listed is a template or label as its file has it.
type listed struct {
	file, name, words string
	label             bool
}

// catalogue reads all templates and labels from the source of fdebug, so that none can be forgotten. They are calls of
// T and L with a literal.
func catalogue(t *testing.T) (list []listed) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "examples" || e.Name() == "_shadow" || file == root+"/.git") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			list = append(list, inFile(t, root, file)...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// inFile returns the templates and labels of a file.
func inFile(t *testing.T, root, file string) (list []listed) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	file, _ = filepath.Rel(root, file)
	name := ""
	ast.Inspect(tree, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			name = spec.Names[0].Name
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		of := ""
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if tree.Name.Name == "say" {
				of = f.Name
			}
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok && x.Name == "say" {
				of = f.Sel.Name
			}
		}
		if of == "T" || of == "L" {
			text, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: the words of %s are no literal", file, name)
				return true
			}
			words, _ := strconv.Unquote(text.Value)
			list = append(list, listed{filepath.ToSlash(file), name, words, of == "L"})
		}
		return true
	})
	return list
}

// How much there may be. A new sentence replaces one that says less.
const (
	maxTemplates     = 140
	maxLabels        = 140
	maxWords         = 20 // of a template, besides code
	maxWordsOfLabels = 8
)

var slots = regexp.MustCompile(`\{[^}]*\}`)

// TestCatalogue holds templates and labels to their limits.
func TestCatalogue(t *testing.T) {
	templates, labels := 0, 0
	seen := make(map[string]string)
	for _, x := range catalogue(t) {
		words, most := len(strings.Fields(slots.ReplaceAllString(x.words, ""))), maxWords
		if x.label {
			labels++
			most = maxWordsOfLabels
		} else {
			templates++
		}
		if words > most {
			t.Errorf("%s: %d words, want at most %d: %s", x.name, words, most, x.words)
		}
		if bad := phrasing.Forbidden.FindString(x.words); bad != "" {
			t.Errorf("%s says %q", x.name, bad)
		}
		if end := strings.TrimRight(x.words, ".:"); !x.label && end == x.words || x.label && end != x.words {
			t.Errorf("%s: a template is a sentence, and a label is none: %s", x.name, x.words)
		}
		if other := seen[x.words]; other != "" && !x.label {
			t.Errorf("%s and %s say the same", x.name, other)
		}
		seen[x.words] = x.name
	}
	t.Logf("%d templates, %d labels", templates, labels)
	if templates > maxTemplates {
		t.Errorf("%d templates, want at most %d", templates, maxTemplates)
	}
	if labels > maxLabels {
		t.Errorf("%d labels, want at most %d", labels, maxLabels)
	}
}

// example fills a template with values of the kinds that it asks for.
func example(words string) Sentence {
	s := Sentence{words: words}
	for i, slot := range slots.FindAllString(words, -1) {
		name, _, _ := strings.Cut(strings.Trim(slot, "{}"), " ")
		s.values = append(s.values, map[string]Value{
			"code": Code{Text: []string{"close(ch)", "x.Wait()"}[i%2], Place: fmt.Sprintf("f.go:%d", 12+i)}, "name": Name("TestA"), "count": Count(2 + i),
			"time": Duration(3100 * time.Microsecond), "percent": Percent(0.28), "low": Low(0.17), "date": Date(time.Date(2028, 2, 29, 23, 59, 0, 0, time.UTC)), "Fails": Fails, "number": Numbers{To: 46656, Limit: 1 << 20},
		}[name])
	}
	return s
}

// TestRead renders all that is said into one page, for a reader with an ear for English. What rules say is in their
// scripts.
func TestRead(t *testing.T) {
	var b strings.Builder
	file := ""
	for _, x := range catalogue(t) {
		if strings.HasPrefix(x.file, "internal/diagnose/") {
			continue
		}
		if x.file != file {
			file = x.file
			fmt.Fprintf(&b, "# %s\n", file)
		}
		fmt.Fprintf(&b, "%-16s %s\n", x.name, example(x.words))
	}
	if strings.Contains(b.String(), "%!") {
		t.Error("a template has a slot that no value fills")
	}
	golden.File(t, "testdata/catalogue.txt", b.String())
}

// A sentence is set in two ways, and values that are hostile stay values.
func TestSentence(t *testing.T) {
	s := Order.With(CanFail, Code{"<b>`x`|", "a.go:1", "#a"}, Code{Place: "b.go:2"}).Likely()
	for _, c := range []struct{ what, got, want string }{
		{"Markdown", s.Markdown(), "Likely: Can fail when `` <b>`x`| `` (`a.go:1`) runs before `b.go:2`."},
		{"plain", s.String(), "Likely: Can fail when `<b>`x`|` (a.go:1) runs before b.go:2."},
		{"nothing", Sentence{}.String(), ""},
		{"too few values", Hold.With(Fails).String(), "Fails when this goroutine is delayed here for %!time."},
		{"values of another kind", Hold.With(Fails, Count(3)).String(), "Fails when this goroutine is delayed here for %!time.%!extra"},
		{"too many values", Race.With(Count(3)).String(), "Data race: nothing orders these two accesses.%!extra"},
		{"one", Files.With(Fails, Count(1)).String(), "Fails with 1 file descriptor."},
		{"several", Files.With(Fails, Count(1064)).String(), "Fails with 1,064 file descriptors."},
		{"a limit as the source has it", FixLimit.With(Limit(1500*time.Millisecond), Code{Place: "a.go:1"}).String(), "Raise or remove the 1.5 s limit at a.go:1."},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
}

// Measured times have two digits, and shares a decimal where it matters.
func TestNumbers(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", 3141 * time.Microsecond: "3.1 ms", 25400 * time.Millisecond: "25 s", 98765 * time.Millisecond: "1m39s", 999 * time.Microsecond: "1 ms", 7: "7 ns"} {
		if got := TwoDigits(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	for p, want := range map[float64]string{0: "0%", 0.28: "28%", 0.071: "7.1%", 0.003: "0.3%", 0.5: "50%", 0.997: "99.7%", 1: "100%", 0.02: "2%"} {
		if got := percent(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}

// Code in Markdown cannot end its span, its block or its cell.
func TestMarkdown(t *testing.T) {
	if got, want := MarkdownCell("a|b`c"), "`` a\\|b`c ``"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := MarkdownBlock("go", "x\n```\n"), "````go\nx\n```\n````\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Escape("@a <b> #1 *c*"), "@\u2060a \\<b\\> \\#1 \\*c\\*"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
