package inject

import "slices"

// A queue has the candidates that are still to be tried. Operators take turns.
type queue struct {
	operators []*operatorQueue
	at        int // whose turn it is
}

// An operatorQueue has the candidates of one operator.
type operatorQueue struct {
	name   string
	list   []*candidate
	misses int // tries since the last one that was in
	wait   int // turns to skip
}

const missesATurn = 5 // tries in vain that cost an operator one more turn

// newQueue makes a queue from lists of one operator each.
func newQueue(lists [][]*candidate) *queue {
	q := &queue{}
	for _, l := range lists {
		q.operators = append(q.operators, &operatorQueue{name: l[0].Operator, list: l})
	}
	return q
}

// next removes the next candidate for which want reports true, and returns it, or nil if there is
// none.
func (q *queue) next(want func(*candidate) bool) *candidate {
	for q.left() > 0 {
		q.at %= len(q.operators)
		o := q.operators[q.at]
		q.at++
		if o.wait--; o.wait >= 0 {
			continue
		}
		o.wait = o.misses / missesATurn
		for len(o.list) > 0 {
			c := o.list[0]
			o.list = o.list[1:]
			if want(c) {
				return c
			}
		}
	}
	return nil
}

// left returns how many candidates are left.
func (q *queue) left() (n int) {
	for _, o := range q.operators {
		n += len(o.list)
	}
	return n
}

// note records the result for a candidate.
func (q *queue) note(operator string, in bool) {
	i := slices.IndexFunc(q.operators, func(o *operatorQueue) bool { return o.name == operator })
	if i < 0 {
		return
	}
	q.operators[i].misses++
	if in {
		q.operators[i].misses, q.operators[i].wait = 0, 0
	}
}
