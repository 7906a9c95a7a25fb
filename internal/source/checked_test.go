package source

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestChecks checks which condition is found for a line.
func TestChecks(t *testing.T) {
	src := `package m

func f(t interface{ Error(...any) }, a, b int, list []int) {
	if a != b {
		t.Error(a) // 4
	}
	if a > b &&
		b > 0 {
		b++
		t.Error(b) // 7
	} else {
		t.Error(a) // 0
	}
	t.Error(b) // 0
	if a == 0 { t.Error("one line") } // 0
	if a == 1 {
		for range list {
			t.Error(b) // 0
		}
		func() {
			t.Error(b) // 0
			if err := recover(); err != nil {
				t.Error(err) // 22
			}
		}()
	}
}
`
	dir := t.TempDir()
	sites := write(t, dir, txtar.Parse([]byte("-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- m.go --\n"+src)))
	x := Load(context.Background(), Config{Dir: dir, Sites: sites})
	for i, text := range strings.Split(src, "\n") {
		_, want, ok := strings.Cut(text, "// ")
		if !ok {
			continue
		}
		if got := x.Checks("m.go", i+1); strconv.Itoa(got) != want {
			t.Errorf("line %d: %d, want %s", i+1, got, want)
		}
	}
}
