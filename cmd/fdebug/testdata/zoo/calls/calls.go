package calls

import (
	"os"
	"strings"
)

// odd says whether this is an odd process.
func odd(test string) bool {
	name := os.Getenv("COUNTER") + test
	old, _ := os.ReadFile(name)
	os.WriteFile(name, append(old, 'x'), 0o666)
	return len(old)%2 == 1
}

func decide(bad bool) string {
	if bad {
		return "bad"
	}
	return "good"
}

type builder struct{ bad bool }

func newBuilder() *builder { return &builder{} }

func (b *builder) Bad(bad bool) *builder {
	b.bad = bad
	return b
}

func (b *builder) Build() string {
	name := strings.ToLower("X")
	return name + decide(b.bad)
}

func prepare(bad bool) bool {
	words := strings.Fields("a b c")
	return len(words) == 3 && bad
}

func finish(s string) string {
	var out strings.Builder
	for range 2 {
		out.WriteString(s)
	}
	return out.String()
}

var last string

func note(bad bool) { last = decide(bad) }

func deferred(bad bool) string {
	defer note(bad)
	return finish("x")
}

func literal(bad bool) (s string) {
	defer func() {
		s += decide(bad)
	}()
	return finish("x")
}
