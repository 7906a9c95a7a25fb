package report

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// maxSuspects is how many places of a failure are in result.json.
const maxSuspects = 5

// likelyP is the p-value up to which what differs between recorded runs is called likely.
const likelyP = 0.01

// suspected is for a failure that nothing was shown of: the sentence of the proof that would
// be made at the place that is ranked first.
func (v *viewer) suspected(f *finding.Failure, s *finding.Suspect) *causeView {
	c := v.unknown(f)
	said, mark := v.likelySaid(s)
	sure := s.Class >= finding.Mechanism
	if len(said) == 0 || !sure && (s.Class < finding.Associated || s.P > likelyP) {
		return v.lookAt(c, s)
	}
	c.Verdict = "likely"
	m := newMarker(v.src)
	m.cause(suspectPlace(clipped(s)), markHeld, mark.With())
	for _, o := range v.partners(s) {
		m.cause(spanLines(o.at), markOther, o.mark)
	}
	c.Code = v.pieces(m)
	c.Said = said
	if !sure {
		c.Said[0] = said[0].Likely()
		c.Bars = tableBars(s.Table)
	}
	if h := f.Hang; h != nil && h.Failing > 0 {
		if h.Kind == finding.HangGaveUp && said[0].Is(say.Hang) {
			said[0] = say.GaveUp.With()
		}
		c.Bars = []barView{v.hungBar(h)}
		if c.Kind == "" {
			c.Kind = "timeout"
		}
	}
	if r := &s.Reason; r.Kind == finding.ReasonRace && r.Of > 0 {
		c.Bars = []barView{bar(say.BarRaced.With(), r.Seen, r.Of)}
	}
	if fix := v.reasonFix(s); len(fix) > 0 {
		c.Fix = fix
	}
	c.named = append(c.named, finding.Span{File: s.File, Start: s.Start, End: s.End})
	return c
}

// lookAt adds the place that is ranked first to a cause that is unknown, unless it is no more than where runs differ.
func (v *viewer) lookAt(c *causeView, s *finding.Suspect) *causeView {
	if Surfaces(s) || s.Reason.Kind == finding.ReasonDivergence {
		return c
	}
	m := newMarker(v.src)
	m.cause(suspectPlace(clipped(s)), markHeld, v.reason(s))
	c.Code = v.pieces(m)
	c.Said = append(c.Said, say.LookAt.With(v.code(suspectPlace(s))))
	c.Fix = v.reasonFix(s)
	c.named = append(c.named, finding.Span{File: s.File, Start: s.Start, End: s.End})
	return c
}

// clipped is a place cut to the lines that an excerpt has.
func clipped(s *finding.Suspect) *finding.Suspect {
	x := *s
	x.End = min(s.End, s.Start+maxExcerpt)
	return &x
}

// A likelySaid is what is said of a place that is likely to be the cause: sentences with what fills their slots, see
// [viewer.fill], and the mark of the place.
type likelySaid struct {
	words say.Template
	slots string
	then  say.Template // a second sentence, "" for none
	mark  say.Label
}

// likelies are the sentences of the proofs that would be made, and of what was seen to happen.
var likelies = map[finding.ReasonKind]likelySaid{
	finding.ReasonLate: {say.Order, "Foh", "", say.MarkFirst}, finding.ReasonTimedWait: {say.SleepEnds, "Fho", "", say.MarkEarly}, finding.ReasonEarly: {say.Order, "Fho", "", say.MarkEarly},
	finding.ReasonSelect: {say.Select, "Fo", "", say.MarkChoice}, finding.ReasonSelectOnce: {say.Select, "Fo", "", say.MarkChoice}, finding.ReasonAsserted: {say.MapOrder, "Ft", "", say.MarkChoice},
	finding.ReasonRace: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceGo: {say.Race, "", "", say.MarkStartsGo}, finding.ReasonRaceLost: {say.Race, "", "", say.MarkStartsGo},
	finding.ReasonRaceSignal: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceAdd: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceUnlock: {say.Race, "", "", say.MarkLikely},
	finding.ReasonRaceNoLock: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceUnguarded: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceShared: {say.Race, "", "", say.MarkLikely},
	finding.ReasonRaceLook: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceBranch: {say.Race, "", "", say.MarkLikely}, finding.ReasonRaceOutlives: {say.Race, "", "", say.MarkLikely},
	finding.ReasonRaceSleep: {say.Race, "", "", say.MarkLikely}, finding.ReasonLockOrder: {say.Locks, "", "", say.MarkWaits}, finding.ReasonSelfLock: {say.SelfLock, "", "", say.MarkWaits},
	finding.ReasonLeakedLock: {say.LeakedLock, "h", "", say.MarkLocks}, finding.ReasonNeverEnds: {say.Hang, "", say.HangEnded, say.MarkEnded}, finding.ReasonTurned: {say.Hang, "", say.HangEnded, say.MarkEnded},
	finding.ReasonTooEarly: {say.Hang, "", say.HangEarly, say.MarkWaits}, finding.ReasonWaits: {say.Hang, "", "", say.MarkWaits}, finding.ReasonWaited: {say.Hang, "", "", say.MarkWaits},
	finding.ReasonEndsWait: {say.HangEnds, "h", "", say.MarkEnds}, finding.ReasonGaveUp: {say.GaveUp, "", "", say.MarkWaits},
	finding.ReasonLimit: {say.HoldLimit, "FLh", "", say.MarkLimit}, finding.ReasonLimitNear: {say.HoldLimit, "FLh", "", say.MarkLimit},
	finding.ReasonOutlives: {say.PanicEnded, "", "", say.MarkEndsTest}, finding.ReasonOutlivesEnd: {say.PanicEnded, "", "", say.MarkEndsTest},
	finding.ReasonOutlivesSleep: {say.PanicEnded, "", "", say.MarkEndsTest}, finding.ReasonOutlivesSignal: {say.PanicEnded, "", "", say.MarkEndsTest},
}

