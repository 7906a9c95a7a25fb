package perturb

import "github.com/fdebug/fdebug/trace"

var gcKind = Kind{
	Name:     "gc",
	Varies:   "When garbage is collected: at a position, much more often, or not before 2 GiB are in use. Finalizers, cleanups, weak pointers and sync.Pool depend on it.",
	Legal:    `"The finalizer is scheduled to run at some arbitrary time after the program can no longer reach the object to which obj points. There is no guarantee that finalizers will run before a program exits". "Any item stored in the Pool may be removed automatically at any time without notification."`,
	Source:   "https://pkg.go.dev/runtime#SetFinalizer; https://pkg.go.dev/sync#Pool",
	Sites:    "positions",
	Category: "resource-leak",
	aspects: []aspect{
		{what: GCOff, name: "off", opposites: always(Collector(GCOften)),
			env: func(Act, string) []string { return []string{"GOGC=off", "GOMEMLIMIT=" + offMemory} }},
		{what: GCOften, name: "often", opposites: always(Collector(GCOff)),
			env: func(Act, string) []string { return []string{"GOGC=1"} }},
	},
}

// Aspects of the collector.
const (
	GCOff   Aspect = iota + 32 // garbage is collected only by runtime.GC, up to offMemory
	GCOften                    // whenever memory has grown by one percent
)

// Collector sets when the collector runs.
func Collector(what Aspect) Act { return Act{Kind: trace.ActGC, What: what} }

// Collect collects garbage at a position, twice, so that pools are empty too.
func Collect(at Position) Act {
	return Act{Kind: trace.ActGC, At: at, First: at.G.Class != 0}
}

// offMemory is how much memory a process may use before garbage is collected after all. A hunt
// must not take all of the machine's memory.
const offMemory = "2GiB"
