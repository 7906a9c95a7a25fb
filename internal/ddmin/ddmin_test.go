package ddmin

import (
	"errors"
	"slices"
	"testing"
)

func TestDDMin(t *testing.T) {
	all := func(n int) (list []int) {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	for _, c := range []struct {
		n    int
		want []int
	}{
		{1, []int{0}}, {2, []int{1}}, {8, []int{3}}, {8, []int{0, 7}}, {13, []int{2, 3, 11}}, {5, []int{0, 1, 2, 3, 4}}, {100, []int{50}},
	} {
		asked := 0
		got, err := Least(all(c.n), func(list []int) (bool, error) {
			asked++
			for _, w := range c.want {
				if !slices.Contains(list, w) {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("of %d: %v, %v; want %v", c.n, got, err, c.want)
		}
		if most := c.n*c.n + 3*c.n; asked > most { // the bound of its authors
			t.Errorf("of %d: asked %d times", c.n, asked)
		}
	}
	stop := errors.New("stop")
	if got, err := Least(all(4), func([]int) (bool, error) { return false, stop }); err != stop || len(got) != 4 {
		t.Errorf("at an error: %v, %v", got, err)
	}
}
