package report

import (
	"time"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
)

// A settingRow is what is said where the system around the program decides.
type settingRow struct {
	said func(proof.Act, say.Verb) say.Sentence
	row  proofRow
	fix  []say.Template
}

// settingOf returns the row of an act, by its name.
func settingOf(a proof.Act) settingRow {
	if s, ok := settings[a.Name()]; ok {
		return s
	}
	return settings["limits as it is"]
}

var (
	clockRow = proofRow{say.BarThen, say.BarSetElse, say.BarOtherTimes, say.BarPlain, say.MarkClock}
	limitRow = proofRow{say.BarSo, say.BarSetElse, say.BarOtherwise, say.BarPlain, say.MarkOpens}
	gcRow    = proofRow{say.BarCollected, say.BarSetElse, say.BarNotCollected, say.BarPlain, say.MarkCollects}
)

// with says a template without values.
func with(t say.Template) func(proof.Act, say.Verb) say.Sentence {
	return func(_ proof.Act, does say.Verb) say.Sentence { return t.With(does) }
}

// named says a template of what is missing, or empty.
func named(t say.Template, name say.Name) func(proof.Act, say.Verb) say.Sentence {
	return func(_ proof.Act, does say.Verb) say.Sentence { return t.With(does, name) }
}

var settings = map[string]settingRow{
	"clock phase":   {phaseSaid, clockRow, []say.Template{say.FixClock, say.FixOnce}},
	"clock instant": {dateSaid, clockRow, []say.Template{say.FixClock, say.FixOnce}},
	"clock date":    {dateSaid, clockRow, []say.Template{say.FixClock}},
	"clock grain":   {with(say.ClockEqual), clockRow, []say.Template{say.FixClock}},
	"clock zone": {func(a proof.Act, does say.Verb) say.Sentence {
		return say.ClockZone.With(does, say.Name(listing.Visible(a.Text)))
	}, clockRow, []say.Template{say.FixZone}},
	"timer late": {func(a proof.Act, does say.Verb) say.Sentence { return say.Timer.With(does, say.Duration(a.Value)) },
		proofRow{say.BarLate, say.BarSetElse, say.BarLessLate, say.BarPlain, say.MarkTimer}, []say.Template{say.FixTimer, say.FixClock}},
	"read most":    {with(say.Read), proofRow{say.BarPart, say.BarSetElse, say.BarWhole, say.BarPlain, say.MarkReads}, []say.Template{say.FixReadFull}},
	"dir order":    {with(say.Dir), proofRow{say.BarFirst, say.BarSetElse, say.BarOther, say.BarPlain, say.MarkLists}, []say.Template{say.FixDir}},
	"gc at":        {with(say.GCRuns), gcRow, []say.Template{say.FixCollect}},
	"gc often":     {with(say.GCRuns), gcRow, []say.Template{say.FixCollect}},
	"gc off":       {named(say.Without, "garbage collection"), proofRow{say.BarNotCollected, say.BarSetElse, say.BarCollected, say.BarPlain, say.MarkCollects}, []say.Template{say.FixCollect}},
	"limits taken": {with(say.Port), limitRow, []say.Template{say.FixPort}},
	"limits free":  {with(say.PortFree), limitRow, []say.Template{say.FixPort}},
	"limits files": {func(a proof.Act, does say.Verb) say.Sentence { return say.Files.With(does, say.Count(a.Value)) },
		limitRow, []say.Template{say.FixFiles}},
	"limits no network": {named(say.Without, "network"), limitRow, []say.Template{say.FixServer}},
	"limits new HOME":   {named(say.Empty, "HOME"), limitRow, []say.Template{say.FixHome}},
	"limits no HOME":    {named(say.Without, "HOME"), limitRow, []say.Template{say.FixHome}},
	"limits new TMPDIR": {named(say.Empty, "TMPDIR"), limitRow, []say.Template{say.FixHome}},
	"limits quota": {func(a proof.Act, does say.Verb) say.Sentence {
		return say.Quota.With(does, say.Percent(float64(a.Value)/100))
	}, limitRow, []say.Template{say.FixTimer, say.FixClock}},
	"limits busy": {func(a proof.Act, does say.Verb) say.Sentence { return say.Busy.With(does, say.Count(a.Value)) },
		limitRow, []say.Template{say.FixTimer, say.FixClock}},
	"limits as it is": {with(say.Chance), limitRow, []say.Template{say.FixHome}},
}

// phaseSaid says when in a period of the clock the test starts: from its end where that is nearer.
func phaseSaid(a proof.Act, does say.Verb) say.Sentence {
	if left := a.Unit - a.Value; left < a.Unit/2 {
		return say.ClockBefore.With(does, say.Duration(left), say.Limit(a.Unit))
	}
	return say.ClockInto.With(does, say.Duration(a.Value), say.Limit(a.Unit))
}

func dateSaid(a proof.Act, does say.Verb) say.Sentence {
	return say.ClockDate.With(does, say.Date(time.Unix(0, a.Value)))
}
