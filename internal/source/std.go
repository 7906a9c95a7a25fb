package source

import (
	"go/types"
	"slices"
	"strings"
)

// What follows is what functions of others are known to do, or are taken to do
// by the names of their methods where they are not of the standard library.

// waits reports whether a function waits for other goroutines, or for a time.
func waits(callee types.Object, method bool, args int) bool {
	switch callee.Name() {
	case "Lock", "RLock", "Wait":
		return method && args == 0
	case "Acquire":
		return method
	case "Sleep":
		return !method && funcName(callee) == "time.Sleep"
	}
	return false
}

// releases reports whether a function ends the wait of others. A Done with a
// result, as of a context, does not.
func releases(callee types.Object, method, alone bool) bool {
	switch callee.Name() {
	case "Unlock", "RUnlock", "Signal", "Broadcast", "Release":
		return method
	case "Done":
		return method && alone
	}
	return false
}

// enders says which operations end a wait, by the last word of both.
var enders = map[string][]string{
	"receive": {"send", "close"}, "send": {"receive"},
	"Lock": {"Unlock", "RUnlock"}, "RLock": {"Unlock"}, "Acquire": {"Release"}, "Wait": {"Done", "Signal", "Broadcast"},
}

// Enders returns the operations that can end a wait: of the kind that it waits
// for, on the same object or on what it may stand for.
func (x *Index) Enders(wait *Op) []*Op {
	if wait.Obj() == nil {
		return nil
	}
	ends := append(slices.Clone(enders[lastWord(wait.How)]), "cancel")
	var list []*Op
	for _, obj := range x.standsFor(wait.Obj()) {
		for _, o := range x.Of(obj, Release) {
			if slices.Contains(ends, lastWord(o.How)) && !x.Apart(wait, o) && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	slices.SortStableFunc(list, byPos)
	return list
}

func lastWord(how string) string { return how[strings.LastIndexAny(how, " .")+1:] }

// startsGoroutine reports whether a function of others runs its last argument in
// another goroutine.
func startsGoroutine(how string) bool {
	return how == "time.AfterFunc" || strings.HasSuffix(how, ".WaitGroup.Go") || strings.HasSuffix(how, "errgroup.Group.Go")
}

// verbs begin the names of methods that change their receiver.
var verbs = []string{
	"Add", "Append", "Clear", "CompareAnd", "Decode", "Del", "Grow", "Insert", "LoadAndDelete", "LoadOrStore", "Move", "Next", "Pop", "Push", "Put",
	"Read", "Remove", "Reset", "Scan", "Seek", "Set", "Shuffle", "Stop", "Store", "Swap", "Truncate", "Unread", "Write",
}

// changes reports whether a method of others may change its receiver: it can,
// and its name says so.
func changes(callee types.Object, sig *types.Signature) bool {
	if sig != nil {
		switch sig.Recv().Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Map:
		default:
			return false
		}
	}
	return slices.ContainsFunc(verbs, func(v string) bool { return strings.HasPrefix(callee.Name(), v) })
}

// knownToChange reports whether a method with such a name is of a type that does
// nothing but keep data.
func knownToChange(how string) bool {
	for _, pkg := range []string{"sync.Map.", "bytes.", "strings.", "container/", "bufio.", "math/big."} {
		if strings.HasPrefix(how, pkg) {
			return true
		}
	}
	return false
}

// sorts reports whether a function changes the slice that it is given.
func sorts(how string) bool {
	return strings.HasPrefix(how, "sort.") && !strings.HasPrefix(how, "sort.Search") && !strings.Contains(how, "Sorted") ||
		strings.HasPrefix(how, "slices.Sort") && !strings.HasPrefix(how, "slices.Sorted") || how == "slices.Reverse" || strings.HasSuffix(how, "rand.Shuffle")
}

// drawn are functions whose results differ from run to run, or that read what
// is outside of the process.
var drawn = map[string][]string{
	"crypto/rand": {"Text", "Int", "Prime", "Read"},
	"time":        {"Now", "Since", "Until"},
	"os": {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "ReadDir", "ReadFile", "Open", "OpenFile", "Stat", "Lstat", "Getpid", "Hostname", "TempDir",
		"Getwd", "File.Read", "File.ReadAt", "File.ReadDir", "File.Readdir", "File.Readdirnames", "File.Stat"},
	"io/fs":         {"ReadDir", "ReadFile", "Stat", "FileInfo.Size", "FileInfo.ModTime"},
	"runtime":       {"NumGoroutine", "GOMAXPROCS", "NumCPU", "Stack", "GoroutineProfile"},
	"runtime/pprof": {"Lookup"},
	"net":           {"Conn.LocalAddr", "Conn.RemoteAddr", "Listener.Addr", "Listen", "Dial", "DialTimeout", "LookupHost", "LookupIP", "LookupAddr"},
	"maps":          {"Keys", "Values", "All"},
	"sync":          {"Map.Range", "Pool.Get"},
}

// draws reports whether a function brings in what differs from run to run.
func draws(callee types.Object) bool {
	fn, ok := callee.(*types.Func)
	if !ok || fn.Pkg() == nil {
		return false
	}
	if path := fn.Pkg().Path(); path == "math/rand" || path == "math/rand/v2" {
		return !strings.HasPrefix(fn.Name(), "New") && fn.Name() != "Seed"
	}
	return slices.Contains(drawn[fn.Pkg().Path()], strings.TrimPrefix(funcName(fn), fn.Pkg().Path()+"."))
}
