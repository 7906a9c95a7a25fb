package pollution

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/finding"
)

// TestFind builds each script of testdata. Its comment says which test pollutes which, and the
// fewest variables that help when put back: "TestA before TestVictim: m.x m/b.y". With "all"
// nothing helps.
func TestFind(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m := newModule(t, a)
			find := m.find(t)
			var got []string
			for _, v := range find.Vars {
				got = append(got, v.String())
				if src := string(m.file(a, v.At.File)); !strings.Contains(strings.Split(src, "\n")[v.At.Start-1], v.Name) {
					t.Errorf("%v is not at %s:%d", v, v.At.File, v.At.Start)
				}
			}
			if slices.Sort(got); !slices.Equal(got, m.want) {
				t.Errorf("%q decide, want %q", got, m.want)
			}
			want := finding.Count{Of: runs}
			if len(m.want) == 0 {
				want.Failed = runs
			}
			if find.Back != want || find.Left != (finding.Count{Failed: runs, Of: runs}) || find.Without.Of > 0 && find.Without.Failed != runs {
				t.Errorf("counts %+v, want %+v with them put back", find, want)
			}
		})
	}
}

// A module is the module of a script.
type module struct {
	Config
	want []string
}

func newModule(t *testing.T, a *txtar.Archive) *module {
	line, _, _ := strings.Cut(string(a.Comment), "\n")
	who, vars, ok := strings.Cut(line, ": ")
	polluters, victim, ok2 := strings.Cut(who, " before ")
	if !ok || !ok2 {
		t.Fatalf("%q does not name the tests", line)
	}
	m := &module{Config: Config{
		Root: t.TempDir(), Module: "example.com/m", Dirs: []string{".", "b", "empty"}, Dir: ".", Victim: victim, Polluters: strings.Split(polluters, ","),
	}}
	for v := range strings.FieldsSeq(vars) {
		m.want = append(m.want, "example.com/"+v)
	}
	if vars == "elsewhere" {
		m.want = nil
	}
	for _, f := range a.Files {
		name := filepath.Join(m.Root, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, f.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *module) file(a *txtar.Archive, name string) []byte {
	return a.Files[slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })].Data
}

// find builds the tests of the module and looks for the variables that decide.
func (m *module) find(t *testing.T) *finding.Pollution {
	o, err := Make(&m.Config)
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "m.test")
	m.goCmd(t, "test", "-c", "-vet=off", "-overlay="+m.overlay(t, o), "-o", bin, ".")
	s := &Search{Vars: o.Vars, Run: func(ctx context.Context, back []finding.PackageVar) (bool, error) {
		cmd := exec.CommandContext(ctx, bin, "-test.run=^("+strings.Join(append(slices.Clone(m.Polluters), m.Victim), "|")+")$")
		cmd.Dir, cmd.Env = m.Root, append(os.Environ(), PutBack(back))
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(string(out), "--- FAIL: "+m.Victim) {
			t.Fatalf("another test fails: %s", out)
		}
		return err != nil, nil
	}}
	f, err := s.Find(context.Background())
	if err != nil || f == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	return f
}

func (m *module) overlay(t *testing.T, o *Overlay) string {
	dir, replace := t.TempDir(), make(map[string]string)
	for name, text := range o.Files {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(m.Root, filepath.FromSlash(name))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func (m *module) goCmd(t *testing.T, args ...string) {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// A test that fails now and then, whatever is put back, shows nothing.
func TestFindChance(t *testing.T) {
	n := 0
	s := &Search{Vars: []finding.PackageVar{{Name: "x"}}, Run: func(context.Context, []finding.PackageVar) (bool, error) { n++; return n%2 == 0, nil }}
	if f, err := s.Find(context.Background()); f != nil || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
	stop := errors.New("stop")
	s.Run = func(context.Context, []finding.PackageVar) (bool, error) { return false, stop }
	if f, err := s.Find(context.Background()); f != nil || err != stop {
		t.Errorf("%+v, %v", f, err)
	}
}

// A test that is not a function of the package can't be hooked.
func TestNoTest(t *testing.T) {
	m := newModule(t, txtar.Parse([]byte("TestA before TestB: elsewhere\n-- go.mod --\nmodule example.com/m\n-- m.go --\npackage m\n-- m_test.go --\npackage m\nimport \"testing\"\nfunc TestA(t *testing.T) {}\n")))
	if _, err := Make(&m.Config); !errors.Is(err, ErrNoTest) {
		t.Errorf("got %v", err)
	}
}
