package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A vocable has a name in the field, or in this project. Its old name must not come back: not in
// identifiers, and not in what users read.
type vocable struct {
	old string // regular expression
	new string
	in  string // directory whose identifiers it is about; "" for all
}

// old has the expressions, compiled once.
var old = sync.OnceValue(func() map[string]*regexp.Regexp {
	list := make(map[string]*regexp.Regexp)
	for _, x := range identifiers {
		list[x.old] = regexp.MustCompile("^(?i:" + x.old + ")$")
	}
	for _, x := range phrases {
		list[x.old] = regexp.MustCompile(x.old)
	}
	return list
})

// identifiers are matched as whole words in an identifier: spotStat has the words spot and stat.
var identifiers = []vocable{
	{"halfway", "inProgress", ""},
	{"often", "countThreshold", "divergence"},
	{"meanwhile", "concurrent", ""},
	{"together", "overlapping", ""},
	{"lingering", "leakedGoroutine", ""},
	{"turns", "lastWriter", "divergence"},
	{"held", "waitTime", "divergence"},
	{"quiet", "callFree", "trace/instrument"},
	{"farms?", "shadow", ""},
	{"linetruth", "covercheck", ""},
	{"sightings?", "candidate", ""},
	{"spots?", "branchPoint", ""},
	{"ledger", "evidenceTable", ""},
	{"scout", "lookahead", ""},
	{"kids?", "children", ""},
	{"nest", "callStack", ""},
	{"parted", "diverged", ""},
}

// phrases are matched in string literals, templates and help texts.
var phrases = []vocable{
	{`\bparted\b`, "diverge", ""},
	{`(?i)data part`, "the values first differ at", ""},
	{`went round the loop`, "take another iteration", ""},
	{`did no more in this goroutine`, "end here", ""},
	{`\benters here`, "returned", ""},
	{`had not been done by then`, "had not run", ""},
	{`goe?s? with the outcome`, "predicts the outcome", ""},
	{`begins with what tests before it have left`, "its value depends on which test ran before", ""},
	{`without having to wait`, "no passing run had to wait here", ""},
	{`limit of time was reached first`, "the timeout fired first", ""},
	{`did not go the failing way`, "also took this branch", ""},
	{`more divergences? leads? to the failed check`, "a second divergence follows", ""},
	{`at about the same time as it is looked at`, "around the time", ""},
	{`knows nothing of order`, "Suspicious lines (Ochiai)", ""},
	{`How to go on`, "Next steps", ""},
	{`without failure mean that it helped`, "To check a fix", ""},
	{`gives the directory free`, "unlocks the directory", ""},
	{`(?i)way through the house`, "Architecture", ""},
}

// words splits an identifier: newSpotStat into new, spot and stat.
var words = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// TestIdentifiers looks for old names in all code of the module.
func TestIdentifiers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	eachFile(t, func(path string, text []byte) {
		if filepath.Ext(path) != ".go" {
			return
		}
		seen := make(map[string]bool)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !seen[id.Name] {
				seen[id.Name] = true
				if x := oldName(path, id.Name); x != nil {
					t.Errorf("%v: %s: say %s", fset.Position(id.Pos()), id.Name, x.new)
				}
			}
			return true
		})
	})
}

func oldName(path, name string) *vocable {
	list := words.FindAllString(name, -1)
	for i := range identifiers {
		x := &identifiers[i]
		if x.in != "" && filepath.ToSlash(filepath.Dir(path)) != x.in {
			continue
		}
		for _, w := range list {
			if old()[x.old].MatchString(w) {
				return x
			}
		}
	}
	return nil
}

// TestPhrases looks for old phrases in what users read. Comments in code do not count.
func TestPhrases(t *testing.T) {
	eachFile(t, func(path string, text []byte) {
		switch filepath.Ext(path) {
		case ".html", ".md", ".txt", ".js":
			if x := oldPhrase(string(text)); x != nil {
				t.Errorf("%s: %q: say %q", path, x.old, x.new)
			}
		case ".go":
			if strings.HasSuffix(path, "_test.go") {
				return
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				said, _ := strconv.Unquote(lit.Value)
				if x := oldPhrase(said); x != nil {
					t.Errorf("%v: %q: say %q", fset.Position(lit.Pos()), said, x.new)
				}
				return true
			})
		}
	})
}

func oldPhrase(text string) *vocable {
	text = strings.Join(strings.Fields(text), " ")
	for i := range phrases {
		if old()[phrases[i].old].MatchString(text) {
			return &phrases[i]
		}
	}
	return nil
}

// TestVocabulary shows what is found, and what is not.
func TestVocabulary(t *testing.T) {
	for name, want := range map[string]bool{
		"spotStat": true, "newLedger": true, "RuntimeFarm": true, "kids": true, "keepSightings": true,
		"nested": false, "honest": false, "skids": false, "spotless": false, "partition": false,
	} {
		if got := oldName("divergence/x.go", name) != nil; got != want {
			t.Errorf("%s: found %v", name, got)
		}
	}
	if oldName("divergence/x.go", "maxHeld") == nil || oldName("trace/x.go", "maxHeld") != nil {
		t.Error("held is a name of trace, and not one of divergence")
	}
	for text, want := range map[string]bool{
		"The data parted at x": true, "what goes\nwith the outcome": true, "runs diverge here": false, "it departed": false,
	} {
		if got := oldPhrase(text) != nil; got != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

// eachFile calls do for files of ours, without test data, the tests of this vocabulary, and the
// examples, which are about other things.
func eachFile(t *testing.T, do func(path string, text []byte)) {
	t.Helper()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "examples" || name != "." && strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || path == "cmd/fdebug/vocabulary_test.go" {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		do(path, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// clause begins a comment that describes a value by a clause, where a noun would name it.
var clause = regexp.MustCompile(`(?m)^\s*// \w+ (?:returns|is) (?:what|who|whom) .*`)

// mostClauses is how many such comments there may be. It may only fall.
const mostClauses = 100

// TestNouns counts them.
func TestNouns(t *testing.T) {
	found := make(map[string][]string)
	n := 0
	eachFile(t, func(path string, text []byte) {
		if strings.HasSuffix(path, ".go") {
			found[path] = clause.FindAllString(string(text), -1)
			n += len(found[path])
		}
	})
	if n <= mostClauses {
		return
	}
	for path, list := range found {
		for _, text := range list {
			t.Logf("%s: %s", path, strings.TrimSpace(text))
		}
	}
	t.Errorf("%d comments say what is returned by a clause, want at most %d: name the noun", n, mostClauses)
}
