package say

// A Setting is what is said where the system around the program decides.
type Setting struct {
	Cause            Template // of the verb, and of the name or the value that it asks for
	Name             Name     // of what is missing or empty, "" if Cause asks for none
	With, Cure, Mark Label
	Fix              []Template
}

// SettingOf returns the words of an act, by its name.
func SettingOf(name string) Setting {
	if s, ok := settings[name]; ok {
		return s
	}
	return settings["limits as it is"]
}

var settings = map[string]Setting{
	"clock phase":   {ClockInto, "", BarThen, BarOtherTimes, MarkClock, []Template{FixClock, FixOnce}},
	"clock instant": {ClockDate, "", BarThen, BarOtherTimes, MarkClock, []Template{FixClock, FixOnce}},
	"clock date":    {ClockDate, "", BarThen, BarOtherTimes, MarkClock, []Template{FixClock}},
	"clock grain":   {ClockEqual, "", BarThen, BarOtherTimes, MarkClock, []Template{FixClock}},
	"clock zone":    {ClockZone, "", BarThen, BarOtherTimes, MarkClock, []Template{FixZone}},
	"timer late":    {Timer, "", BarLate, BarLessLate, MarkTimer, []Template{FixTimer, FixClock}},
	"read most":     {Read, "", BarPart, BarWhole, MarkReads, []Template{FixReadFull}},
	"dir order":     {Dir, "", BarFirst, BarOther, MarkLists, []Template{FixDir}},
	"gc at":         {GCRuns, "", BarCollected, BarNotCollected, MarkCollects, []Template{FixCollect}},
	"gc often":      {GCRuns, "", BarCollected, BarNotCollected, MarkCollects, []Template{FixCollect}},
	"gc off": {Without, "garbage collection", BarNotCollected, BarCollected,
		MarkCollects, []Template{FixCollect}},
	"limits taken":      {Port, "", BarSo, BarOtherwise, MarkOpens, []Template{FixPort}},
	"limits free":       {PortFree, "", BarSo, BarOtherwise, MarkOpens, []Template{FixPort}},
	"limits files":      {Files, "", BarSo, BarOtherwise, MarkOpens, []Template{FixFiles}},
	"limits no network": {Without, "network", BarSo, BarOtherwise, MarkOpens, []Template{FixServer}},
	"limits new HOME":   {Empty, "HOME", BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
	"limits no HOME":    {Without, "HOME", BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
	"limits new TMPDIR": {Empty, "TMPDIR", BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
	"limits quota":      {Quota, "", BarSo, BarOtherwise, MarkOpens, []Template{FixTimer, FixClock}},
	"limits busy":       {Busy, "", BarSo, BarOtherwise, MarkOpens, []Template{FixTimer, FixClock}},
	"limits as it is":   {Chance, "", BarSo, BarOtherwise, MarkOpens, []Template{FixHome}},
}
