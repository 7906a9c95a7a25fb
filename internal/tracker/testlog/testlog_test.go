package testlog

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func options() Options {
	return Options{Identity: "commit job 1", Time: now.Add(-time.Hour), Now: now}
}

// show shows what was read: a line for each run, and one for each result.
func show(data []byte) string {
	var b strings.Builder
	report, err := Read(bytes.NewReader(data), options(), func(r *history.Run) error {
		cut := ""
		if r.Unfinished {
			cut = " unfinished"
		}
		fmt.Fprintf(&b, "run %s %s %s%s\n", r.Package, r.Kind, r.Started.UTC().Format(time.RFC3339), cut)
		for _, x := range r.Results {
			if x.Test == "" && !x.Status.Failing() {
				continue
			}
			fmt.Fprintf(&b, "  %s %q %v", x.Status, x.Test, x.Elapsed)
			if x.Status.Failing() {
				first, _, _ := strings.Cut(x.Message, "\n")
				fmt.Fprintf(&b, " [%s] %s", x.Signature, first)
			}
			b.WriteString("\n")
		}
		for _, n := range r.Notes {
			fmt.Fprintf(&b, "  note %s: %s = %s\n", n.Test, n.Key, n.Value)
		}
		return nil
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	if report != nil {
		if report.Cached+report.NotBuilt > 0 {
			fmt.Fprintf(&b, "cached %d, not built %d\n", report.Cached, report.NotBuilt)
		}
		for _, p := range report.Problems {
			fmt.Fprintln(&b, p)
		}
	}
	return b.String()
}

// TestRead reads the files in testdata. Each has the input, as its writer wrote it, and the
// expected result.
func TestRead(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			golden.Section(t, name, a.Files[1].Name, show(a.Files[0].Data))
		})
	}
}

// keys returns the keys of the runs in a file.
func keys(t *testing.T, data string, o Options) []string {
	t.Helper()
	var list []string
	if _, err := Read(strings.NewReader(data), o, func(r *history.Run) error {
		list = append(list, r.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// The same run has the same key, whoever imports it, and different runs have different keys.
func TestKeys(t *testing.T) {
	other := options()
	other.Identity = "commit job 2"
	goRun := func(stamp string) string {
		return fmt.Sprintf(`{"Time":%q,"Action":"start","Package":"m"}
{"Time":%[1]q,"Action":"run","Package":"m","Test":"TestX"}
{"Time":%[1]q,"Action":"pass","Package":"m","Test":"TestX"}
{"Time":%[1]q,"Action":"pass","Package":"m"}
`, stamp)
	}
	a, b := goRun("2026-11-22T10:00:00.123456789Z"), goRun("2026-11-22T10:00:00.123456788Z")
	bare := strings.ReplaceAll(goRun(""), `"Time":"",`, "")
	suite := `<testsuite name="m" timestamp="2026-11-22T10:00:00Z"><testcase name="TestX"/></testsuite>`
	fine := strings.ReplaceAll(suite, "00Z", "00.125Z")
	for _, c := range []struct {
		name string
		x, y string
		o    Options // for y
		same bool
	}{
		{"go test -json", a, a, other, true},
		{"another run", a, b, options(), false},
		{"another time zone", a, goRun("2026-11-22T12:00:00.123456789+02:00"), options(), true},
		{"no times, the same job", bare, bare, options(), true},
		{"no times, another attempt", bare, bare, other, false},
		{"JUnit, the same job", suite, suite, options(), true},
		{"JUnit, another attempt", suite, suite, other, false},
		{"JUnit with fractions of a second", fine, fine, other, true},
	} {
		x, y := keys(t, c.x, options()), keys(t, c.y, c.o)
		if len(x) != 1 || len(y) != 1 || (x[0] == y[0]) != c.same {
			t.Errorf("%s: %v and %v, want the same: %v", c.name, x, y, c.same)
		}
	}
}

// An error of add ends Read.
func TestAddFails(t *testing.T) {
	full := errors.New("disk full")
	for _, data := range []string{`<testsuite name="m"><testcase name="TestX"/></testsuite>`, `{"Action":"run","Package":"m","Test":"TestX"}
{"Action":"pass","Package":"m","Test":"TestX"}
{"Action":"pass","Package":"m"}`} {
		if _, err := Read(strings.NewReader(data), options(), func(*history.Run) error { return full }); !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
	}
}

// A test's output may have any size. Its beginning is kept.
func TestLimit(t *testing.T) {
	text := strings.Repeat("é&lt;x>", 600_000)
	data := `<testsuite name="m"><testcase name="TestX"><failure message="Failed">    m_test.go:7: got 3` + "\n" + text +
		`</failure><system-out><![CDATA[` + strings.Repeat("y", 3<<20) + `]]></system-out></testcase><testcase name="TestY"/></testsuite>`
	got := show([]byte(data))
	for _, want := range []string{"[TestX: m_test.go:7: got N] got 3", `pass "TestY"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%.500s\nlacks %q", got, want)
		}
	}
}

// FuzzRead reads anything: it does not panic, results make sense, and the same input gives the
// same result.
func FuzzRead(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		if a, err := txtar.ParseFile(name); err == nil {
			f.Add(a.Files[0].Data)
		}
	}
	f.Add([]byte(`{"Action":"run","Package":"m","Test":"TestX"}`))
	f.Add([]byte("{}\n\ufeff"))
	f.Add([]byte("<testsuite><testcase name='x'/>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first := show(data)
		if show(data) != first {
			t.Error("the same input gave two answers")
		}
		runs := 0
		report, _ := Read(bytes.NewReader(data), options(), func(r *history.Run) error {
			runs++
			if r.Key == "" || r.Started.Year() < 2000 || r.Started.After(now.Add(24*time.Hour)) {
				t.Errorf("%+v", r)
			}
			for _, x := range r.Results {
				if x.Elapsed < 0 || x.Status.Failing() != (x.Signature != "") {
					t.Errorf("%+v", x)
				}
			}
			return nil
		})
		if report != nil && report.Runs != runs {
			t.Errorf("%d runs, %d told", runs, report.Runs)
		}
	})
}
