package freedom

import "slices"

// An arm is a case of a select, in one visit or, with 0, in any.
type arm struct {
	dice
	cases  int
	number int // as the runtime has it
	visit  int
}

// ranks returns how many cases are looked at before that of the arm, in each visit. The first that is ready is taken.
func (x *arm) ranks(seed uint64) (list []int) {
	for i := 0; i < x.count; i += x.cases - 1 {
		order := []int{0}
		for n := 1; n < x.cases; n++ {
			j := x.dice.number(seed, uint32(i+n)) % uint64(n+1)
			order = append(order, 0)
			order[n] = order[j]
			order[j] = n
		}
		list = append(list, slices.Index(order, x.number))
	}
	return list
}

// looked is 1 if the case is looked at first, in some visit: then it is taken if it is ready. It is -1 if it is looked at
// last, in all of them.
func (x *arm) looked(seed uint64) int64 {
	list := x.ranks(seed)
	if x.visit > 0 {
		list = list[x.visit-1 : x.visit]
	}
	if slices.Contains(list, 0) {
		return 1
	} else if slices.Min(list) == x.cases-1 {
		return -1
	}
	return 0
}

// narrowSelect finds the case with which the test fails if it is taken, and passes if not.
func narrowSelect(a Act[Site], passes bool, b Bench, fails Fails) *Law {
	id, count := b.Drawer(a.Kind, a.At.Block)
	lines := b.Cases(a.At.Block)
	if passes || a.What == AllChoices || count == 0 || len(lines) < 2 || count%(len(lines)-1) != 0 {
		return nil
	}
	visits := count / (len(lines) - 1)
	for visit := range 1 + min(visits, maxLone)*min(visits-1, 1) {
		for number, line := range lines {
			x := &arm{dice: diceOf(a, b, id, count), cases: len(lines), number: number, visit: visit}
			x.value = x.looked
			first, last := func(v int64) bool { return v == 1 }, func(v int64) bool { return v == -1 }
			if x.mayDecide(a.Seed, b.Outcomes()) && x.fails(x.acts(inUnit, first), fails) && !x.fails(x.acts(1, last), fails) {
				return x.lawOf(Range{Unit: int64(visit), Of: taken, From: int64(line), To: int64(line) + 1}, first, last)
			}
		}
	}
	return nil
}

// mayDecide reports whether what is known of runs, by their seeds, leaves that an arm decides.
func (x *arm) mayDecide(own uint64, failed map[uint64]bool) bool {
	for seed, fails := range failed {
		if v := x.value(seed); v == 1 && !fails || v == -1 && fails {
			return false
		}
	}
	return x.value(own) >= 0
}
