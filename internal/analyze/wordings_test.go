package analyze

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// Other wordings are those that say something else than the first: another number does,
// another address, duration or goroutine does not. At most five are kept.
func TestWordings(t *testing.T) {
	for _, tt := range []struct {
		said []string
		want string
		more int
	}{
		{[]string{"got (*T)(0xc00001)", "got (*T)(0xc00002)", "got (*T)(0xc00003)"}, "[]", 0},
		{[]string{"got 3", "got 4", "got 5", "got 4"}, "[{got 4 2} {got 5 1}]", 0},
		{[]string{"timed out after 1.2s in goroutine 7", "timed out after 1.3s in goroutine 8", "closed at 0xc1", "closed at 0xc2"}, "[{closed at 0xc1 2}]", 0},
		{[]string{"a", "b 0x1", "c", "d", "e", "f", "g", "h", "b 0x2"}, "[{b 0x1 2} {c 1} {d 1} {e 1} {f 1}]", 2},
	} {
		g := &runner.Group{}
		for i, s := range tt.said {
			g.Runs = append(g.Runs, runner.UnitRun{Run: &runner.Run{N: i + 1}, Outcome: &runner.Outcome{Message: s}})
		}
		kept, more := wordings(g)
		if got := fmt.Sprint(kept); more != tt.more || got != tt.want && !(len(kept) == 0 && tt.want == "[]") {
			t.Errorf("%q: %s and %d more, want %s and %d", tt.said, got, more, tt.want, tt.more)
		}
	}
}
