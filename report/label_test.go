package report

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

func TestNamesLabel(t *testing.T) {
	for expr, want := range map[string]bool{
		"hash": true, "userID": true, "m.key_hash": true, "h.Sum64()": true, "hash(key)": true, "uint64(hash)": true,
		"ids[0]": true, "hash % 16": true, "os.Getpid()": false, "req.ID": true, "p.Pid": true, "uintptr(p.addr)": true,
		"len(ids)": false, "hashes": false, "n": false, "idle": false, "valid": false, "id - first": false, "sum": false,
		"hashTime": false, "&x": false, "(": false,
	} {
		if got := namesLabel(expr); got != want {
			t.Errorf("%s: %v, want %v", expr, got, want)
		}
	}
}

// Numbers that only tell things apart have no axis; what is measured has one,
// however far apart it is.
func TestHashesHaveNoAxis(t *testing.T) {
	seen := func(texts ...string) (list []finding.Seen) {
		for i, s := range texts {
			list = append(list, finding.Seen{Text: s, Runs: []int{i + 1}})
		}
		return list
	}
	v := newViewer(&finding.Result{Sites: &trace.Sites{Blocks: make([]trace.Block, 1)}})
	for _, c := range []struct {
		name, expr string
		pass, fail []finding.Seen
		axis       bool
	}{
		{"an id", "c.id", numbersSeen(1, 2, 3), numbersSeen(4, 5, 6), false},
		{"hashes by their size", "x", seen("17293822569102704640", "1152921504606846976", "9223372036854775808"), seen("4611686018427387904", "12682136550675316736"), false},
		{"hashes, one failing run", "x", seen("17293822569102704640", "9223372036854775808"), seen("4611686018427387904"), false},
		{"a limit among many", "x", seen("-9223372036854775808", "-5", "-6"), seen("5", "6", "9223372036854775807"), true},
		{"nanoseconds since 1970", "x", seen("1700000000000000000", "1700000000500000000"), seen("1700000001000000000"), true},
		{"the same number in several runs", "x", numbersSeen(1, 1, 1<<62+5000), seen("-4611686018427387904"), true},
		{"durations", "d", seen("1.5s", "2s"), seen("12h"), true},
	} {
		w := v.value(valueInput{name: valueName{Expr: c.expr}, passing: c.pass, failing: c.fail})
		if got := w.Axis != nil; got != c.axis {
			t.Errorf("%s: axis %v, want %v", c.name, got, c.axis)
		}
		if !c.axis && fmt.Sprint(w.Sides[0].Cells[0].Text) != c.pass[0].Text {
			t.Errorf("%s: cells %v", c.name, w.Sides[0].Cells)
		}
	}
}
