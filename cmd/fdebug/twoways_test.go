package main

import (
	"encoding/json"
	"testing"
)

const twoWaysTest = `package two

import (
	"math/rand/v2"
	"testing"
)

func TestTwo(t *testing.T) {
	x := rand.IntN(300)
	if x < 100 {
		t.Fatal("too low")
	}
	y := rand.IntN(2)
	if y == 0 {
		t.Fatal("no head")
	}
}
`

// TestTwoWays uses recorded runs of a test that fails in two ways: each is compared separately,
// with the values that decided and the places to look at.
func TestTwoWays(t *testing.T) {
	data, _ := recordedOf(t, "twoways", map[string]string{"go.mod": "module example.com/two\n\ngo 1.25\n", "two_test.go": twoWaysTest}, "-n", "60")
	var r struct {
		Tests []struct {
			Suspects []lineRange
			Failures []struct {
				Message  string
				Values   []valueFound
				Suspects []lineRange
			}
		}
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tests) != 1 || len(r.Tests[0].Failures) != 2 {
		t.Fatalf("got %+v, want one test that fails in two ways", r.Tests)
	}
	first := r.Tests[0].Failures[0]
	if len(first.Suspects) == 0 || len(r.Tests[0].Suspects) != len(first.Suspects) || r.Tests[0].Suspects[0] != first.Suspects[0] {
		t.Errorf("suspects of the test %v, of its first failure %v", r.Tests[0].Suspects, first.Suspects)
	}
	for _, f := range r.Tests[0].Failures {
		expr, call := "x", lineRange{"two_test.go", 9, 9}
		if f.Message == "no head" {
			expr, call = "y", lineRange{"two_test.go", 13, 13}
		}
		if len(f.Suspects) == 0 || f.Suspects[0] != call {
			t.Errorf("%s: suspects %v, want first %v", f.Message, f.Suspects, call)
		}
		found := false
		for _, v := range f.Values {
			found = found || v.Expr == expr
		}
		if !found {
			t.Errorf("%s: values %+v, want those of %s", f.Message, f.Values, expr)
		}
	}
}
