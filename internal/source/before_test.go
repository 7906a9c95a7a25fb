package source

import (
	"context"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestBefore checks what a function comes past before a line and after it.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	sites := write(t, dir, txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.24
-- m.go --
package m

import "sync"

var a, b, c, d, e, f sync.WaitGroup

func run(list []int) {
	defer a.Done()
	b.Done()
	if len(list) > 1 {
		c.Done()
	}
	if len(list) > 2 {
		d.Done()
		return
	}
	go func() { e.Done() }()
	work() // line 18
	for range list {
		f.Done()
	}
	if len(list) > 0 {
		e.Done()
	}
}

func loop(list []int) {
	for range list {
		work() // line 29
		a.Done()
	}
}

func work() { more() }

func more() { f.Wait() }
`)))
	x := Load(context.Background(), Config{Dir: dir, Sites: sites})
	var called *Op
	for _, o := range x.Before("m.go", 19, Call) {
		if o.Name() == "work" {
			called = o
		}
	}
	for _, tt := range []struct {
		what string
		got  []*Op
		want []string
	}{
		{"before", x.Before("m.go", 18, Release), []string{"b", "c"}},
		{"before, in a loop", x.Before("m.go", 29, Release), nil},
		{"inside", x.Inside(called, 4, Wait), []string{"f"}},
		{"not so deep", x.Inside(called, 1, Wait), nil},
		{"no such file", x.Before("n.go", 18), nil},
	} {
		var got []string
		for _, o := range tt.got {
			got = append(got, o.Name())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
}
