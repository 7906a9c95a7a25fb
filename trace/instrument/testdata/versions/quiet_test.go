package m

import "testing"

// TestQuiet goes on after a panic in code that calls nothing.
func TestQuiet(t *testing.T) {
	for n := range 3 {
		func() {
			defer func() {
				if recover() != nil {
					branch(n)
				}
			}()
			down(n - 1)
		}()
	}
}
