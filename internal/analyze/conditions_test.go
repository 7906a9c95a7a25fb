package analyze

import (
	"context"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// TestConditions asks whether a block is where control goes right after a
// condition: A is the end of the block with the condition, X the start of the other.
func TestConditions(t *testing.T) {
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
		x, next := indexed(tt.src, tt.kind)
		list := conditions(x, &divergence.Analysis{Chain: []*divergence.Divergence{{LastCommon: 1, PassNext: trace.Event(next)}}})
		got := ""
		if way, known := list[1].Ways[next]; known {
			got = map[bool]string{true: "then", false: "else"}[way]
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if code := list[1].Code; got != "" && code != "a" && code != "a && b" {
			t.Errorf("%s: the condition is %q", tt.name, code)
		}
	}
}

// indexed returns the index of a function with two blocks: 1 goes from the last
// statement on a up to §A, the other one, which may be the same, begins at §X.
func indexed(body string, kind trace.BlockKind) (x *source.Index, next int) {
	text := "package p\nfunc f() {\n" + body + "\n}\n"
	at := func(i int) (line, col int) {
		clean := strings.NewReplacer("§A", "", "§X", "").Replace(text[:i])
		return 1 + strings.Count(clean, "\n"), len(clean) - strings.LastIndexByte(clean, '\n')
	}
	end, other := strings.Index(text, "§A"), strings.Index(text, "§X")
	start := max(strings.LastIndex(text[:end], "if a"), strings.LastIndex(text[:end], "for a"), strings.LastIndex(text[:end], "a()"))
	first := trace.Block{Kind: kind, Stmts: 1}
	first.StartLine, first.StartCol = at(start)
	first.EndLine, first.EndCol = at(end)
	sites := &trace.Sites{
		Module: "m", Root: "/m", Files: []trace.File{{Path: "p.go", Name: "m/p.go"}},
		Funcs: []trace.Func{{Name: "f", Line: 2, End: strings.Count(text, "\n")}}, Blocks: []trace.Block{{}, first},
	}
	next = 1
	if other > end {
		second := trace.Block{Kind: kind, Stmts: 1}
		second.StartLine, second.StartCol = at(other)
		second.EndLine, second.EndCol = at(other + strings.IndexByte(text[other:], '\n'))
		sites.Blocks, next = append(sites.Blocks, second), 2
	}
	src := strings.NewReplacer("§A", "", "§X", "").Replace(text)
	read := func(string) ([]byte, error) { return []byte(src), nil }
	return source.Load(context.Background(), source.Config{Dir: sites.Root, Sites: sites, Read: read}), next
}
