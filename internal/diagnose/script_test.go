package diagnose

import (
	"context"
	"errors"
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
	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A script is a file of testdata: a package, and the facts about failures of its
// tests.
//
// A file whose name is no .go file is a case: what is known, in the
// notation of notation_test.go. A comment "// want CASE: ORDER REASON CLASS LINK"
// says which hypothesis names its line in a case, "CASE: ..., LINES lines" if it is
// several from there on, ";" divides cases. A line without one is
// not named. A comment "// @NAME" gives a line a name.
//
// In RULE.txtar only that rule looks, and the file "says" has what is said of the places that it names: -update writes
// that anew. In others all look, and each hypothesis begins with its place in the ranking.
type script struct {
	name   string
	rule   string       // "" for all
	file   string       // its own
	says   string       // as the file has it
	text   string       // as it is
	said   []string     // the same without the code
	files  []txtar.File // of the package, by path in the module
	cases  []txtar.File
	root   string // of the module with all packages
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
	var list []*script
	for _, file := range files {
		list = append(list, parseScript(t, file))
	}
	load(t, list)
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			for _, f := range s.cases {
				t.Run(f.Name, func(t *testing.T) { s.run(t, f.Name, string(f.Data)) })
			}
			s.compare(t)
		})
	}
}

// TestEachHasAScript finds no rule without documentation or cases of its own, and no kind of reasons without a case.
func TestEachHasAScript(t *testing.T) {
	says := ""
	for _, r := range Rules() {
		a, err := txtar.ParseFile("testdata/" + r.Name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		if r.Doc == "" {
			t.Errorf("%s has no documentation", r.Name)
		}
		for _, f := range a.Files {
			if f.Name == "says" {
				says += "\n" + string(f.Data)
			}
		}
	}
	for _, k := range kinds {
		why, _, _ := strings.Cut(k.why.With().String(), "%!")
		if !strings.Contains(says, "\n"+k.name+": "+why) {
			t.Errorf("no case is about %s: %s", k.name, why)
		}
	}
}

var (
	wantRE = regexp.MustCompile(`// want (.*?)(?: // |$)`)
	markRE = regexp.MustCompile(`// @(\S+)`)
)

// pkg returns the import path of the package.
func (s *script) pkg() string { return "example.com/m/" + s.name }

// parseScript reads a script.
func parseScript(t *testing.T, file string) *script {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), marks: make(map[string]mark), want: make(map[string]map[string]string)}
	if slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == s.name }) {
		s.rule = s.name
	}
	s.file = file
	for _, f := range a.Files {
		switch filepath.Ext(f.Name) {
		case "":
			if f.Name == "says" {
				s.says = string(f.Data)
				continue
			}
			s.cases = append(s.cases, f)
			s.want[f.Name] = make(map[string]string)
		case ".go":
			f.Name = s.name + "/" + f.Name
			s.files = append(s.files, f)
		}
	}
	for _, f := range s.files {
		s.comments(t, f)
	}
	return s
}

// load writes all scripts as packages of one module, and indexes it: what a package imports is then
// read once.
func load(t *testing.T, list []*script) {
	root := t.TempDir()
	write := func(name string, data []byte) {
		name = filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module example.com/m\n\ngo 1.24\n"))
	for _, s := range list {
		for _, f := range s.files {
			write(f.Name, f.Data)
		}
	}
	plan, err := instrument.Prepare(context.Background(), instrument.Config{
		Dir: root, Patterns: []string{"./..."}, Out: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	index := source.Load(context.Background(), source.Config{Dir: root, Sites: plan.Sites})
	if !index.Typed {
		t.Fatal(index.Err)
	}
	for _, s := range list {
		s.root, s.sites, s.source = root, plan.Sites, index
	}
}

// comments takes in the comments of a file.
func (s *script) comments(t *testing.T, f txtar.File) {
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

// run compares the places named in a case with the wanted ones.
func (s *script) run(t *testing.T, name, text string) {
	in := s.input(t, text)
	for _, r := range Rules() {
		if s.rule != "" && r.Name != s.rule {
			in.Without = append(in.Without, r.Name)
		}
	}
	got := make(map[string]string)
	list := Find(in)
	if s.rule != "" {
		s.hear(t, list)
	}
	for i, h := range list {
		words := strings.TrimSpace(fmt.Sprintf("%s %s %v %v", h.Rule, h.Reason.Kind(), h.Class, h.Link))
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

// compare compares what is said with what the file has.
func (s *script) compare(t *testing.T) {
	if s.rule != "" || s.says != "" {
		golden.Section(t, s.file, "says", s.text)
	}
}

// told compares the values that are told of with those that are named.
func (s *script) told(t *testing.T, in Input, named map[string]string) {
	told := make(map[string]bool)
	for _, d := range Told(in) {
		told[fmt.Sprintf("%s/%s:%d", s.name, filepath.Base(d.At.File), d.At.Line)] = true
	}
	for _, d := range in.Failure.Data {
		at := fmt.Sprintf("%s/%s:%d", s.name, filepath.Base(d.At.File), d.At.Line)
		if want := named[at] != "" || d.Kind != finding.DataValue; told[at] != want {
			t.Errorf("%s: told of: %t, want %t", at, told[at], want)
		}
	}
}
