package crash

import (
	"go/types"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

// A kind is what the runtime says, and which operations it is about.
type kind struct {
	words string // without "panic: " or "fatal error: "
	name  finding.CrashKind
	own   func(*source.Op) bool // can fail so
	// parties are those that can have brought it about.
	parties []party
}

type party struct {
	kind finding.PartyKind
	is   func(*source.Op) bool
}

var (
	done   = ops(source.Release, "sync.WaitGroup.Done")
	add    = ops(source.Write, "sync.WaitGroup.Add")
	wait   = ops(source.Wait, "sync.WaitGroup.Wait")
	closes = ops(source.Release, "close")
	unlock = ops(source.Release, "sync.Mutex.Unlock", "sync.RWMutex.Unlock")

	concurrent = []party{{finding.PartyConcurrent, writesMap}}
)

func reads(o *source.Op) bool  { return o.Kind == source.Read }
func writes(o *source.Op) bool { return o.Kind == source.Write && !o.Maybe }

// values are parties to what is found unset, or set to something else.
var values = []party{{finding.PartyLate, writes}, {finding.PartyBefore, writes}}

// kinds are the panics and fatal errors that are known, by how their words begin.
var kinds = []kind{
	{"send on closed channel", finding.CrashSend, ops(source.Release, "chan send"),
		[]party{{finding.PartyBefore, closes}}},
	{"close of closed channel", finding.CrashClose, closes, []party{{finding.PartyBefore, closes}}},
	{"concurrent map writes", finding.CrashMap, writesMap, concurrent},
	{"concurrent map read and map write", finding.CrashMap, readsMap, concurrent},
	{"concurrent map iteration and map write", finding.CrashMap, ops(source.Draw, "map order"), concurrent},
	{"runtime error: invalid memory address or nil pointer dereference", finding.CrashValue, reads, values},
	{"runtime error: index out of range", finding.CrashValue, reads, values},
	{"runtime error: slice bounds out of range", finding.CrashValue, reads, values},
	{"runtime error: integer divide by zero", finding.CrashValue, reads, values},
	{"interface conversion: ", finding.CrashValue, reads, values},
	{"sync: negative WaitGroup counter", finding.CrashNegative, either(done, add),
		[]party{{finding.PartyBefore, done}, {finding.PartyLate, add}}},
	{"sync: WaitGroup misuse: Add called concurrently with Wait", finding.CrashWaitGroup, either(add, wait),
		[]party{{finding.PartyConcurrent, either(add, wait)}}},
	{"sync: WaitGroup is reused before previous Wait has returned", finding.CrashWaitGroup, wait,
		[]party{{finding.PartyConcurrent, add}}},
	{"sync: unlock of unlocked mutex", finding.CrashUnlock, unlock, []party{{finding.PartyBefore, unlock}}},
	{"sync: Unlock of unlocked RWMutex", finding.CrashUnlock, unlock, []party{{finding.PartyBefore, unlock}}},
	{"sync: RUnlock of unlocked RWMutex", finding.CrashUnlock, ops(source.Release, "sync.RWMutex.RUnlock"),
		[]party{{finding.PartyBefore, ops(source.Release, "sync.RWMutex.RUnlock")}}},
}

// kindOf returns what a process died from, nil if it is none of these.
func kindOf(message string) *kind {
	for _, begin := range []string{"panic: ", "fatal error: "} {
		words, ok := strings.CutPrefix(message, begin)
		i := slices.IndexFunc(kinds, func(k kind) bool { return strings.HasPrefix(words, k.words) })
		if ok && i >= 0 {
			return &kinds[i]
		}
	}
	return nil
}

func ops(kind source.Kind, how ...string) func(*source.Op) bool {
	return func(o *source.Op) bool { return o.Kind == kind && slices.Contains(how, o.How) }
}

func either(a, b func(*source.Op) bool) func(*source.Op) bool {
	return func(o *source.Op) bool { return a(o) || b(o) }
}

func writesMap(o *source.Op) bool { return o.Kind == source.Write && o.Elem && onMap(o) }
func readsMap(o *source.Op) bool  { return o.Kind == source.Read && o.Elem && onMap(o) }

func onMap(o *source.Op) bool {
	if o.Obj() == nil || o.Obj().Type() == nil {
		return false
	}
	_, is := o.Obj().Type().Underlying().(*types.Map)
	return is
}
