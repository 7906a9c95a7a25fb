package runner

import (
	"fmt"
	"strings"
	"time"
)

// A Selection says which tests a binary runs, and how: go test's own flags.
// The zero Selection runs all tests as go test would.
type Selection struct {
	Run      string        // -run: regular expression, by slash-separated level
	Skip     string        // -skip
	Short    bool          // -short
	CPU      string        // -cpu: "1,2,4"
	Parallel int           // -parallel; 0: not given
	Shuffle  string        // -shuffle: "on", "off" or a seed
	Count    int           // -count: repetitions inside each process; 0: not given
	Timeout  time.Duration // -timeout; 0: not given
	FullPath bool          // -fullpath
	FailFast bool          // -failfast
	Extra    []string      // what stood after "--", for the binary itself
}

// args returns the arguments for a test binary. They begin with those that
// this package depends on.
func (s *Selection) args() []string {
	args := []string{
		"-test.v=test2json",
		"-test.paniconexit0",
		// Any other value keeps a timer alive in the process, and the runtime
		// never says that all goroutines are asleep.
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
	for _, arg := range s.Extra {
		// The format of the output is not the user's to choose.
		if flag, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); flag != "test.v" {
			args = append(args, arg)
		}
	}
	return args
}

// pattern returns what selects tests by name, as the user would type it.
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
