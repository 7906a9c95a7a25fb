package diagnose

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A script is a file of testdata: a module, and what is known of failures of its
// test.
//
// A file whose name is no .go file and not go.mod is a case: what is known, in the
// notation of notation_test.go. A comment "// want CASE: ORDER REASON CLASS LINK"
// says which hypothesis names its line in a case, "CASE: ..., LINES lines" if it is
// several from there on, "CASE: ..., checked" if the failed check measures a time; ";" divides cases. A line without one is
// not named. A comment "// @NAME" gives a line a name.
//
// In RULE.txtar only that rule looks, in others all do, and each hypothesis begins
// with its place in the ranking.
type script struct {
	rule   string // "" for all
	root   string
	sites  *trace.Sites
	source *source.Index
	marks  map[string]mark
	want   map[string]map[string]string // hypotheses, by case and line
}

// A mark is a line that has a name: its place, and where its text begins.
type mark struct {
	file      string
	line, col int
}

func (m mark) String() string { return fmt.Sprintf("%s:%d", m.file, m.line) }

func TestScript(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := load(t, name, a)
			for _, f := range a.Files {
				if filepath.Ext(f.Name) == "" {
					t.Run(f.Name, func(t *testing.T) { s.run(t, f.Name, string(f.Data)) })
				}
			}
		})
	}
}

// TestEachRuleHasAScript finds no rule without cases of its own.
func TestEachRuleHasAScript(t *testing.T) {
	for _, r := range Rules() {
		if _, err := os.Stat("testdata/" + r.Name + ".txtar"); err != nil {
			t.Error(err)
		}
		if r.Doc == "" {
			t.Errorf("%s has no documentation", r.Name)
		}
	}
}

var (
	wantRE = regexp.MustCompile(`// want (.*?)(?: // |$)`)
	markRE = regexp.MustCompile(`// @(\S+)`)
)

// load writes the module of a script and indexes it.
func load(t *testing.T, name string, a *txtar.Archive) *script {
	s := &script{root: t.TempDir(), marks: make(map[string]mark), want: make(map[string]map[string]string)}
	if slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == name }) {
		s.rule = name
	}
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == "" {
			s.want[f.Name] = make(map[string]string)
			continue
		}
		if err := os.WriteFile(filepath.Join(s.root, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range a.Files {
		s.comments(t, f)
	}
	plan, err := instrument.Prepare(context.Background(), instrument.Config{
		Dir: s.root, Patterns: []string{"./..."}, Out: t.TempDir(), Cache: t.TempDir(), Runtime: instrument.RuntimeModule,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.sites = plan.Sites
	s.source = source.Load(context.Background(), source.Config{Dir: s.root, Sites: s.sites})
	if !s.source.Typed {
		t.Fatal(s.source.Err)
	}
	return s
}

// comments takes in what the comments of a file say.
func (s *script) comments(t *testing.T, f txtar.File) {
	if filepath.Ext(f.Name) != ".go" {
		return
	}
	for i, text := range strings.Split(string(f.Data), "\n") {
		at := mark{f.Name, i + 1, len(text) - len(strings.TrimLeft(text, "\t")) + 1}
		if m := markRE.FindStringSubmatch(text); m != nil {
			s.marks[m[1]] = at
		}
		m := wantRE.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for _, w := range strings.Split(m[1], ";") {
			name, hypothesis, ok := strings.Cut(w, ":")
			if name = strings.TrimSpace(name); !ok || s.want[name] == nil {
				t.Fatalf("%v: there is no case %q", at, name)
			}
			s.want[name][at.String()] = strings.TrimSpace(hypothesis)
		}
	}
}

// run compares what is named in a case with what is wanted.
func (s *script) run(t *testing.T, name, text string) {
	in := s.input(t, text)
	for _, r := range Rules() {
		if s.rule != "" && r.Name != s.rule {
			in.Without = append(in.Without, r.Name)
		}
	}
	got := make(map[string]string)
	for i, h := range Find(in) {
		words := strings.TrimSpace(fmt.Sprintf("%s %s %v %v", h.Rule, h.Reason.Kind(), h.Class, h.Link))
		if l, ok := h.Reason.(limited); ok && l.checked {
			words += ", checked"
		}
		if h.End > h.Start {
			words += fmt.Sprintf(", %d lines", h.End-h.Start+1)
		}
		if s.rule == "" {
			words = fmt.Sprintf("%d %s", i+1, words)
		}
		got[fmt.Sprintf("%s:%d", h.File, h.Start)] = words
	}
	if s.rule == "draw" {
		s.told(t, in, got)
	}
	want := s.want[name]
	for _, at := range slices.Sorted(maps.Keys(got)) {
		if want[at] != got[at] {
			t.Errorf("%s: %s: got %q, want %q", name, at, got[at], want[at])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(want)) {
		if got[at] == "" {
			t.Errorf("%s: %s: got nothing, want %q", name, at, want[at])
		}
	}
}

// told compares the values that are told of with those that are named.
func (s *script) told(t *testing.T, in Input, named map[string]string) {
	told := make(map[string]bool)
	for _, d := range Told(in) {
		told[fmt.Sprintf("%s:%d", filepath.Base(d.At.File), d.At.Line)] = true
	}
	for _, d := range in.Failure.Data {
		at := fmt.Sprintf("%s:%d", filepath.Base(d.At.File), d.At.Line)
		if want := named[at] != "" || d.Kind != finding.DataValue; told[at] != want {
			t.Errorf("%s: told of: %t, want %t", at, told[at], want)
		}
	}
}
