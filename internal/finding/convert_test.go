package finding

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
)

// A verdict comes out of its file as it went in, and so does one that was kept before verdicts had a proof.
func TestKeptVerdicts(t *testing.T) {
	want := Verdict{
		Class: Proved, Signature: "s", Window: []Span{{File: "x.go", Start: 3, End: 4}},
		Proof: proof.Proof{
			Natural: true, FromStart: true, Plan: proof.Named("stall"), Before: []string{"TestA"}, Limit: "5ms (x.go:3)", Smallest: 2 * time.Millisecond, Runs: 90, Kept: 10, Took: time.Second,
			Confirmed: proof.Confirmation{
				With: Count{Failed: 19, Of: 20, Other: 1}, Plain: Count{Of: 20}, Sham: Count{Failed: 1, Of: 18, Missed: 22}, Cure: Count{Of: 20}, Held: 6 * time.Millisecond,
			},
		},
	}
	now, err := json.Marshal(&want)
	if err != nil {
		t.Fatal(err)
	}
	old, err := json.Marshal(map[string]any{
		"Class": want.Class, "Kind": "stall+tests", "Tests": []string{"TestA"}, "Signature": "s", "Window": want.Window, "Natural": true, "FromBeginning": true, "Always": false,
		"Limit": "5ms (x.go:3)", "Smallest": 2e6, "Lasted": 6e6, "Took": 1e9, "Runs": 90, "Kept": 10,
		"With": map[string]int{"Failed": 19, "Of": 20, "Other": 1}, "Plain": map[string]int{"Of": 20},
		"Sham": map[string]int{"Failed": 1, "Of": 18, "Missed": 22}, "Cured": map[string]int{"Of": 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{now, old} {
		var got Verdict
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as\n%+v, %v, want\n%+v", data, got, err, want)
		}
	}
}

// What the system around the program was set to is an act of the plan, also of what was kept before there were acts.
func TestKeptSettings(t *testing.T) {
	for _, c := range []struct {
		old  string
		want proof.Acts
	}{
		{`{"Kind": "clock", "Settings": [{"Kind": "clock", "What": "phase", "Value": 5, "Unit": 10}]}`, proof.Acts{{Kind: "clock", What: perturb.ClockPhase, Value: 5, Unit: 10}}},
		{`{"Kind": "gc", "Settings": [{"Kind": "gc", "What": "at"}]}`, proof.Acts{{Kind: "gc", At: &proof.Place{}}}},
		{`{"Kind": "gc", "Settings": [{"Kind": "gc", "What": "often"}]}`, proof.Acts{{Kind: "gc", What: perturb.GCOften}}},
		{`{"Kind": "stall+select"}`, nil},
	} {
		var v Verdict
		if err := json.Unmarshal([]byte(c.old), &v); err != nil || len(v.Settings()) != len(c.want) || len(c.want) > 0 && !reflect.DeepEqual(v.Settings(), c.want) {
			t.Errorf("%s: set are %+v, %v, want %+v", c.old, v.Settings(), err, c.want)
		}
	}
}
