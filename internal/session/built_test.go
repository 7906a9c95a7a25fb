package session

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/trace/instrument"
)

// TestUnpatched says how to run the tests with another version of Go, if they can be.
func TestUnpatched(t *testing.T) {
	for try, want := range map[string][]string{
		"go1.27.4": {"GOTOOLCHAIN=go1.27.4 fdebug run ./queue"},
		"":         nil,
	} {
		j := &Session{Config: Config{Command: []string{"fdebug", "run", "./queue"}}}
		err := j.explainPrepare(context.Background(), &instrument.UnpatchedError{Version: "go1.29", Try: try,
			Err: errors.New("runtime/proc.go: no line")})
		if want := "go1.29 cannot be patched: runtime/proc.go: no line"; err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		var hinted *advice.Error
		if errors.As(err, &hinted); hinted == nil && want != nil || hinted != nil && !slices.Equal(hinted.Hints, want) {
			t.Errorf("%v, want hints %q", hinted, want)
		}
	}
}
