// Package ddmin finds a smallest part of a set that has the same effect as the whole, by trying.
package ddmin

// Least returns a smallest subset of all for which fails still holds, and in which every element
// is needed (Zeller and Hildebrandt's delta debugging). fails(all) must hold. After an error it
// returns the smallest subset so far.
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

// reduce tries each of n parts of all, then all but each part. It returns the first that fails,
// and into how many parts to cut that, or nil if none fails.
func reduce[E any](all []E, n int, fails func([]E) (bool, error)) ([]E, int, error) {
	part := func(i int) (from, to int) { return i * len(all) / n, (i + 1) * len(all) / n }
	for i := range n {
		from, to := part(i)
		if is, err := fails(all[from:to]); err != nil || is {
			return all[from:to:to], 2, err
		}
	}
	if n == 2 {
		return nil, 0, nil // the complements are the other parts
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
