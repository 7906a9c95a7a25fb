package terminal

import (
	"strings"
	"testing"
)

func TestIsGoBuilt(t *testing.T) {
	for exe, want := range map[string]bool{
		"/tmp/go-build2162754709/b001/exe/fdebug":                                                              true,
		"/home/u/.cache/go-build/75/754fc79e800e1f0554e862736f9e31ab21289d210a368ec7b05c6b7ceefac5ff-d/fdebug": true,
		"/home/u/go/bin/fdebug":             false,
		"/home/u/go-build/fdebug":           false,
		"/tmp/fdebug":                       false,
		"/home/u/.cache/go-build/75/fdebug": false,
	} {
		if got := isGoBuilt(exe, "/tmp"); got != want {
			t.Errorf("%s: %v", exe, got)
		}
	}
}

func TestGoCommand(t *testing.T) {
	for _, c := range []struct {
		line string
		args int
		want string
	}{
		{"go run ./cmd/fdebug run -n 5", 3, "go run ./cmd/fdebug"},
		{"/usr/local/go/bin/go tool fdebug run", 1, "go tool fdebug"},
		{"go tool fdebug", 0, "go tool fdebug"},
		{"go -C my&dir run -race example.com/fdebug@latest replay X", 2, "go -C 'my&dir' run -race example.com/fdebug@latest"},
		{"go generate ./run", 0, ""},
		{"bash run fdebug", 0, ""},
		{"go run", 0, ""},
		{"", 3, ""},
	} {
		if got := goCommand(strings.Fields(c.line), c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// Commands are named as they can be typed, and nothing else is replaced.
func TestNamer(t *testing.T) {
	if Namer("fdebug", nil) != nil {
		t.Error("its own name is put in")
	}
	name := Namer("go tool fdebug", []string{"run", "hunt", "replay", "help", "fix", "report"})
	for s, want := range map[string]string{
		"fdebug replay TestX":             "go tool fdebug replay TestX",
		"hint: fdebug help run lists":     "hint: go tool fdebug help run lists",
		"say `fdebug run`, or fdebug fix": "say `go tool fdebug run`, or go tool fdebug fix",
		"fdebug: warning: run":            "fdebug: warning: run",
		".fdebug report, cmd/fdebug run":  ".fdebug report, cmd/fdebug run",
		"fdebug runs tests":               "fdebug runs tests",
		"a fdebug\nhunt":                  "a fdebug\nhunt",
	} {
		if got := name(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	var b strings.Builder
	if n, err := (namedWriter{&b, name}).Write([]byte("fdebug fix X\n")); n != 13 || err != nil || b.String() != "go tool fdebug fix X\n" {
		t.Errorf("wrote %d, %v: %q", n, err, b.String())
	}
}
