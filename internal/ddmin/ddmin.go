// Package ddmin finds the smallest part of a set that does what all of it does, by asking.
package ddmin

// Least returns a smallest subset of all, in which no element can be missed, for which
// fails still holds (Zeller and Hildebrandt's delta debugging). fails(all) is known to
// hold. At an error the smallest subset so far is returned.
func Least[E any](all []E, fails func([]E) (bool, error)) ([]E, error) {
	n := 2
	for len(all) >= 2 {
		smaller, parts, err := reduce(all, n, fails)
		if err != nil {
			return all, err
		}
		switch {
		case smaller != nil:
			all, n = smaller, max(2, min(parts, len(smaller)))
		case n >= len(all):
			return all, nil
		default:
			n = min(2*n, len(all))
		}
	}
	return all, nil
}

// reduce tries each of n parts of all, then all but each, and returns the first that
// fails and into how many parts that is to be cut; nil if none does.
func reduce[E any](all []E, n int, fails func([]E) (bool, error)) ([]E, int, error) {
	part := func(i int) (from, to int) { return i * len(all) / n, (i + 1) * len(all) / n }
	for i := range n {
		from, to := part(i)
		if is, err := fails(all[from:to]); err != nil || is {
			return all[from:to:to], 2, err
		}
	}
	if n == 2 {
		return nil, 0, nil // the other parts are those
	}
	for i := range n {
		from, to := part(i)
		rest := append(append([]E(nil), all[:from]...), all[to:]...)
		if is, err := fails(rest); err != nil || is {
			return rest, n - 1, err
		}
	}
	return nil, 0, nil
}
