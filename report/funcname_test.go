package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// Type arguments hold slashes and brackets: a name is cut without them.
func TestFuncName(t *testing.T) {
	for name, want := range map[string]string{
		"example.com/m/p.(*T).Method":               "p.(*T).Method",
		"example.com/m/p.Map[...].Keys.func1":       "p.Map[...].Keys.func1",
		"main.main":                                 "main.main",
		"example.com/m/p.(*List[go.shape.int]).Len": "p.(*List[...]).Len",
		"example.com/m/v2.ConcurrentMap[go.shape.string,go.shape.struct { example.com/m/v2.name string }].Keys.func1.gowrap1": "v2.ConcurrentMap[...].Keys.func1.gowrap1",
		"example.com/m/p.F[go.shape.[]example.com/m/q.T].func2":                                                               "p.F[...].func2",
	} {
		if got := newViewer(&finding.Result{}).funcName(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