// likelySaid is the sentence for a place that is likely, or was seen, to be the cause, with
// what its mark says; none if it is no more than where runs differ.
func (v *viewer) likelySaid(s *finding.Suspect) ([]say.Sentence, say.Label) {
	if x, ok := likelies[s.Reason.Kind]; ok {
		said := []say.Sentence{v.fill(x.words, x.slots, s)}
		if x.then != "" {
			said = append(said, x.then.With())
		}
		if s.Reason.Kind == finding.ReasonRace {
			x.mark = accessMark(s.Reason.Access)
		}
		return said, x.mark
	}
	switch s.Reason.Kind {
	case finding.ReasonDraw, finding.ReasonDrawVaries:
		return v.drawSaid(s)
	case finding.ReasonCrash, finding.ReasonCrashCall:
		return v.crashSaid(s)
	}
	if _, ok := testReasons[s.Reason.Kind]; ok {
		return v.testsSaid(s), say.MarkReadHere
	}
	return nil, ""
}

// randomSource reports whether a value comes from a random number generator.
func randomSource(source string) bool {
	return source == "math/rand" || source == "math/rand/v2" || source == "crypto/rand"
}

// drawSaid is the sentence for a value that enters by chance.
func (v *viewer) drawSaid(s *finding.Suspect) ([]say.Sentence, say.Label) {
	at := finding.Span{File: s.File, Start: s.Start, End: s.End}
	if Surfaces(s) {
		return nil, ""
	}
	switch s.Reason.Source {
	case "map order":
		if over := v.ranged(at); over.Text != "" {
			return []say.Sentence{say.MapOrder.With(say.Fails, over)}, say.MarkChoice
		}
		return []say.Sentence{say.MapCalled.With(say.Fails, v.spanCode(at))}, say.MarkChoice
	case "the order of tests":
		return nil, ""
	}
	words := say.Values
	if randomSource(s.Reason.Source) {
		words = say.Rand
	}
	return []say.Sentence{words.With(say.Fails, v.drawn(at))}, say.MarkChoice
}

// testsSaid is the sentence for a test that ran before, or did not.
func (v *viewer) testsSaid(s *finding.Suspect) []say.Sentence {
	r := &s.Reason
	before := s.Reason.Tests
	if len(before) == 0 && r.Code != "" {
		before = []string{r.Code}
	}
	if len(before) == 0 {
		return nil
	}
	words := say.AfterTest
	if !r.FailsIf {
		words = say.UnlessTest
	}
	list := []say.Sentence{words.With(say.Fails, say.Name(v.clean.line(before[0], 200)))}
	if r.Var != "" && r.FailsIf && !r.Maybe && (r.Kind == finding.ReasonTest || r.Kind == finding.ReasonPolluted) {
		at := v.at(suspectPlace(s))
		at.Text = v.clean.line(r.Var, 100)
		list = append(list, say.Leaves.With(say.Name(v.clean.line(r.Code, 200)), at))
	}
	return list
}

// crashSaid is the sentence for the other statement of a panic or a fatal error.
func (v *viewer) crashSaid(s *finding.Suspect) ([]say.Sentence, say.Label) {
	r := &s.Reason
	code := v.at(v.framePlace(r.Other))
	code.Text = v.clean.line(r.Code, 100)
	words, mark := say.Template(""), say.MarkCloses
	switch r.Crash {
	case finding.CrashSend, finding.CrashClose:
		words = say.PanicClosed
	case finding.CrashMap:
		return []say.Sentence{say.PanicMap.With()}, say.MarkWrites
	case finding.CrashNegative, finding.CrashWaitGroup, finding.CrashUnlock, finding.CrashValue:
		words = say.PanicState
	default:
		return []say.Sentence{say.ExitHere.With()}, say.MarkCloses
	}
	return []say.Sentence{words.With(code)}, mark
}

