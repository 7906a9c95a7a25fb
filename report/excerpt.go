package report

import (
	"maps"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// maxExcerpt is how many lines of a function are shown in one piece of an excerpt;
// of a longer one its ends are.
const maxExcerpt = 10

// A causeMark says what a line has to do with a cause.
type causeMark struct{ class, mark, words string }

var (
	markHeld   = causeMark{"held", "▐", "held here it fails:"}
	markWindow = causeMark{"held", "▐", "an end of the window:"}
	markChosen = causeMark{"held", "◆", "chosen at random here:"}
	markAfter  = causeMark{"held", "◆", "chosen at random here or right after:"}
	markSet    = causeMark{"held", "◆", "decided outside of the program:"}
	markSooner = causeMark{"held", "①", "fails if this comes first:"}
	markLater  = causeMark{"held", "②", "and this then:"}
	markCure   = causeMark{"cure", "○", "held here instead it passes:"}
	markEarly  = causeMark{"cure", "○", "held here too it passes:"}
	markStart  = causeMark{"start", "▸", "starts the goroutine that is held:"}
)

// excerpt returns the few lines that a verdict is about, each marked with what was
// done there and what came of it.
func (v *viewer) excerpt(d *finding.Verdict) []listing {
	m := newMarker(v.src)
	v.markWindow(m, d)
	if d.Class == finding.Proved && d.Held() && d.Cures() {
		for _, s := range d.Cure[:min(len(d.Cure), 2)] {
			m.cause(spanLines(s), markCure, "held here"+instead(d)+": "+failedOf(d.Proof.Confirmed.Cure))
		}
	}
	if e := d.Early; e != nil {
		m.cause(spanLines(e.At), markEarly, "held here too, for longer"+v.timeWords(e.Visit, e.At)+": "+failedOf(e.Held))
	}
	if d.Proof.FromStart && d.Started.File != "" {
		m.cause(v.framePlace(d.Started), markStart, "starts the goroutine: held from its beginning on, it fails")
	}
	out := v.pieces(m)
	if d.Ordered() && len(out) == 2 && v.shows(&out[1], d.Window[0]) {
		slices.Reverse(out) // what comes first is shown first
	}
	return out
}

// shows reports whether a listing has the first line of some lines.
func (v *viewer) shows(l *listing, s finding.Span) bool {
	return l.File == v.fileName(s.File) && slices.ContainsFunc(l.Rows, func(r row) bool { return r.N == s.Start })
}

// wayRound is the order of two events in which the test passes, beside the second one.
func wayRound(d *finding.Verdict) string {
	if d.Past == nil {
		return "the other way round"
	}
	return "if the first comes later still"
}

// markWindow marks the lines between the ends of a window, or each place that chooses.
func (v *viewer) markWindow(m *marker, d *finding.Verdict) {
	mark := markHeld
	switch {
	case d.Ordered():
		v.markOrder(m, d)
		return
	case len(d.Settings()) > 0:
		mark = markSet
	case !d.Held() && mayBeAfter(d.Window):
		mark = markAfter
	case !d.Held():
		mark = markChosen
	}
	if !d.Held() || !v.markBetween(m, d, mark) {
		v.markPlaces(m, d, mark)
	}
}

// markOrder marks the two events whose order decides.
func (v *viewer) markOrder(m *marker, d *finding.Verdict) {
	m.cause(spanLines(d.Window[0]), markSooner, "comes first"+v.visitWords(d, 0)+": "+failedOf(d.Proof.Confirmed.With))
	then := "comes then" + v.visitWords(d, 1)
	if d.Proof.Confirmed.Cure.Of > 0 {
		then += "; " + wayRound(d) + ": " + failedOf(d.Proof.Confirmed.Cure)
	}
	m.cause(spanLines(d.Window[1]), markLater, then)
}

// markBetween marks each line of a window whose ends are in one function, as mark says,
// and reports whether they are.
func (v *viewer) markBetween(m *marker, d *finding.Verdict, mark causeMark) bool {
	n := len(d.Window)
	if n < 2 || len(d.Holds) > 0 {
		return false
	}
	first, last := spanLines(d.Window[0]), spanLines(d.Window[n-1])
	if first.File != last.File || first.Start > last.End || v.src.funcAt(first.File, first.Start) != v.src.funcAt(last.File, last.End) {
		return false
	}
	in := v.src.inner(first.File, first.Start)
	whole := v.src.inner(last.File, last.End) != in // it begins or ends in a literal
	for n := first.Start; n <= last.End; n++ {
		if at := m.at(first.File, n); whole || v.src.inner(first.File, n) == in { // what a literal does is done when it is called
			at.cause = &mark
		}
	}
	at := last
	if d.At.File != "" {
		at = heldPlace(d.At)
	}
	m.callout(at, callout{"here", v.windowText(d)})
	return true
}

// markPlaces marks the places of a window one by one, as mark says.
func (v *viewer) markPlaces(m *marker, d *finding.Verdict, mark causeMark) {
	text := v.windowText(d)
	for i, s := range d.Window[:min(len(d.Window), 3)] {
		said, mark := text, mark
		switch {
		case d.Held() && d.At.File != "" && s != d.At:
			said, mark = windowEnd(i)+v.endWords(d, i), markWindow
		case len(d.Holds) > 0 && i > 0:
			said = "and here"
		case d.Held() && d.At.File == "" && i > 0:
			said = "to here"
		}
		if d.Held() && mark != markWindow {
			m.cause(spanLines(s), mark)
			m.callout(heldPlace(s), callout{"here", said})
		} else {
			m.cause(spanLines(s), mark, said)
		}
	}
	if d.Held() && d.At.File != "" && !slices.Contains(d.Window, d.At) {
		m.cause(spanLines(d.At), mark)
		m.callout(heldPlace(d.At), callout{"here", text})
	}
}

// heldPlace is the line before which a goroutine is held that is held at a block.
func heldPlace(s finding.Span) place {
	s.End = s.Start
	return spanLines(s)
}

// windowEnd says of a line that the window begins or ends there, and that it was not held
// there in the runs that count.
func windowEnd(i int) string {
	if i == 0 {
		return "the window begins here"
	}
	return "the window ends here"
}

// windowText is what the bubble at a window says.
func (v *viewer) windowText(d *finding.Verdict) string {
	switch {
	case d.Ordered():
		comes := "if this comes before "
		if !d.OrderDecides() {
			comes = "if this is made to come before "
		}
		return comes + at(trace.Frame{File: d.Window[1].File, Line: d.Window[1].Start}) + ": " + failedOf(d.Proof.Confirmed.With)
	case d.Kind() == "gc" && len(d.Settings()) > 0:
		return "garbage is collected before this: " + failedOf(d.Proof.Confirmed.With)
	case len(d.Settings()) > 0:
		return "asked for here, and set (" + v.clean.line(d.Kind(), 60) + "): " + failedOf(d.Proof.Confirmed.With)
	case !d.Held():
		return "chosen at random " + chosenHere(d) + " (" + v.kindWords(d.Kind()) + ")"
	}
	times := ""
	if d.At.File != "" {
		times = v.visitWords(d, 0)
	}
	return "held here" + lasting(d) + times + ": " + failedOf(d.Proof.Confirmed.With)
}

// spanLines returns the lines of a span as a place.
func spanLines(s finding.Span) place {
	p := place{File: s.File, Start: s.Start, End: max(s.Start, s.End), Func: -1}
	for n := p.Start; n <= p.End; n++ {
		p.Lines = append(p.Lines, n)
	}
	return p
}

// cause marks the lines of a place, with a word bubble, if there is a text, below the last.
func (m *marker) cause(p place, mark causeMark, text ...string) {
	for _, n := range p.Lines {
		m.at(p.File, n).cause = &mark
	}
	for _, t := range text {
		m.callout(p, callout{"here", t})
	}
}

// markCauses puts a word bubble at the places of the verdicts.
func (v *viewer) markCauses(m *marker) {
	for i := range v.t.Verdicts {
		d := &v.t.Verdicts[i]
		n := len(d.Window)
		if d.Ordered() {
			n = 1
		}
		if d.At.File != "" {
			m.callout(heldPlace(d.At), callout{"here", v.causeText(d)})
		} else if n > 0 {
			m.callout(spanLines(d.Window[n-1]), callout{"here", v.causeText(d)})
		}
	}
}

// causeText is what the bubble at a window says in a listing that is about some goroutine: the one
// that is held may be another.
func (v *viewer) causeText(d *finding.Verdict) string {
	text := "cause: "
	if v.f != nil && d.Signature != "" && !d.About(v.f) { // of another failure of the test
		text = "cause of another failure: "
		if of := v.ofFailures(d); of != "" {
			text = "cause " + of + ": "
		}
	}
	if d.Held() && !d.Ordered() && len(d.Holds) == 0 {
		text += v.whoOf(d).Plain() + " "
	}
	return text + v.windowText(d)
}

// likelyExcerpt returns the lines around a place that is likely, but not shown, to be
// the cause.
func (v *viewer) likelyExcerpt(s *finding.Suspect) []listing {
	m := newMarker(v.src)
	p := spanLines(finding.Span{File: s.File, Start: s.Start, End: min(s.End, s.Start+maxExcerpt)})
	mark := causeMark{"held", "▸", lowerFirst(likely(s)) + ":"}
	for _, n := range p.Lines {
		m.at(p.File, n).cause = &mark
	}
	return v.pieces(m)
}

// pieces lists what m has marks in, function by function: from the first marked line
// to the last, with a line before and after if there is just one piece.
func (v *viewer) pieces(m *marker) []listing {
	var out []listing
	around := 1
	if len(m.files) > 1 {
		around = 0
	}
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		byFunc := map[int][]int{}
		for n := range m.files[file] {
			f := v.src.funcAt(file, n)
			byFunc[f] = append(byFunc[f], n)
		}
		if len(byFunc) > 1 {
			around = 0
		}
		for _, f := range slices.Sorted(maps.Keys(byFunc)) {
			if l := v.piece(m, file, f, byFunc[f], around); len(l.Rows) > 0 {
				out = append(out, l)
			}
		}
	}
	return out
}

