package inject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// places makes n candidates for each of two operators in each of three modules.
func places(n int) (list []*candidate) {
	for _, op := range []string{"op1", "op2"} {
		for _, m := range []string{"a@v1", "b@v1", "c@v1"} {
			for i := range n {
				id := fmt.Sprintf("%s-%s-%d", op, m, i)
				list = append(list, &candidate{
					module: &module{Name: m}, pkg: &goPackage{Path: m[:1]}, operator: operator{name: op},
					Mutant: Mutant{ID: id, Module: m, Package: m[:1], Operator: op, File: "x.go", Func: fmt.Sprint("f", i), Lines: []Range{{1, 1}}},
				})
			}
		}
	}
	return list
}

// inTurn returns the order in which candidates are tried, if every second is in.
func inTurn(seed uint64) (out []string) {
	q := newQueue(arrange(places(4), seed))
	for {
		c := q.next(func(*candidate) bool { return true })
		if c == nil {
			return out
		}
		out = append(out, c.ID)
		q.note(c.Operator, len(out)%4 < 2)
	}
}

// An operator that gives nothing skips turns: one after the sixth try, two after the eleventh.
func TestQueuePassesOver(t *testing.T) {
	q := newQueue(arrange(places(20), 7))
	var order []byte
	for range 30 {
		c := q.next(func(*candidate) bool { return true })
		order = append(order, c.Operator[2])
		q.note(c.Operator, c.Operator == "op1")
	}
	if want := "212121212121" + "121121121121121" + "112"; string(order) != want {
		t.Errorf("order %s, want %s", order, want)
	}
}

func ids(list []*candidate) (out []string) {
	for _, c := range list {
		out = append(out, c.ID)
	}
	return out
}

// One seed gives one order, whatever the order of the candidates. Another seed gives another
// order.
func TestArrange(t *testing.T) {
	a, b, other := inTurn(7), inTurn(7), inTurn(8)
	if !slices.Equal(a, b) {
		t.Errorf("one seed, two orders:\n%v\n%v", a, b)
	}
	if slices.Equal(a, other) {
		t.Errorf("two seeds, one order: %v", a)
	}
	sorted, all := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(ids(places(4))))
	if !slices.Equal(sorted, all) {
		t.Errorf("got %v, want all of %v", sorted, all)
	}
	for i := 0; i+1 < len(a); i += 2 {
		if a[i][:3] == a[i+1][:3] {
			t.Errorf("operators do not take turns: %v", a)
		}
	}
	for i := 0; i+5 < len(a); i += 6 {
		modules := make(map[string]bool)
		for _, id := range a[i : i+6] {
			modules[id] = true
			modules[id[4:8]] = true
		}
		if len(modules) != 6+3 {
			t.Errorf("modules do not take turns: %v", a[i:i+6])
		}
	}
}

// A script is a binary with known runs.
type script string // of passes ".", failures "F" and hangs "H"

func (s *script) run(context.Context) result {
	c := (*s)[0]
	*s = (*s)[1:] + (*s)[:1]
	return map[byte]result{'.': passed, 'F': failed, 'H': hung}[c]
}

func TestObserve(t *testing.T) {
	for _, test := range []struct {
		runs   script
		silent bool
		want   verdict
		in     bool
		n      int
	}{
		{".", false, neverFails, false, 60},
		{"F", false, alwaysFails, false, 12},
		{"H", false, alwaysFails, false, 4},
		{"HHHFFH", false, alwaysFails, false, 6}, // the fourth run that hangs
		{"F.", false, fails, true, 60},
		{script(strings.Repeat(".", 59) + "F"), false, fails, true, 60},
		{script(strings.Repeat("F", 11) + strings.Repeat(".", 49)), false, fails, true, 60},
		{".", true, neverFails, true, 60},
		{"..F", true, fails, false, 3},
	} {
		l := &lab{plain: 60, silent: test.silent}
		tr := &trial{}
		name := test.runs
		l.observe(context.Background(), tr, &test.runs)
		if tr.Verdict != test.want || tr.In != test.in || tr.Runs != test.n {
			t.Errorf("%.12s: %+v, want %s after %d", name, *tr, test.want, test.n)
		}
	}
}

