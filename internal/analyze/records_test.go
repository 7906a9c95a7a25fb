package analyze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestSteps follows goroutines through functions main (blocks 1 to 3) and called (blocks 4
// and 5), one line each: calls, returns, recursion, and what repeats.
func TestSteps(t *testing.T) {
	sites := &trace.Sites{Files: []trace.File{{Path: "m.go"}}, Funcs: []trace.Func{{Name: "main"}, {Name: "called"}}, Blocks: make([]trace.Block, 1)}
	for b := 1; b <= 5; b++ {
		kind, fn := trace.BlockCall, 0
		if b == 1 || b == 4 {
			kind = trace.BlockEntry
		}
		if b >= 4 {
			fn = 1
		}
		sites.Blocks = append(sites.Blocks, trace.Block{Func: fn, Kind: kind, StartLine: 10 * b, StartCol: 1, EndLine: 10*b + b/3*9, EndCol: 5})
	}
	an := &Analyzer{Sites: sites}
	for _, tt := range []struct{ events, want string }{
		{"1 2", "main 10 20"},
		{"1 4 5 2", "main 10; called 40-59; main 20"},
		{"1 3 2 3", "main 10 20 30-39"},
		{"4 4 4", "called 40-49 ×3"},
		{"1 4 2 4 2 4 2", "main 10; called 40-49 ×3; main 20 ×3"},
		{"", ""},
	} {
		var events []trace.Event
		for _, s := range strings.Fields(tt.events) {
			var b int
			fmt.Sscan(s, &b)
			events = append(events, trace.Event(b))
		}
		if got := stepsText(collapse(an.steps(trace.NewGoroutine(1, "TestX", events)))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.events, got, tt.want)
		}
	}
}

func stepsText(steps []finding.PathStep) string {
	var out []string
	for _, s := range steps {
		text := s.Func
		for _, l := range s.Lines {
			if text += fmt.Sprint(" ", l.Start); l.End > l.Start {
				text += fmt.Sprint("-", l.End)
			}
		}
		if s.Times > 1 {
			text += fmt.Sprint(" ×", s.Times)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}
