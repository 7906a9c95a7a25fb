package freedom

import (
	"regexp"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var gcFreedom = Freedom{
	Name:     "gc",
	Varies:   "When garbage is collected: at a position, much more often, or not before 2 GiB are in use. Finalizers, cleanups, weak pointers and sync.Pool depend on it.",
	Legal:    `"The finalizer is scheduled to run at some arbitrary time after the program can no longer reach the object to which obj points. There is no guarantee that finalizers will run before a program exits". "Any item stored in the Pool may be removed automatically at any time without notification."`,
	Source:   "https://pkg.go.dev/runtime#SetFinalizer; https://pkg.go.dev/sync#Pool",
	Sites:    "positions",
	Category: "resource-leak",
	Where:    ByAnswers,
	Prior:    0.005, // 4 of the 35
	Propose:  []*Proposer{{Guesses: proposeCollections}},
	Verbs:    collectVerbs,
	aspects: []aspect{
		{what: GCOff, name: "off",
			says: say.Setting{Cause: say.Decides(say.Without, say.Called("garbage collection")), With: say.BarNotCollected, Cure: say.BarCollected, Mark: say.BarNotCollected,
				Fix: []say.Template{say.FixCollect}}, opposites: always(Collector(GCOften)),
			env: func(Step, string) []string { return []string{"GOGC=off", "GOMEMLIMIT=" + offMemory} }},
		{what: GCOften, name: "often", says: collecting, opposites: always(Collector(GCOff)),
			env: func(Step, string) []string { return []string{"GOGC=1"} }},
	},
}

// collecting is said where garbage that is collected decides.
var collecting = say.Setting{Cause: say.Decides(say.GCRuns), With: say.BarCollected, Cure: say.BarNotCollected,
	Mark: say.MarkCollects, Fix: []say.Template{say.FixCollect}}

// Aspects of the collector.
const (
	GCOff   Aspect = iota + 32 // garbage is collected only by runtime.GC, up to offMemory
	GCOften                    // whenever memory has grown by one percent
)

// Collector sets when the collector runs.
func Collector(what Aspect) Step { return Step{Kind: trace.ActGC, What: what} }

// collectVerbs are those of the collector, and of one collection.
var collectVerbs = Verbs{Parts: setParts, Opposites: collectOpposites, Elsewhere: pause, Narrower: pause}

// collectOpposites is that none is collected.
func collectOpposites(a Act[Site], b Bench) [][]Act[Site] {
	if a.Collects() {
		return [][]Act[Site]{Lift(Collector(GCOff))}
	}
	return setOpposites(a, b)
}

// pause is one in place of a collection, longer than most take: if the test fails with that too, the cause is the time
// that a collection takes, in which others go on.
func pause(a Act[Site], _ Bench) []Act[Site] {
	if a.Collects() {
		return []Act[Site]{Hold(a.At, usualDose)}
	}
	return nil
}

var collectorWords = regexp.MustCompile(
	`\b(SetFinalizer|AddCleanup|sync\.Pool|weak\.|unique\.|ReadMemStats|ReadGCStats|FreeOSMemory)`)

// proposeCollections has no garbage collected, much, and some at one position, where the code depends on it: first where
// other goroutines would notice a hold, then everywhere.
func proposeCollections(f *Freedom, b Bench) []Guess {
	if !b.Mentions(collectorWords) {
		return nil
	}
	list := each(f.Prior, Collector(GCOff), Collector(GCOften))
	for _, site := range b.Everywhere() {
		a := Act[Site]{Kind: f.Act(), At: site, First: site.G.Class != 0}
		list = append(list, Guess{Fails: []Act[Site]{a}, Prior: f.Prior})
	}
	return list
}

// offMemory is how much memory a process may use before garbage is collected after all. A hunt
// must not take all of the machine's memory.
const offMemory = "2GiB"
