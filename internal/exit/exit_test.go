package exit

import "testing"

func TestOf(t *testing.T) {
	for _, c := range []struct {
		codes []int
		want  int
	}{
		{nil, OK},
		{[]int{OK, OK}, OK},
		{[]int{OK, Trouble}, Trouble},
		{[]int{Trouble, Flaky}, Flaky},
		{[]int{Flaky, Interrupted, Trouble}, Interrupted},
		{[]int{Usage, Trouble}, Usage},
	} {
		if got := Of(c.codes...); got != c.want {
			t.Errorf("%v: %d, want %d", c.codes, got, c.want)
		}
	}
}
