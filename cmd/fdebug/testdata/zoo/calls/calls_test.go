package calls

import (
	"sort"
	"strings"
	"testing"
)

func TestNested(t *testing.T) {
	bad := odd("nested")
	var s string
	s = decide(prepare(bad))
	if s == "bad" {
		t.Error(s)
	}
}

func TestArguments(t *testing.T) {
	bad := odd("arguments")
	s := strings.Join([]string{
		finish("y"),
		decide(prepare(bad)),
	}, ",")
	if s != "yy,good" {
		t.Error(s)
	}
}

func TestChained(t *testing.T) {
	bad := odd("chained")
	s := newBuilder().
		Bad(prepare(bad)).
		Build()
	if s != "xgood" {
		t.Error(s)
	}
}

func TestDeferred(t *testing.T) {
	if deferred(odd("deferred")); last != "good" {
		t.Error(last)
	}
}

func TestDeferredLiteral(t *testing.T) {
	if s := literal(odd("literal")); s != "xxgood" {
		t.Error(s)
	}
}

func TestLoop(t *testing.T) {
	bad := odd("loop")
	i := 0
	for ; i < 2 &&
		decide(i == 1 && bad) == "good"; i++ {
		finish("z")
	}
	if i < 2 {
		t.Error(i)
	}
}

func TestCallback(t *testing.T) {
	bad := odd("callback")
	list, seen := []int{1, 2}, ""
	sort.Slice(list, func(i, j int) bool { seen = decide(bad); return list[i] < list[j] })
	if seen != "good" {
		t.Error(seen)
	}
}

func TestEither(t *testing.T) {
	bad := odd("either")
	s := decide(false) +
		decide(bad)
	if s != "goodgood" {
		t.Error(s)
	}
}
