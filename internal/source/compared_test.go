package source

import "testing"

// Names decide which functions compare, and which ignore the order.
func TestComparingNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Equal": true, "DeepEqual": true, "Exactly": true, "Diff": true, "Eq": true, "SliceEq": true, "SliceEqFunc": true, "CmpEq": true,
		"NotEq": false, "NotEqual": false, "ElementsMatch": false, "EqualUnordered": false, "SliceEqAnyOrder": false,
		"Sequence": false, "Seq": false, "Frequency": false, "eq2": false,
	} {
		if got := comparesWord.MatchString(name) && !ordersWord.MatchString(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
