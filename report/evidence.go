package report

// An evidencePart is one piece of what speaks for a cause: the first is open on the
// page, the others are folded.
type evidencePart struct{ Kind, Title string }

// maxOpenValues is how many operands are shown openly.
const maxOpenValues = 3

// A valuesTable is some of the values of a failure.
type valuesTable struct {
	ValuesCaption string
	Values        []valueView
}

// TopValues are the values that are shown openly, nil for none; MoreValues the others.
func (w *failureView) TopValues() *valuesTable {
	return w.table(w.Values[:min(len(w.Values), maxOpenValues)])
}

// MoreValues returns the values that are folded.
func (w *failureView) MoreValues() *valuesTable {
	return w.table(w.Values[min(len(w.Values), maxOpenValues):])
}

func (w *failureView) table(list []valueView) *valuesTable {
	if len(list) == 0 {
		return nil
	}
	return &valuesTable{w.ValuesCaption, list}
}

// evidence lists the parts that there are: who waits first, for a hang; what an order
// of goroutines shows before values if goroutines were held to make it fail. boxed says
// that the places are in the box at the top already.
func (w *failureView) evidence(held, boxed bool) []evidencePart {
	var out []evidencePart
	add := func(is bool, kind, title string) {
		if is {
			out = append(out, evidencePart{kind, title})
		}
	}
	add(w.Hang != nil, "waits", "Who waits")
	add(held && len(w.Orders) > 0, "orders", "What other goroutines had done by then")
	add(len(w.Values)+len(w.Data) > 0, "values", "Values")
	add(!held && len(w.Orders) > 0, "orders", "What other goroutines had done by then")
	add(len(w.Races) > 0, "races", "What the race detector reported")
	add(len(w.Suspects) > 0 && !boxed, "places", "Places to look at, best first")
	add(len(w.Others) > 0, "goroutines", "Goroutines found on one side only")
	add(w.Curve != nil, "curve", "Runs that behave the same, step by step")
	add(len(w.Spectrum) > 0, "spectrum", "Suspicious lines (Ochiai)")
	return out
}

// boxed reports whether the places of a failure are in the box at the top: those that
// are likely, where nothing was shown.
func (v *viewer) boxed() bool {
	list := v.t.Suspects()
	return len(v.t.Verdicts) == 0 && len(list) > 0 && len(v.f.Suspects) > 0 && &list[0] == &v.f.Suspects[0] && count(v.t.Runs).Passed > 0
}