// piece lists the marked lines of one function, -1 for none.
func (v *viewer) piece(m *marker, file string, f int, lines []int, around int) listing {
	l := listing{File: v.fileName(file)}
	start, end := max(slices.Min(lines)-around, 1), min(slices.Max(lines)+around, len(v.src.lines(file)))
	if f >= 0 {
		fn := v.src.r.Sites.Funcs[f]
		l.Func = v.clean.line(fn.Name, 200)
		start, end = max(start, fn.Line), min(end, fn.End)
	}
	if start > end {
		return l
	}
	tokens := v.tokens(file, nil, start, end)
	for n := start; n <= end; n++ {
		if far(lines, n) && end-start >= maxExcerpt {
			stop := n
			for stop < end && far(lines, stop+1) {
				stop++
			}
			l.Rows = append(l.Rows, v.fold(file, m.files[file], tokens, n, stop))
			n = stop
			continue
		}
		l.Rows = append(l.Rows, v.row(file, n, m.files[file][n], tokens[n]))
	}
	return l
}

// far reports whether no end of a run of marked lines is near line n: what lies
// between two places, and the inside of a long window.
func far(lines []int, n int) bool {
	return !slices.ContainsFunc(lines, func(x int) bool {
		end := !slices.Contains(lines, x-1) || !slices.Contains(lines, x+1)
		return end && x-1 <= n && n <= x+1
	})
}

// chosenHere says where a choice is made: on the lines that are marked, or it is not known
// how far behind them.
func chosenHere(d *finding.Verdict) string {
	if mayBeAfter(d.Window) {
		return "here or right after"
	}
	return "here"
}
