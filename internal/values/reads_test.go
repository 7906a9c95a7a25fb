package values

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

const readsSource = `package reads

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func lines(name string) []string {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(string(data), ",")
}

var began = time.Now()

func TestReads(t *testing.T) {
	t.Skip("it is only looked at")
	for _, line := range lines("x") {
		var name string
		fmt.Sscan(line, &name)
		if name == "end" {
			return
		}
	}
	n := 3
	if n > 4 {
		return
	}
	if began.Second() == 5 {
		return
	}
	dir, _ := os.Getwd()
	if dir == "/" {
		return
	}
}
`

// An operand that is scanned from a line of a file is traced back to the call
// that reads it; one that comes from nowhere is not. What a variable of the package
// begins with is made before anything could be recorded.
func TestReads(t *testing.T) {
	choice := chosenIn(t, "reads", readsSource)
	want := map[string][]string{"name": {"a file at reads_test.go:12"}, "n": nil, "dir": {"the working directory at reads_test.go:37"},
		"began.Second()": {"the clock at reads_test.go:19"}}
	for _, s := range choice.Sites {
		reads, ok := want[s.Expr]
		if ok = ok && s.Kind == divergence.ValueOperand; !ok {
			continue
		}
		if !slices.Equal(s.Reads, reads) {
			t.Errorf("%s at line %d is read from %q, want %q", s.Expr, s.Line, s.Reads, reads)
		}
		delete(want, s.Expr)
	}
	for expr := range want {
		t.Errorf("%s was not chosen", expr)
	}
}
