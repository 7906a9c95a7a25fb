package source

import (
	"go/types"
	"slices"
	"strings"
)

// This file says what functions of other modules are known to do, or are assumed to do because of
// the names of their methods if they are not in the standard library.

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

// releases reports whether a function ends the wait of other goroutines. A Done with a result,
// like that of a context, does not.
func releases(callee types.Object, method, alone bool) bool {
	switch callee.Name() {
	case "Unlock", "RUnlock", "Signal", "Broadcast", "Release":
		return method
	case "Done":
		return method && alone
	}
	return false
}

// enders maps waits to the operations that end them, by the last word of both.
var enders = map[string][]string{
	"receive": {"send", "close"}, "send": {"receive"},
	"Lock": {"Unlock", "RUnlock"}, "RLock": {"Unlock"}, "Acquire": {"Release"}, "Wait": {"Done", "Signal", "Broadcast"},
}

// Enders returns the operations that can end a wait: of the right kind, on the same object or on
// what it may stand for.
func (x *Index) Enders(wait *Op) []*Op {
	if wait.Obj() == nil {
		return nil
	}
	var list []*Op
	for _, obj := range x.standsFor(wait.Obj()) {
		for _, o := range x.Of(obj, Release) {
			if slices.Contains(enders[lastWord(wait.How)], lastWord(o.How)) && !x.Apart(wait, o) && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	slices.SortStableFunc(list, byPos)
	return list
}

func lastWord(how string) string { return how[strings.LastIndexAny(how, " .")+1:] }

// startsGoroutine reports whether a function of another module runs its last argument in another
// goroutine.
func startsGoroutine(how string) bool {
	return how == "time.AfterFunc" || strings.HasSuffix(how, ".WaitGroup.Go") ||
		strings.HasSuffix(how, "errgroup.Group.Go")
}

// verbs begin the names of methods that change their receiver.
var verbs = []string{
	"Add", "Append", "Clear", "CompareAnd", "Decode", "Del", "Grow", "Insert", "LoadAndDelete", "LoadOrStore", "Move",
	"Next", "Pop", "Push", "Put",
	"Read", "Remove", "Reset", "Scan", "Seek", "Set", "Shuffle", "Stop", "Store", "Swap", "Truncate", "Unread", "Write",
}

// changes reports whether a method of another module may change its receiver: it can, and its
// name says so.
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

// knownToChange reports whether a method with such a name belongs to a type that only keeps data.
func knownToChange(how string) bool {
	for _, pkg := range []string{"sync.Map.", "bytes.", "strings.", "container/", "bufio.", "math/big."} {
		if strings.HasPrefix(how, pkg) {
			return true
		}
	}
	return false
}

// fills reports whether a function writes what it draws into its slice.
func fills(how string) bool {
	return strings.HasSuffix(how, "rand.Read") || how == "math/rand.Rand.Read"
}

// sorts reports whether a function changes the order of its slice.
func sorts(how string) bool {
	return strings.HasPrefix(how, "sort.") && !strings.HasPrefix(how, "sort.Search") &&
		!strings.Contains(how, "Sorted") ||
		strings.HasPrefix(how, "slices.Sort") && !strings.HasPrefix(how, "slices.Sorted") || how == "slices.Reverse" ||
		strings.HasSuffix(how, "rand.Shuffle")
}

// The origins that are not functions.
const (
	mapOrder = "map order" // the order in which a map gives its keys
	received = "a channel"
)

// drawn are functions whose results differ from run to run, or that read what is outside the
// process, with what that is.
var drawn = map[string]string{
	"crypto/rand.Text": "crypto/rand", "crypto/rand.Int": "crypto/rand", "crypto/rand.Prime": "crypto/rand",
	"crypto/rand.Read": "crypto/rand",
	"time.Now":         "the clock", "time.Since": "the clock", "time.Until": "the clock",
	"os.Getenv": "the environment", "os.LookupEnv": "the environment", "os.Environ": "the environment",
	"os.ExpandEnv": "the environment", "os.TempDir": "the environment",
	"os.Getpid": "the process id", "os.Hostname": "the host name", "os.Getwd": "the working directory",
	"os.ReadFile": "a file", "os.Open": "a file", "os.OpenFile": "a file", "os.Stat": "a file", "os.Lstat": "a file",
	"os.File.Read": "a file", "os.File.ReadAt": "a file", "os.File.Stat": "a file", "io/fs.ReadFile": "a file",
	"io/fs.Stat": "a file",
	"os.ReadDir": "a directory", "os.File.ReadDir": "a directory", "os.File.Readdir": "a directory",
	"os.File.Readdirnames": "a directory", "io/fs.ReadDir": "a directory",
	"io/fs.FileInfo.Size": "a file's size", "io/fs.FileInfo.ModTime": "a file's time",
	"runtime.NumGoroutine": "the Go scheduler", "runtime.GOMAXPROCS": "the Go scheduler",
	"runtime.NumCPU": "the Go scheduler",
	"runtime.Stack":  "the list of goroutines", "runtime.GoroutineProfile": "the list of goroutines",
	"runtime/pprof.Lookup": "the list of goroutines",
	"net.Conn.LocalAddr":   "a network address", "net.Conn.RemoteAddr": "a network address",
	"net.conn.LocalAddr":  "a network address",
	"net.conn.RemoteAddr": "a network address", "net.Listener.Addr": "a network address",
	"net.TCPListener.Addr": "a network address",
	"maps.Keys":            mapOrder, "maps.Values": mapOrder, "maps.All": mapOrder, "sync.Map.Range": mapOrder,
	"sync.Pool.Get": "a pool",
}

// originOf says what a function brings in that differs from run to run, or "" for nothing.
func originOf(callee types.Object) string {
	fn, ok := callee.(*types.Func)
	if !ok || fn.Pkg() == nil {
		return ""
	}
	switch path := fn.Pkg().Path(); path {
	case "math/rand", "math/rand/v2":
		if !strings.HasPrefix(fn.Name(), "New") && fn.Name() != "Seed" {
			return path
		}
	case "net", "net/http", "crypto/tls":
		brings := func(verb string) bool { return strings.HasPrefix(fn.Name(), verb) }
		if fn.Signature().Results().Len() > 1 &&
			slices.ContainsFunc([]string{"Dial", "Listen", "Lookup", "Get", "Post", "Head", "Do", "Accept", "Read"},
				brings) {
			return "the network"
		}
	}
	return drawn[funcName(fn)]
}
