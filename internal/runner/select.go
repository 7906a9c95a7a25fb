package runner

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/ginkgo"
)

// A Selection says which tests a binary runs, and how, by go test's own flags. The zero Selection
// runs all tests as go test would.
type Selection struct {
	Run      string        // -run: regular expression, by slash-separated level
	Chosen   bool          // Run was chosen by fdebug: the user's own choice are all tests
	Skip     string        // -skip
	Short    bool          // -short
	CPU      string        // -cpu: "1,2,4"
	Parallel int           // -parallel; 0: not given
	Shuffle  string        // -shuffle: "on", "off" or a seed; in a suite of Ginkgo a seed below 0 is for specs alone
	Count    int           // -count: repetitions inside each process; 0: not given
	Timeout  time.Duration // -timeout; 0: not given
	FullPath bool          // -fullpath
	FailFast bool          // -failfast
	Exec     []string      // -exec: the command that starts the binary, and its first arguments
	CPUs     float64       // -cpus: processors' worth of time for each process; 0: all
	Extra    []string      // the arguments after "--", for the binary itself
}

// args returns the arguments for a test binary. The first ones are those that this package
// depends on.
func (s Selection) args(suite ginkgo.Suite) []string {
	var flags []string
	if suite != (ginkgo.Suite{}) {
		flags = suite.Flags(s.Run, s.Skip, s.Shuffle)
		s.Run, _ = suite.Run(s.Run)
		if ginkgo.OwnOrder(s.Shuffle) {
			s.Shuffle = ""
		}
	}
	args := append(s.testArgs(), flags...)
	for _, arg := range s.Extra {
		// The user can't choose the format of the output.
		if flag, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); flag != "test.v" {
			args = append(args, arg)
		}
	}
	return args
}

// testArgs returns the flags of package testing.
func (s *Selection) testArgs() []string {
	args := []string{
		"-test.v=test2json",
		"-test.paniconexit0",
		// Any other value keeps a timer alive in the process, and the runtime never reports that
		// all goroutines are asleep.
		"-test.timeout=" + s.Timeout.String(),
	}
	text := func(flag, value string) {
		if value != "" {
			args = append(args, "-test."+flag+"="+value)
		}
	}
	text("run", s.Run)
	text("skip", s.Skip)
	text("cpu", s.CPU)
	text("shuffle", s.Shuffle)
	text("parallel", number(s.Parallel))
	text("count", number(s.Count))
	for _, f := range []struct {
		name string
		on   bool
	}{{"short", s.Short}, {"fullpath", s.FullPath}, {"failfast", s.FailFast}} {
		if f.on {
			text(f.name, "true")
		}
	}
	return args
}

// pattern returns the flags that select tests by name, as the user would type them.
func (s *Selection) pattern() string {
	var flags []string
	if s.Run != "" {
		flags = append(flags, fmt.Sprintf("-run %q", s.Run))
	}
	if s.Skip != "" {
		flags = append(flags, fmt.Sprintf("-skip %q", s.Skip))
	}
	return strings.Join(flags, " ")
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// A SelectionError reports a flag of a [Selection] that test binaries refuse.
type SelectionError struct {
	flag, value string // "run", "("
	reason      string
	Want        string // in a sentence of its own
}

func (e *SelectionError) Error() string { return fmt.Sprintf("-%s %s: %s", e.flag, e.value, e.reason) }

// Check returns a *SelectionError for a selection that package testing would refuse.
func (s *Selection) Check() error {
	for _, f := range []struct{ name, value string }{{"run", s.Run}, {"skip", s.Skip}} {
		for _, part := range splitPattern(f.value) {
			if _, err := regexp.Compile(part); err != nil {
				return &SelectionError{f.name, f.value,
					"not a regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "),
					"want a regular expression for each level, as for go test: -run '^TestDrain$/case'"}
			}
		}
	}
	for _, cpu := range strings.Split(s.CPU, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(cpu)); s.CPU != "" && strings.TrimSpace(cpu) != "" &&
			(err != nil || n < 1) {
			return &SelectionError{"cpu", s.CPU, "not a list of numbers of processors", "want a list such as 1,2,4"}
		}
	}
	switch {
	case s.CPUs < 0:
		return &SelectionError{"cpus", fmt.Sprint(s.CPUs), "less than 0", "want a share of the processors such as 0.25"}
	case s.CPUs > 0 && !CanLimit:
		return &SelectionError{"cpus", fmt.Sprint(s.CPUs), "fdebug can do that on Linux only",
			"want no -cpus here; a container with a quota does the same"}
	}
	if len(s.Exec) > 0 {
		if _, err := exec.LookPath(s.Exec[0]); err != nil {
			return &SelectionError{"exec", s.Exec[0], "no such command",
				"want a command that runs the binary named after it, for example -exec 'taskset -c 0'"}
		}
	}
	if _, err := strconv.ParseInt(s.Shuffle, 10, 64); err != nil && s.Shuffle != "" && s.Shuffle != "on" &&
		s.Shuffle != "off" {
		return &SelectionError{"shuffle", s.Shuffle, "neither on, off nor a seed",
			"want on, off, or the seed that a run has printed"}
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"parallel", s.Parallel}, {"count", s.Count}} {
		if f.value < 0 {
			return &SelectionError{f.name, strconv.Itoa(f.value), "less than 1", "want a number such as 4"}
		}
	}
	return nil
}

// SplitCommand splits the value of -exec into words as the go command does: at spaces, but not
// within single or double quotes. A quote has a meaning only at the start of a word.
func SplitCommand(s string) (words []string, err error) {
	for {
		if s = strings.TrimLeft(s, " \t\n\r"); s == "" {
			return words, nil
		}
		end := strings.IndexAny(s, " \t\n\r")
		if quote := s[0]; quote == '"' || quote == '\'' {
			if end = strings.IndexByte(s[1:], quote); end < 0 {
				return nil, fmt.Errorf("the quote %c has no end", quote)
			}
			words, s = append(words, s[1:1+end]), s[end+2:]
			continue
		}
		if end < 0 {
			end = len(s)
		}
		words, s = append(words, s[:end]), s[end:]
	}
}

// Has reports whether a top-level test is selected.
func (s *Selection) Has(test string) bool {
	return matchesTop(s.Run, test, false) && (s.Skip == "" || !matchesTop(s.Skip, test, true))
}

// matchesTop reports whether a pattern matches a top-level test. If whole is set, a pattern that
// also names subtests does not match.
func matchesTop(pattern, test string, whole bool) bool {
	for len(pattern) > 0 {
		first := splitPattern(pattern)[0]
		rest := pattern[len(first):]
		levels := 1
		for strings.HasPrefix(rest, "/") {
			next := splitPattern(rest[1:])[0]
			rest = rest[1+len(next):]
			levels++
		}
		if is, err := regexp.MatchString(first, test); err == nil && is && (!whole || levels == 1) {
			return true
		}
		if rest == "" {
			return false
		}
		pattern = rest[1:]
		if pattern == "" { // an empty alternative
			return true
		}
	}
	return true
}

// splitPattern returns the regular expressions in a -run pattern. Package testing splits it at
// each / and | outside brackets.
func splitPattern(pattern string) []string {
	var parts []string
	class, group, from := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			class++
		case c == ']':
			class = max(0, class-1)
		case c == '(' && class == 0:
			group++
		case c == ')' && class == 0:
			group--
		case (c == '/' || c == '|') && class == 0 && group == 0:
			parts, from = append(parts, pattern[from:i]), i+1
		}
	}
	return append(parts, pattern[from:])
}
