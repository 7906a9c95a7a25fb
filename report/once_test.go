package report

import (
	"strings"
	"testing"
)

// A paragraph is told once for each failure, wherever it would come again.
func TestOnce(t *testing.T) {
	a, b, c, d := say("a"), say("b"), say("c"), say("d")
	w := &failureView{
		Happened: []prose{a, nil, b}, Others: []prose{b, c, c},
		Orders: []orderView{{Said: []prose{d, a}}, {Said: []prose{d, nil}}},
		Data:   []prose{c, d},
		Hang:   &hangView{Said: []prose{a, say("e")}},
		Chain:  []*divergenceView{{Happened: []prose{a, b}}, {Happened: []prose{a, say("f")}}}, // are kept
	}
	w.once()
	text := func(list []prose) (s string) {
		for _, p := range list {
			s += p.Plain() + "."
		}
		return s
	}
	got := text(w.Happened) + " " + text(w.Others) + " " + text(w.Hang.Said) + " " + text(w.Orders[0].Said) + " " + text(w.Orders[1].Said) +
		" " + text(w.Data) + " " + text(w.Chain[0].Happened) + " " + text(w.Chain[1].Happened)
	if want := "a..b. c. e. d. . " + " a.b. a.f."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What the times of several pictures count from is told once below them.
func TestAxisOnce(t *testing.T) {
	b := mdWriter{limit: 1 << 16}
	lanes := func(text string) *lanesView {
		return &lanesView{Text: []string{text}, Axis: "Times count from the start of the test."}
	}
	mdWhy(&b, &failureView{Orders: []orderView{{Lanes: lanes("a")}, {Lanes: lanes("b")}}})
	if want := "- a\n- b\n- Times count from the start of the test.\n\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q", b.String())
	}
}
