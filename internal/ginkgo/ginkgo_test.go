package ginkgo

import (
	"errors"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestFind(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/find/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for _, f := range a.Files {
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			s, err := Find(dir, func(file string) bool { return filepath.Base(file) != "excluded_test.go" })
			got := strings.Join([]string{s.Test, s.Description, s.Package}, "|")
			if errors.Is(err, ErrOld) {
				got += "|old"
			} else if err != nil {
				t.Fatal(err)
			}
			if want := strings.TrimSpace(string(a.Comment)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Cart adds two items":   "TestBooks:Cart_adds_two_items",
		"GET /v1/books":         "TestBooks:GET__v1_books",
		"two\nlines\tand \x00":  "TestBooks:two_lines_and__",
		"größer (als 3): wahr ": "TestBooks:größer_(als_3):_wahr_",
	} {
		if got := "TestBooks:" + Rewrite(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if SuiteOf(want) != "TestBooks" {
			t.Errorf("%s is no spec", want)
		}
	}
	for _, test := range []string{"", "TestBooks", "TestBooks/a", "TestBooks/a:b", "FuzzX/5"} {
		if got := SuiteOf(test); got != "" {
			t.Errorf("%s is a spec of %s", test, got)
		}
	}
}

// A choice is of specs by a pattern: which tests of package testing run, and which of two specs.
type choice struct {
	pattern, tests string
	adds, big      bool
}

func TestRun(t *testing.T) {
	t.Parallel()
	const all = "Books (EU) Cart adds, Books (EU) Big Cart adds"
	quoted := "^" + regexp.QuoteMeta("TestBooks:Cart_adds") + "$"
	for _, c := range []choice{
		{"", "", true, true},
		{"TestBooks", "TestBooks", true, true},
		{"^TestBooks$", "^TestBooks$", true, true},
		{"TestOther/adds", "TestOther/adds", true, true},
		{quoted, "^TestBooks$", true, false},
		{"^(TestBooks:Cart_adds|TestOther)$", "^(TestBooks|TestOther)$", true, false},
		{"^(TestBooks:Cart_adds|TestBooks:Big_Cart_adds)$", "^(TestBooks|TestBooks)$", true, true},
		{"TestBooks:Big", "TestBooks", false, true},
		{"TestBooks/adds", "TestBooks", true, true},
		{"^TestBooks$/^Cart_adds$", "TestBooks$", true, false},
		{"TestBooks/Big Cart", "TestBooks", false, true},
		{"TestBooks:(Big|Small)_Cart", "", false, true},
	} {
		tests, specs := Suite{Test: "TestBooks", Description: "Books (EU)"}.Run(c.pattern)
		if c.tests != "" && tests != c.tests {
			t.Errorf("%s: tests %s, want %s", c.pattern, tests, c.tests)
		}
		re, err := regexp.Compile(specs)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		var got []bool
		for text := range strings.SplitSeq(all, ", ") {
			got = append(got, re.MatchString(text))
		}
		if want := []bool{c.adds, c.big}; !slices.Equal(got, want) {
			t.Errorf("%s: %s matches %v, want %v", c.pattern, specs, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	s := Suite{Test: "TestBooks"}
	for _, c := range []struct{ run, skip, shuffle, want string }{
		{"", "", "", "-ginkgo.seed=1"},
		{"", "", "off", "-ginkgo.seed=1"},
		{"", "", "on", "-ginkgo.randomize-all"},
		{"", "", "7", "-ginkgo.seed=7 -ginkgo.randomize-all"},
		{"", "", Seed(9), "-ginkgo.seed=9"},
		{"^TestBooks:a_b$", "", "7", "-ginkgo.seed=7 -ginkgo.randomize-all -ginkgo.focus=(?s)^.* a.b$"},
		{"", "TestBooks:a", "", "-ginkgo.seed=1 -ginkgo.skip=(?s).* a"},
	} {
		if got := strings.Join(s.Flags(c.run, c.skip, c.shuffle), " "); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	if Seed(1<<63|5) != "-5" || OwnOrder("5") || !OwnOrder(Seed(5)) {
		t.Error("seeds are mixed up")
	}
}

// TestFiles checks that the added files are Go, and that only one with probes names the recorder.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := Suite{Test: "TestBooks", Package: "books_test"}
	for _, probes := range []bool{false, true} {
		tells := false
		for name, text := range s.Files(probes) {
			tells = tells || strings.Contains(text, "FdebugSpec(")
			if got, err := format.Source([]byte(text)); err != nil || string(got) != text {
				t.Errorf("%s, probes %v: not formatted: %v\n%s", name, probes, err, text)
			}
			if !strings.Contains(text, "\npackage books_test\n") || !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s is no test file of the package:\n%s", name, text)
			}
		}
		if tells != probes {
			t.Errorf("probes %v: the recorder is told: %v", probes, tells)
		}
	}
}
