package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// TestBranch asks whether a block is where control goes right after a
// condition: A is the end of the block with the condition, X the start of the other.
func TestBranch(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		kind      trace.BlockKind
		want      string // "then", "else" or ""
	}{
		{"then", "if a§A {\n§Xx()\n}", trace.BlockThen, "then"},
		{"next", "if a§A {\nx()\n}\n§Xy()", trace.BlockNext, "else"},
		{"second next", "if a§A {\nx()\n}\ny()\n§Xz()", trace.BlockCall, ""},
		{"else", "if a§A {\nx()\n} else {\n§Xy()\n}", trace.BlockElse, "else"},
		{"else if", "if a§A {\nx()\n} else §Xif b {\n}", trace.BlockElse, "else"},
		{"after if with else", "if a§A {\nx()\n} else {\ny()\n}\n§Xz()", trace.BlockNext, ""},
		{"nested in then", "if a§A {\nif b {\nx()\n}\n§Xy()\n}", trace.BlockNext, ""},
		{"loop again", "for {\n§Xif a§A {\nx()\n}\n}", trace.BlockLoop, "else"},
		{"loop, statement between", "for {\nif a§A {\nx()\n}\ny()\n}\n§Xz()", trace.BlockNext, ""},
		{"after loop", "for range n {\nif a§A {\nx()\n}\n}\n§Xz()", trace.BlockNext, "else"},
		{"out of if", "if b {\nif a§A {\nx()\n}\n}\n§Xz()", trace.BlockNext, "else"},
		{"out of case", "switch {\ncase b:\nif a§A {\nx()\n}\ncase c:\ny()\n}\n§Xz()", trace.BlockNext, "else"},
		{"two conditions", "if a &&\nb§A {\nx()\n}\n§Xy()", trace.BlockNext, "else"},
		{"no if", "a()§A\n§Xb()", trace.BlockNext, ""},
		{"for", "for a§A {\n§Xx()\n}", trace.BlockLoop, ""},
	} {
		body := "package p\nfunc f() {\n" + tt.src + "\n}\n"
		find := func(mark string) (line, col int) {
			at := strings.Replace(body, map[string]string{"§A": "§X", "§X": "§A"}[mark], "", 1)
			i := strings.Index(at, mark)
			return 1 + strings.Count(at[:i], "\n"), i - strings.LastIndexByte(at[:i], '\n')
		}
		last, x := place{File: "p.go"}, place{File: "p.go"}
		last.End, last.EndCol = find("§A")
		x.Start, x.StartCol = find("§X")
		src := strings.NewReplacer("§A", "", "§X", "").Replace(body)
		s := newSources(&Result{Source: func(string) ([]byte, error) { return []byte(src), nil }})
		got := ""
		if b := s.branch(last); b != nil {
			switch {
			case b.then(&x):
				got = "then"
			case b.els(&x, tt.kind, true):
				got = "else"
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
