package finding

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

// TestCompare has evidence in the order that is wanted, the best first: each
// differs from the one before in what counts least of all that is worse, though
// all that counts less is better.
func TestCompare(t *testing.T) {
	perfect := divergence.Table{FailTaken: 5, PassNot: 20}
	mixed := divergence.Table{FailTaken: 5, PassTaken: 1, PassNot: 19}
	list := []struct {
		name string
		e    Evidence
	}{
		{"proved", Evidence{Class: Proved, P: 1, Step: 3}},
		{"reproduced", Evidence{Class: Reproduced, Link: Mentions, Table: mixed, P: 1, Step: 3}},
		{"mechanism, feeds", Evidence{Class: Mechanism, Link: Feeds, Table: mixed, P: 1, Step: 3}},
		{"mechanism, unlinked", Evidence{Class: Mechanism, Table: perfect, P: 0.001}},
		{"associated, chance", Evidence{Class: Associated, Chance: true, Table: mixed, P: 0.5, Step: 3}},
		{"associated, decides, perfect", Evidence{Class: Associated, Link: Decides, Table: perfect, P: 0.5, Step: 2}},
		{"associated, decides, earlier", Evidence{Class: Associated, Link: Decides, Table: mixed, P: 0.5, Step: 1}},
		{"associated, decides, smaller p", Evidence{Class: Associated, Link: Decides, Table: mixed, P: 0.001, Step: 2}},
		{"associated, decides", Evidence{Class: Associated, Link: Decides, Table: mixed, P: 0.01, Step: 2}},
		{"associated, feeds", Evidence{Class: Associated, Link: Feeds, Table: perfect}},
		{"associated, mentions", Evidence{Class: Associated, Link: Mentions, Table: perfect}},
		{"associated", Evidence{Class: Associated, Table: perfect}},
		{"hint", Evidence{Class: Hint, Link: Decides, Table: perfect}},
		{"symptom", Evidence{Class: Symptom, Link: Decides, Table: perfect}},
	}
	for i, a := range list {
		for j, b := range list {
			got := a.e.Compare(b.e)
			if i < j && got >= 0 || i == j && got != 0 || i > j && got <= 0 {
				t.Errorf("%s against %s: %d", a.name, b.name, got)
			}
		}
	}
}

// A table that nobody counted separates nothing.
func TestCompareUncounted(t *testing.T) {
	counted := Evidence{Class: Associated, Table: divergence.Table{FailTaken: 5, PassNot: 20}, P: 0.01}
	if c := counted.Compare(Evidence{Class: Associated}); c >= 0 {
		t.Errorf("got %d", c)
	}
}

// TestText has the names that result.json has.
func TestText(t *testing.T) {
	for c, want := range map[Class]string{Symptom: "symptom", Hint: "hint", Associated: "associated", Mechanism: "mechanism", Reproduced: "reproduced", Proved: "proved"} {
		if text, err := c.MarshalText(); string(text) != want || err != nil {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
	}
	for l, want := range map[Link]string{Unlinked: "", Mentions: "mentions", Feeds: "feeds", Decides: "decides"} {
		if text := l.String(); text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
}