// accessMark says what one side of a race does.
func accessMark(k finding.AccessKind) say.Label {
	switch k {
	case finding.Read:
		return say.MarkReads
	case finding.Write:
		return say.MarkWrites
	}
	return say.MarkEither
}

// A partner is another place that a cause is about.
type partner struct {
	at   finding.Span
	mark say.Sentence
}

// partnerMarks say what is at the other place of what is likely.
var partnerMarks = map[finding.ReasonKind]say.Label{
	finding.ReasonLate: say.MarkEarly, finding.ReasonEarly: say.MarkFirst, finding.ReasonTimedWait: say.MarkFirst,
	finding.ReasonNeverEnds: say.MarkWaits, finding.ReasonTurned: say.MarkWaits, finding.ReasonEndsWait: say.MarkWaits,
	finding.ReasonCrash: say.MarkPanics, finding.ReasonOutlivesEnd: say.MarkStartsGo, finding.ReasonOutlivesSleep: say.MarkStartsGo,
}

// partners are the other places of what is likely.
func (v *viewer) partners(s *finding.Suspect) (list []partner) {
	r := &s.Reason
	p := v.framePlace(r.Other)
	at := finding.Span{File: p.File, Start: p.Start, End: p.Start}
	mark, ok := partnerMarks[r.Kind]
	switch {
	case p.File == "":
	case ok:
		return []partner{{at, mark.With()}}
	case r.Kind == finding.ReasonLockOrder:
		return []partner{{at, say.MarkHolds.With(say.Name(v.clean.line(r.Held, 60)))}}
	case r.OtherAccess != 0 && !r.Lost:
		return []partner{{at, accessMark(r.OtherAccess).With()}}
	}
	return nil
}

// race is what the race detector reported, where nothing else is known.
func (v *viewer) race(r *finding.Race) *causeView {
	c := &causeView{Kind: "concurrency", Verdict: "likely", Said: []say.Sentence{say.Race.With()}, Fix: []say.Sentence{say.FixGuard.With()}}
	m := newMarker(v.src)
	for i := range r.Accesses {
		a := &r.Accesses[i]
		mark := accessMark(a.Kind)
		if a.Lost {
			mark = say.MarkStartsGo
		}
		if p := v.framePlace(a.At); p.File != "" {
			m.cause(p, markHeld, mark.With())
			c.named = append(c.named, finding.Span{File: p.File, Start: p.Start, End: p.Start})
		}
	}
	c.Code = v.pieces(m)
	c.Bars = []barView{bar(say.BarRaced.With(), r.Seen, r.Of)}
	return c
}

// An otherView is another place to look at.
type otherView struct {
	Place  say.Sentence
	Why    say.Sentence
	Counts say.Sentence
}

// others are the places that the cause does not name, the best first.
func (v *viewer) others(f *finding.Failure, c *causeView) (out []otherView) {
	for i := range f.Suspects {
		s := &f.Suspects[i]
		at := finding.Span{File: s.File, Start: s.Start, End: s.End}
		if len(out) == topOthers {
			break
		}
		if slices.ContainsFunc(c.named, func(x finding.Span) bool { return x.File == at.File && x.Start == at.Start }) {
			continue
		}
		o := otherView{Place: say.Of(v.code(suspectPlace(s))), Why: v.reason(s)}
		if t := s.Table; t.Total() > 0 && s.Class < finding.Reproduced {
			o.Counts = say.WhyCounts.With(say.Count(t.FailTaken), say.Count(t.FailTaken+t.FailNot), say.Count(t.PassTaken), say.Count(t.PassTaken+t.PassNot))
		} else if r := &s.Reason; r.Of > 0 && r.Seen > 0 {
			o.Counts = say.WhySeen.With(say.Count(r.Seen), say.Count(r.Of))
		}
		c.named = append(c.named, at)
		out = append(out, o)
	}
	return out
}

// Surfaces reports whether a place is no more than where a failure shows: the check that
// failed, the way into it, or a value that it looks at. These separate failing from passing
// runs by what a failed check is. How often a loop went round before does not.
func Surfaces(s *finding.Suspect) bool {
	switch s.Reason.Kind {
	case finding.ReasonCheck, finding.ReasonDied:
		return true
	case finding.ReasonDivergence:
		return s.Class == finding.Symptom && s.Reason.Loop == nil
	case finding.ReasonDraw, finding.ReasonDrawVaries:
		return s.Class == finding.Symptom
	}
	return false
}

// raced reports whether a failure is a report of the race detector.
func raced(f *finding.Failure) bool {
	return len(f.Message) > 18 && f.Message[:18] == "WARNING: DATA RACE"
}
