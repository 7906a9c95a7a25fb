package runner

import (
	"slices"
	"strings"
)

// varying replaces text in a group's message that differs from run to run.
const varying = "…"

// maxWordings is how many different messages one place may have. If it has more, the text
// contains values ("got [b a c]") and the failures are the same.
const maxWordings = 3

// A Group is the failures of one unit with the same signature.
type Group struct {
	Signature Signature
	Runs      []UnitRun // in order; the first one's Outcome is as good an example as any
}

// groups sorts a unit's failing runs by signature, the most frequent first.
func groups(runs []UnitRun) []*Group {
	byPlace := make(map[Signature][]UnitRun) // the key has no message
	var order []Signature
	for _, r := range runs {
		if !r.Status.Failing() {
			continue
		}
		key := r.Outcome.Signature
		key.Message = ""
		if byPlace[key] == nil {
			order = append(order, key)
		}
		byPlace[key] = append(byPlace[key], r)
	}
	var gs []*Group
	for _, key := range order {
		gs = append(gs, split(byPlace[key])...)
	}
	slices.SortStableFunc(gs, func(a, b *Group) int { return len(b.Runs) - len(a.Runs) })
	return gs
}

// split divides the failures at one place by their messages.
func split(runs []UnitRun) []*Group {
	var gs []*Group
	for _, r := range runs {
		i := slices.IndexFunc(gs, func(g *Group) bool { return g.Signature == r.Outcome.Signature })
		if i < 0 {
			i = len(gs)
			gs = append(gs, &Group{Signature: r.Outcome.Signature})
		}
		gs[i].Runs = append(gs[i].Runs, r)
	}
	if len(gs) <= maxWordings || gs[0].Signature.Frame.File == "" {
		return gs
	}
	all := &Group{Signature: gs[0].Signature, Runs: runs}
	all.Signature.Message = template(gs)
	return []*Group{all}
}

// template returns the words that the groups' messages have in common at both ends, with the mark
// [varying] in between.
func template(gs []*Group) string {
	first := strings.Fields(gs[0].Signature.Message)
	head, tail := len(first), len(first)
	for _, g := range gs[1:] {
		words := strings.Fields(g.Signature.Message)
		head = min(head, common(first, words))
		tail = min(tail, commonEnd(first, words), len(words)-head)
	}
	tail = max(min(tail, len(first)-head), 0)
	words := append(slices.Clone(first[:head]), varying)
	return strings.Join(append(words, first[len(first)-tail:]...), " ")
}

// common returns the length of the longest common prefix.
func common(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