func TestControl(t *testing.T) {
	for _, test := range []struct {
		failed int // runs of the mutant
		runs   script
		in     bool
		n      int
	}{
		{9, ".", true, 60},
		{2, ".", true, 240},
		{9, "....F", false, 5},
	} {
		l := &lab{plain: 60}
		tr := &trial{Failed: test.failed, In: true}
		l.control(context.Background(), tr, &test.runs)
		if tr.In != test.in || tr.Control != test.n {
			t.Errorf("%+v: %+v", test, *tr)
		}
	}
}

// A fake is a lab whose steps are all made up. It stops after a number of steps, as if it were
// killed.
type fake struct {
	left  int // steps that are done before it stops
	done  []string
	asked int // mutants given to fdebug
}

var errKilled = errors.New("killed")

func (f *fake) step(name string) error {
	if f.left--; f.left < 0 {
		return errKilled
	}
	f.done = append(f.done, name)
	return nil
}

// run runs it in a directory until it is done or killed.
func (f *fake) run(t *testing.T, dir string, seed uint64) (string, error) {
	t.Helper()
	l, _, err := newLab(Config{Seed: seed, Dir: dir, N: 10, Plain: 60, Count: 6, Most: 3, Log: io.Discard})
	if err != nil {
		return "", err
	}
	defer l.state.file.Close()
	l.operators = []operator{{name: "op1", category: "one"}, {name: "op2", category: "two"}}
	l.tryStep = func(_ context.Context, c *candidate) (*trial, error) {
		tr := &trial{Mutant: c.Mutant, Verdict: neverFails, Runs: 60}
		if strings.HasSuffix(c.ID, "1") || strings.HasSuffix(c.ID, "2") {
			tr.Verdict, tr.In, tr.Failed = fails, true, 5
		}
		return tr, f.step("try " + c.ID)
	}
	l.measureStep = func(_ context.Context, m *Mutant, _ *candidate) (*measure, error) {
		f.asked++
		return &measure{ID: m.ID, Flaky: true, Failed: 3, Runs: 10, Suspects: []Place{{"x.go", Range{1, 1}}}}, f.step("measure " + m.ID)
	}
	if err := l.tryAll(context.Background(), places(4), 1); err != nil {
		return "", err
	}
	var b strings.Builder
	if err := l.print(&b); err != nil {
		return "", err
	}
	rows, err := os.ReadFile(filepath.Join(dir, "mutants.jsonl"))
	return b.String() + string(rows), err
}

