package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

const quietSource = `package m

import ("fmt"; "strings"; "sync")

var total int

type counter struct { mu sync.Mutex; n int }

func local(a, b int) int {
	c := a + b           // quiet
	d := max(c, len("x")) // quiet
	total += d           // loud: package variable
	return c * d         // quiet
}

func (x *counter) add(ch chan int, list []int) {
	x.mu.Lock()          // loud: locks
	x.n++                // loud: a field
	ch <- 1              // loud: sends
	n := <-ch            // loud: receives
	list[0] = n          // loud: an element
	s := strings.ToUpper("a") // quiet
	n = local(n, 2)      // quiet: local has probes of its own
	fmt.Println(s)       // loud: writes
	p := &n              // loud: its address goes somewhere
	*p = 3               // loud: so it may be shared
	go local(1, 2)       // loud: starts a goroutine
	helper(n)            // loud: not known
	x.add(nil, nil)      // quiet: a method with probes, though x is looked at
	n = strings.Count(s, x.name()) // loud: an operand calls what is not known
}

func captured() {
	a, b := 1, 2         // loud: a is shared with the literal
	f := func() {
		a++              // loud: a is shared
		c := 1           // quiet
		c++              // quiet
	}
	b++                  // quiet
	f()                  // loud: what f is, syntax does not say
}

func deferred() {
	defer local(1, 2)    // loud
	a := 1               // loud: what was deferred may run after it
	a++                  // loud
}
`

// Each line with a comment is a block, and its comment says what it is.
func TestQuiet(t *testing.T) {
	s := &trace.Sites{
		Files:  []trace.File{{Path: "m.go"}},
		Funcs:  []trace.Func{{Name: "local"}, {Name: "(*counter).add"}, {Name: "captured"}, {Name: "captured.func1"}, {Name: "deferred"}},
		Blocks: make([]trace.Block, 1),
	}
	var want []string
	lines := strings.Split(quietSource, "\n")
	for i, line := range lines {
		code, comment, ok := strings.Cut(line, "//")
		if !ok {
			continue
		}
		want = append(want, strings.TrimSpace(comment))
		code = strings.TrimRight(code, " ")
		start := len(code) - len(strings.TrimLeft(code, "\t")) + 1
		s.Blocks = append(s.Blocks, trace.Block{StartLine: i + 1, StartCol: start, EndLine: i + 1, EndCol: len(code) + 1})
	}
	quiet := Quiet(s, func(string) ([]byte, error) { return []byte(quietSource), nil })
	for i, w := range want {
		b := s.Blocks[i+1]
		if quiet[i+1] != strings.HasPrefix(w, "quiet") {
			t.Errorf("line %d: quiet is %v: %s", b.StartLine, quiet[i+1], strings.TrimSpace(lines[b.StartLine-1]))
		}
	}
	if none := Quiet(s, nil); slices.Contains(none, true) {
		t.Error("without source something is quiet")
	}
}
