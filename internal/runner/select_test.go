package runner

import (
	"errors"
	"slices"
	"testing"
)

func TestSelectionCheck(t *testing.T) {
	for _, s := range []Selection{
		{}, {Run: "^TestX$/a|b"}, {Run: "Test(X|Y)/[/|]"}, {Run: `a\(`}, {Skip: "x/"}, {CPU: "1, 2,4"},
		{Shuffle: "on"}, {Shuffle: "off"}, {Shuffle: "-12"}, {Parallel: 2, Count: 3},
	} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for flag, s := range map[string]Selection{
		"run": {Run: "("}, "skip": {Skip: "Test/[a"}, "cpu": {CPU: "1,none"}, "shuffle": {Shuffle: "yes"},
		"parallel": {Parallel: -1}, "count": {Count: -2},
	} {
		var bad *SelectionError
		if err := s.Check(); !errors.As(err, &bad) || bad.flag != flag || bad.Want == "" {
			t.Errorf("-%s: %v", flag, err)
		}
	}
	// To package testing, a group that spans a slash is one expression.
	if err := (&Selection{Run: "a/(b/c)"}).Check(); err != nil {
		t.Error(err)
	}
}

func TestSplitPattern(t *testing.T) {
	for pattern, want := range map[string][]string{
		"": {""}, "a/b": {"a", "b"}, "a|b/c": {"a", "b", "c"}, "(a|b)/c": {"(a|b)", "c"},
		"[/|]x/y": {"[/|]x", "y"}, `a\/b`: {`a\/b`}, "]/a": {"]", "a"},
	} {
		if got := splitPattern(pattern); !slices.Equal(got, want) {
			t.Errorf("splitPattern(%q) = %q, want %q", pattern, got, want)
		}
	}
}

// TestVetted has output of go test -c.
func TestVetted(t *testing.T) {
	vet := &BuildError{Package: "example.com/v", Output: "# example.com/v\n# [example.com/v]\n./v_test.go:8:50: fmt.Sprintf format %d has arg \"x\" of wrong type string\n"}
	compile := &BuildError{Package: "example.com/v", Output: "# example.com/v [example.com/v.test]\n./v_test.go:8:2: undefined: x\n"}
	if !vet.Vetted() || compile.Vetted() {
		t.Errorf("vet: %v, compiler: %v", vet.Vetted(), compile.Vetted())
	}
}

// Package testing takes what precedes a slash for the top level. Skipping a subtest does not skip
// the test.
func TestSelectionHas(t *testing.T) {
	for _, x := range []struct {
		run, skip, test string
		want            bool
	}{
		{"", "", "TestA", true}, {"A", "", "TestA", true}, {"B", "", "TestA", false}, {"^TestA$/x|B", "", "TestA", true}, {"C|^TestA$/x", "", "TestA", true},
		{"C/A|D/A", "", "TestA", false}, {"Test(A|B)/[/|]", "", "TestA", true}, {"", "A", "TestA", false}, {"", "A/x", "TestA", true}, {"", "B/x|A", "TestA", false}, {"A", "A/x|B", "TestA", true},
	} {
		if got := (&Selection{Run: x.run, Skip: x.skip}).Has(x.test); got != x.want {
			t.Errorf("-run %q -skip %q: %s is selected: %v, want %v", x.run, x.skip, x.test, got, x.want)
		}
	}
}

func TestSplitCommand(t *testing.T) {
	for s, want := range map[string][]string{
		"":                         nil,
		" taskset -c 0 ":           {"taskset", "-c", "0"},
		`sh -c 'exec "$0" "$@"' x`: {"sh", "-c", `exec "$0" "$@"`, "x"},
		`"/with space/run" 'it'`:   {"/with space/run", "it"},
		`env A='b c'`:              {"env", "A='b", "c'"}, // as in the go command
		`sh -c "it's"`:             {"sh", "-c", "it's"},
	} {
		if got, err := SplitCommand(s); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", s, got, err, want)
		}
	}
	if got, err := SplitCommand("sh -c 'x"); err == nil {
		t.Errorf("got %q for a quote without an end", got)
	}
}