// A measurement that is killed after each step, and restarted, gives the same result as one
// without a kill, and repeats no step.
func TestGoesOn(t *testing.T) {
	whole := &fake{left: 1000}
	want, err := whole.run(t, t.TempDir(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(want, `"plain_failed":5,"plain":60,"failed":3,"runs":10,"first":"x.go:1","grade":"on"`); whole.asked != 6 || n != 6 {
		t.Fatalf("%d mutants are in, want 6: %v\n%s", whole.asked, whole.done, want)
	}
	dir := t.TempDir()
	var done []string
	for range 1000 {
		f := &fake{left: 1}
		got, err := f.run(t, dir, 7)
		done = append(done, f.done...)
		if err == nil {
			if !slices.Equal(sortedLines(got), sortedLines(want)) {
				t.Errorf("got\n%s\nin one go\n%s", got, want)
			}
			break
		} else if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		file, err := os.OpenFile(filepath.Join(dir, "state.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		file.WriteString(`{"trial":{"mut`) // cut off by the kill
		file.Close()
	}
	if slices.Sort(done); !slices.Equal(done, slices.Sorted(slices.Values(whole.done))) {
		t.Errorf("steps done in pieces: %v\nin one go: %v", done, whole.done)
	}
}

func sortedLines(s string) []string { return slices.Sorted(strings.Lines(s)) }

func TestAnotherSeedIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := (&fake{left: 1}).run(t, dir, 7); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if _, err := (&fake{left: 1}).run(t, dir, 8); err == nil || errors.Is(err, errKilled) {
		t.Errorf("%v, want an error about the seed", err)
	}
}

// A package whose original fails is out, with the mutants that were in.
func TestUnstable(t *testing.T) {
	st := &state{trials: make(map[string]*trial), unstable: make(map[string]bool)}
	l := &lab{state: st, taken: make(map[string]int), most: 2}
	list := places(3)
	for _, c := range list[:2] { // of package a
		st.add(record{Trial: &trial{Mutant: c.Mutant, In: true}})
		l.take(&c.Mutant)
	}
	if l.room(&list[2].Mutant) {
		t.Error("there is room for a third of the operator")
	}
	l.leave("a")
	st.add(record{Trial: &trial{Mutant: list[2].Mutant, ControlFailed: 1}})
	if l.in != 0 || l.taken["op1"] != 0 || st.open(&places(4)[3].Mutant) || !st.open(&list[3].Mutant) {
		t.Errorf("%d in, %v taken", l.in, l.taken)
	}
}

func TestParseModules(t *testing.T) {
	list, err := parseModules("# a list\n\nexample.com/a@v1.0.0 . ./b -short -skip=^TestX$ # why\nexample.com/c@v2\n")
	if err != nil {
		t.Fatal(err)
	}
	a := list[0]
	if len(list) != 2 || a.path() != "example.com/a" || !slices.Equal(a.patterns, []string{".", "./b"}) ||
		!slices.Equal(a.args("-test.v"), []string{"-test.short", "-test.skip=^TestX$", "-test.v"}) {
		t.Errorf("got %+v", a)
	}
	if _, err := parseModules("example.com/a\n"); err == nil {
		t.Error("a module without a version is accepted")
	}
}

// The modules to measure on can be told apart and are enough.
func TestModulesText(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "modules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := parseModules(string(data))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, m := range list {
		seen[m.path()] = true
	}
	if len(seen) != len(list) || len(list) < 20 {
		t.Errorf("%d modules, %d different", len(list), len(seen))
	}
}

// A module of our own goes through all real steps except fdebug. Its test fails when a number
// that should be 1 is drawn from 0 and 1.
func TestRealModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	l, modules, err := newLab(Config{Modules: "example.com/tiny@v1.0.0", Dir: t.TempDir(), Plain: 60, Count: 1, Most: 1, Slow: time.Second, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.state.file.Close()
	l.source = func(_, dir string) error {
		return errors.Join(os.MkdirAll(dir, 0o777),
			os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/tiny\n\ngo 1.21\n"), 0o666),
			os.WriteFile(filepath.Join(dir, "x.go"), []byte("package tiny\n\nfunc size() int {\n\tn := 3\n\treturn n\n}\n\nfunc never() int {\n\tn := 4\n\treturn n\n}\n"), 0o666),
			os.WriteFile(filepath.Join(dir, "x_test.go"), []byte("package tiny\n\nimport \"testing\"\n\nfunc TestSize(t *testing.T) {\n\tif size() > 1 && size() < 3 {\n\t\tt.Fail()\n\t}\n}\n"), 0o666))
	}
	var measured []string
	l.measureStep = func(_ context.Context, m *Mutant, c *candidate) (*measure, error) {
		measured = append(measured, fmt.Sprintf("%s:%v in %s %v", m.File, m.Lines, m.Func, m.Span))
		dir := filepath.Join(l.mutantDir(m.ID), "module")
		if err := l.plant(c, dir); err != nil {
			return nil, err
		}
		if data, err := os.ReadFile(filepath.Join(dir, "x.go")); err != nil || !strings.Contains(string(data), "injectrand.IntN(4)") {
			t.Errorf("%v: the mutant is not in its module:\n%s", err, data)
		}
		return &measure{ID: m.ID}, nil
	}
	if err := l.work(context.Background(), modules, 2); err != nil {
		t.Fatal(err)
	}
	if want := []string{"x.go:[4-4] in size 3-6"}; !slices.Equal(measured, want) {
		t.Errorf("measured %v, want %v: %+v", measured, want, l.state.modules["example.com/tiny@v1.0.0"].Packages)
	}
}
