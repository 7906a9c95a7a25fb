// Package floatingpoint divides traffic between the versions of a service during
// a release. Each version has a weight, and the weights add up to 1.
package floatingpoint

import (
	"errors"
	"fmt"
	"slices"
)

// ErrWeights says that weights do not add up to 1.
var ErrWeights = errors.New("weights do not add up to 1")

// A Split maps the name of each version to its share of the traffic.
type Split map[string]float64

// Validate reports what is wrong with a split.
func (s Split) Validate() error {
	for name, w := range s {
		if w < 0 || w > 1 {
			return fmt.Errorf("weight %v of %s is not between 0 and 1", w, name)
		}
	}
	if sum := s.sum(); sum != 1 {
		return fmt.Errorf("%w: the sum is %v", ErrWeights, sum)
	}
	return nil
}

// Shift returns a copy of s in which to has a share that is amount larger, taken
// from from.
func (s Split) Shift(from, to string, amount float64) (Split, error) {
	if s[from] < amount {
		return nil, fmt.Errorf("%s has only %v", from, s[from])
	}
	out := make(Split, len(s)+1)
	for name, w := range s {
		out[name] = w
	}
	out[from] -= amount
	out[to] += amount
	return out, out.Validate()
}

// Pick returns the version that serves the request with hash x, 0 <= x < 1.
func (s Split) Pick(x float64) string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if x < s[name] {
			return name
		}
		x -= s[name]
	}
	return names[len(names)-1]
}

func (s Split) sum() float64 {
	var sum float64
	for _, w := range s {
		sum += w
	}
	return sum
}
