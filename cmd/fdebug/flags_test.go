package main

import (
	"errors"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/session"
)

// mostFlags is how many flags fdebug has of its own, over all commands. It may only fall.
const mostFlags = 45

// goFlags are flags of go test and go build that mean the same here, besides those that are passed on. That of
// history has only the name.
const goFlags = "C count cpu exec failfast fullpath json overlay p parallel run short shuffle skip timeout v vet"

// TestFlags counts the flags, and asks for those that are gone.
func TestFlags(t *testing.T) {
	a := &app{Console: &session.Console{Getenv: func(string) string { return "" }}}
	own, all := make(map[string]bool), make(map[string]bool)
	for _, c := range commands() {
		var asked helpError
		if _, err := c.run(a, []string{"-h"}); !errors.As(err, &asked) {
			continue
		}
		asked.fs.VisitAll(func(f *flag.Flag) {
			all[c.name+" -"+f.Name] = true
			_, forGo := f.Value.(*goFlag)
			forGo = forGo || slices.Contains(strings.Fields(goFlags), f.Name)
			if name := c.name + " -" + f.Name; !forGo || name == "history -skip" {
				own[f.Name] = true
			}
		})
	}
	if len(own) != mostFlags {
		t.Errorf("%d flags, want %d: %v", len(own), mostFlags, slices.Sorted(maps.Keys(own)))
	}
	for what, instead := range gone {
		_, err := a.dispatch(strings.Fields(what))
		hint, ok := err.(*advice.Error)
		if all[what] || !ok || !strings.Contains(err.Error(), " is no longer a ") || !slices.Equal(hint.Hints, []string{instead}) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
