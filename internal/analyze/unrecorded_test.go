package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// Of each failure: the module in which it happens, where that is one that was not recorded.
func TestUnrecorded(t *testing.T) {
	an := &Analyzer{
		Sites: &trace.Sites{Module: "example.com/m", Root: "/src/m", Files: []trace.File{{Path: "m.go", Name: "example.com/m/m.go"}}},
		Meta:  Meta{Unrecorded: []string{"example.com/dep", "example.com/dep/v2"}},
	}
	check := func(fn string, frame trace.Frame) *finding.Failure {
		return &finding.Failure{Frame: frame, Stacks: map[uint32][]trace.Frame{1: {{Func: fn, File: "/src/dep/dep.go", Line: 7}, {Func: "example.com/m.TestX", File: "/src/m/m.go", Line: 3}}}}
	}
	dump := func(message, frames string) *finding.Failure {
		return &finding.Failure{Message: message, Dump: message + "\n\ngoroutine 7 [running]:\n" + frames}
	}
	const (
		inDep   = "example.com/dep.Odd(...)\n\t/src/dep/dep.go:9\n"
		inV2    = "example.com/dep/v2.Odd(...)\n\t/src/dep/v2/dep.go:9\n"
		inOther = "example.com/depot.Odd(...)\n\t/src/depot/dep.go:9\n"
		inMine  = "example.com/m.TestX(0x1)\n\t/src/m/m.go:3 +0x1d\n"
		inStd   = "sync.(*Mutex).Lock(...)\n\t/go/src/sync/mutex.go:9\n"
	)
	hang := dump("test timed out", inStd+inDep+inMine)
	hang.Hang = &finding.Hang{}
	daemon := dump("test timed out", inStd+inDep)
	daemon.Hang = &finding.Hang{}
	at := trace.Frame{File: "dep.go", Line: 7}
	for _, c := range []struct {
		name string
		f    *finding.Failure
		want string
	}{
		{"a check in it", check("example.com/dep.Check", at), "example.com/dep"},
		{"a check at another line of it", check("example.com/dep.Check", trace.Frame{File: "dep.go", Line: 8}), ""},
		{"a check in a module of a longer name", check("example.com/depot.Check", at), ""},
		{"a panic in it", dump("panic: odd", inDep+inMine), "example.com/dep"},
		{"a panic in one within it", dump("panic: odd", inV2+inMine), "example.com/dep/v2"},
		{"a panic in a callback of it", dump("panic: odd", inMine+inDep), ""},
		{"a panic elsewhere", dump("panic: odd", inOther+inMine), ""},
		{"a wait in it", hang, "example.com/dep"},
		{"its own goroutine waits", daemon, ""},
	} {
		if got := an.unrecorded(&finding.Test{Failures: []*finding.Failure{c.f}}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The page of a test names the files of its package that were not recorded, each once.
func TestBare(t *testing.T) {
	an := &Analyzer{Meta: Meta{Bare: map[string][]string{"m/a": {"a.go is not recorded"}, "m/b": {"b.go is not recorded"}}}}
	x := &finding.Test{Package: "m/a"}
	an.noteBare(x)
	an.noteBare(x)
	if len(x.Warnings) != 1 || x.Warnings[0] != "a.go is not recorded" {
		t.Errorf("%q, want that of m/a", x.Warnings)
	}
}
