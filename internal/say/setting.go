package say

import "time"

// A Setting is what is said where the system around the program decides.
type Setting struct {
	Cause            Cause
	With, Cure, Mark Label
	Fix              []Template
}

// A Cause says that an act decides, with what it sets.
type Cause func(Verb, Set) Sentence

// A Set is what an act sets.
type Set struct {
	Value, Unit int64
	Text        Name
}

// SettingOf returns the words of an act, by its name. An act without them is a control.
func SettingOf(name string) Setting { return settings[name] }

var settings = map[string]Setting{
	"clock phase":   {phase, BarThen, BarOtherTimes, MarkClock, []Template{FixClock, FixOnce}},
	"clock instant": {decides(ClockDate, date), BarThen, BarOtherTimes, MarkClock, []Template{FixClock, FixOnce}},
	"clock date":    {decides(ClockDate, date), BarThen, BarOtherTimes, MarkClock, []Template{FixClock}},
	"clock grain":   {decides(ClockEqual), BarThen, BarOtherTimes, MarkClock, []Template{FixClock}},
	"clock zone":    {decides(ClockZone, asText), BarThen, BarOtherTimes, MarkClock, []Template{FixZone}},
	"timer late":    {decides(Timer, duration), BarLate, BarLessLate, MarkTimer, []Template{FixTimer, FixClock}},
	"read most":     {decides(Read), BarPart, BarWhole, MarkReads, []Template{FixReadFull}},
	"dir order":     {decides(Dir), BarFirst, BarOther, MarkLists, []Template{FixDir}},
	"gc at":         {decides(GCRuns), BarCollected, BarNotCollected, MarkCollects, []Template{FixCollect}},
	"gc often":      {decides(GCRuns), BarCollected, BarNotCollected, MarkCollects, []Template{FixCollect}},
	"gc off": {decides(Without, called("garbage collection")), BarNotCollected, BarCollected,
		MarkCollects, []Template{FixCollect}},
	"limits taken":      {decides(Port), BarSo, BarOtherwise, MarkOpens, []Template{FixPort}},
	"limits free":       {decides(PortFree), BarSo, BarOtherwise, MarkOpens, []Template{FixPort}},
	"limits files":      {decides(Files, count), BarSo, BarOtherwise, MarkOpens, []Template{FixFiles}},
	"limits no network": {decides(Without, called("network")), BarSo, BarOtherwise, MarkOpens, []Template{FixServer}},
	"limits new HOME":   {decides(Empty, called("HOME")), BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
	"limits no HOME":    {decides(Without, called("HOME")), BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
	"limits new TMPDIR": {decides(Empty, called("TMPDIR")), BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
	"limits quota":      {decides(Quota, hundredths), BarSo, BarOtherwise, MarkOpens, []Template{FixTimer, FixClock}},
	"limits busy":       {decides(Busy, count), BarSo, BarOtherwise, MarkOpens, []Template{FixTimer, FixClock}},
}

// decides is the cause of a template with the verb and more values.
func decides(t Template, values ...func(Set) Value) Cause {
	return func(does Verb, s Set) Sentence {
		list := []Value{does}
		for _, v := range values {
			list = append(list, v(s))
		}
		return t.With(list...)
	}
}

func date(s Set) Value       { return Date(time.Unix(0, s.Value)) }
func duration(s Set) Value   { return Duration(s.Value) }
func count(s Set) Value      { return Count(s.Value) }
func hundredths(s Set) Value { return Percent(float64(s.Value) / 100) }
func asText(s Set) Value     { return s.Text }

// called is a name that is the same whatever the act sets.
func called(n Name) func(Set) Value { return func(Set) Value { return n } }

// phase says when in a period of the clock the test starts: from its end where that is nearer.
func phase(does Verb, s Set) Sentence {
	if left := s.Unit - s.Value; left < s.Unit/2 {
		return ClockBefore.With(does, Duration(left), Limit(s.Unit))
	}
	return ClockInto.With(does, Duration(s.Value), Limit(s.Unit))
}
