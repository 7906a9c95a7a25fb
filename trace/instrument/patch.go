package instrument

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/fdebug/fdebug/trace"
)

// An Ability is something that tracing can do only with a certain edit of the standard library.
type Ability int

const (
	Identity    Ability = iota // goroutines are recognised from run to run
	Tests                      // goroutines are known to belong to a test
	Checks                     // failed checks are events
	Panics                     // panics are events
	Endings                    // the end of a goroutine is recorded
	Timers                     // timer goroutines have a parent
	Clock                      // when goroutines waited is known
	Wakers                     // what they waited for, and who woke them, is known
	Holds                      // a hold can be told from other waits
	Selects                    // the choices of select can be repeated
	Draws                      // the order of maps and random numbers can be repeated
	Seeds                      // so can the numbers of generators seeded from the clock
	Clocks                     // the clock, the time at which a test starts, and timers can be varied
	Reads                      // reads can be short
	Dirs                       // directories can be read in another order
	Limits                     // ports can be taken, and files limited
	Network                    // the network can be cut off
	Environment                // readers of the names of directories are known
	Notes                      // what the system answers is noted
	Hangs                      // a run that can never go on is known
	numAbility
)

// lost says what a report lacks without the ability.
var lost = [numAbility]string{
	Identity: "goroutines cannot be told apart by who started them",
	Tests:    "goroutines cannot be assigned to tests",
	Checks:   "failed checks are not recorded",
	Panics:   "panics are not recorded",
	Endings:  "the end of goroutines is not recorded",
	Timers:   "goroutines started by timers have no known parent",
	Clock:    "it is not known when goroutines waited, so that their order is known only roughly",
	Wakers:   "it is not known what goroutines waited for, or who made them go on",

	Holds:   "goroutines that a perturbation holds look as if they slept",
	Selects: "which case a select chooses cannot be repeated",
	Draws:   "the order of maps and random numbers cannot be repeated",
	Seeds:   "the numbers of generators that are seeded from the clock cannot be repeated",
	Clocks:  "what the clock says, and when timers fire, cannot be varied",
	Reads:   "how much a read returns cannot be varied",
	Dirs:    "the order of directories cannot be varied",
	Limits:  "ports and open files cannot be limited",

	Network:     "the network cannot be taken away",
	Environment: "who depends on TMPDIR and HOME is not known",
	Notes:       "collections, sizes of reads, ports and draws of crypto/rand are not recorded",
	Hangs:       "a run that hangs is known only by the time it takes",
}

// A patch adds text at the end of one line of a file of the standard library, or at the end of
// the group that its anchor has. It edits a file of the user's own GOROOT; fdebug contains no
// copy of Go's files. It never changes a line number.
type patch struct {
	file    string // relative to GOROOT/src
	anchor  string // regular expression for the whole line
	after   string // a line somewhere before it; "" for any place
	insert  string
	ability Ability
}

// patches are the edits. The anchors are unchanged in Go 1.24.0, 1.24.6, 1.25.0 and 1.26.8, those
// from Holds on in 1.24.13, 1.25.7, 1.26.8 and 1.27.4.
var patches = []patch{
	{"runtime/runtime2.go", `\tgoid +uint64`, "type g struct {", "; fdebug fdebugG", Identity},
	{"runtime/proc.go", `\tnewg\.startpc = fn\.fn`, "", "; fdebugNewG(newg, callergp, callerpc, fn.fn)", Identity},
	{"runtime/proc.go", `func gdestroy\(gp \*g\) \{`, "", " fdebugEndG(gp);", Endings},
	{"runtime/panic.go", `func gopanic\(e any\) \{`, "", " fdebugPanic();", Panics},
	{"testing/testing.go", `func tRunner\(t \*T, fn func\(t \*T\)\) \{`, "", " runtime.FdebugTest(t.name);", Tests},
	{"testing/fuzz.go", `func fRunner\(f \*F, fn func\(\*F\)\) \{`, "", " runtime.FdebugTest(f.name);", Tests},
	{"testing/run_example.go", `func runExample\(eg InternalExample\) \(ok bool\) \{`, "",
		" defer runtime.FdebugTest(eg.Name).Restore();", Tests},
	{"testing/testing.go", `func \(c \*common\) Fail\(\) \{`, "", " runtime.FdebugCheck(0, 1);", Checks},
	{"testing/testing.go", `func \(c \*common\) FailNow\(\) \{`, "", " runtime.FdebugCheck(1, 1);", Checks},
	{"testing/testing.go", `func \(c \*common\) SkipNow\(\) \{`, "", " runtime.FdebugCheck(2, 1);", Checks},
	{"runtime/proc.go", `func park_m\(gp \*g\) \{`, "", " fdebugParkG(gp);", Clock},
	{"runtime/proc.go", `func execute\(gp \*g, inheritTime bool\) \{`, "", " fdebugRunG(gp);", Clock},
	{"runtime/proc.go", `\tgp\.waitreason = reason`, "func gopark(",
		"; fdebugReasonG(gp, uint8(reason), reason.String())", Wakers},
	{"runtime/proc.go", `func ready\(gp \*g, traceskip int, next bool\) \{`, "", " fdebugReadyG(gp);", Wakers},
	{"time/sleep.go", `func AfterFunc\(d Duration, f func\(\)\) \*Timer \{`, "", " f = fdebugAfterFunc(f);", Timers},
	{"runtime/runtime2.go", `var waitReasonStrings = \[\.\.\.\]string\{`, "",
		` 254: "` + trace.HeldReason + `",`, Holds},
	{"runtime/proc.go", `func os_beforeExit\(exitCode int\) \{`, "", " fdebugExit(exitCode);", Holds},
	{"runtime/select.go", `\t\tj := cheaprandn\(uint32\(norder \+ 1\)\)`, "", "; j = fdebugSelect(j, norder)", Selects},
	{"runtime/rand.go", `func bootstrapRand\(\) uint64 \{`, "",
		" if r, ok := fdebugEarlyRand(); ok { return r };", Draws},
	{"runtime/rand.go", `func mrandinit\(mp \*m\) \{`, "", " fdebugEarly.over = true;", Draws},
	{"runtime/rand.go", `func rand\(\) uint64 \{`, "",
		" if fdebugPinned { if r, ok := fdebugRand(sys.GetCallerPC()); ok { return r } };", Draws},
	{"runtime/rand.go", `func maps_rand\(\) uint64 \{`, "",
		" if fdebugPinned { if r, ok := fdebugRand(sys.GetCallerPC()); ok { return r } };", Draws},
	{"math/rand/rng.go", `func \(rng \*rngSource\) Seed\(seed int64\) \{`, "",
		" seed = runtime.FdebugSeed(seed);", Seeds},
	{"math/rand/v2/pcg.go", `func NewPCG\(seed1, seed2 uint64\) \*PCG \{`, "",
		" seed1, seed2 = runtime.FdebugSeeds(seed1, seed2);", Seeds},
	{"runtime/time.go", `func time_runtimeNow\(\) \(sec int64, nsec int32, mono int64\) \{`, "",
		" if fdebugClocked { if s, n, m, ok := fdebugNow(); ok { return s, n, m } };", Clocks},
	{"runtime/time.go", `func time_runtimeNano\(\) int64 \{`, "",
		" if fdebugGrain != 0 || fdebugStill { if n, ok := fdebugNano(); ok { return n } };", Clocks},
	{"runtime/time.go", `func timeSleep\(ns int64\) \{`, "", " if fdebugGrain != 0 { ns = fdebugCoarse(ns) };", Clocks},
	{"runtime/netpoll.go", `func poll_runtime_pollSetDeadline\(pd \*pollDesc, d int64, mode int\) \{`, "",
		" d = fdebugDeadline(d);", Clocks},
	{"time/sleep.go", `\tt := runtimeNano\(\) \+ int64\(d\)`, "func when(d Duration) int64 {",
		"; t = runtime.FdebugTimer(t)", Clocks},
	{"os/stat_linux.go", `\tfs\.modTime = time\.Unix\(fs\.sys\.Mtim\.Unix\(\)\)`, "",
		"; if runtime.FdebugClocked() { fs.modTime = time.Unix(0, runtime.FdebugFileTime(fs.modTime.UnixNano())) }",
		Clocks},
	{"os/stat_darwin.go", `\tfs\.modTime = time\.Unix\(fs\.sys\.Mtimespec\.Unix\(\)\)`, "",
		"; if runtime.FdebugClocked() { fs.modTime = time.Unix(0, runtime.FdebugFileTime(fs.modTime.UnixNano())) }",
		Clocks},
	{"testing/testing_other.go", `func highPrecisionTimeNow\(\) highPrecisionTime \{`, "",
		" runtime.FdebugOwnTime(1); defer runtime.FdebugOwnTime(-1);", Clocks},
	{"os/types_unix.go", `(func \(fs \*fileStat\) ModTime\(\) time\.Time \{) return fs\.modTime \}`, "",
		" if runtime.FdebugClocked() { runtime.FdebugFileAge(fs.modTime.UnixNano()) };", Clocks},
	{"os/types_unix.go", `(func \(fs \*fileStat\) Sys\(\) any +\{) return &fs\.sys \}`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"os/types_windows.go", `func \(fs \*fileStat\) ModTime\(\) time\.Time \{`, "",
		" if runtime.FdebugClocked() { t := runtime.FdebugFileTime(fs.LastWriteTime.Nanoseconds()); runtime.FdebugFileAge(t); return time.Unix(0, t) };",
		Clocks},
	{"os/types_windows.go", `func \(fs \*fileStat\) Sys\(\) any \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"syscall/zsyscall_windows.go", `func GetSystemTimeAsFileTime\(time \*Filetime\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"syscall/zsyscall_windows.go",
		`func GetFileAttributesEx\(name \*uint16, level uint32, info \*byte\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_windows.go",
		`func GetFileInformationByHandle\(handle Handle, data \*ByHandleFileInformation\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/syscall_linux.go", `func RawSyscall\(trap, a1, a2, a3 uintptr\) \(r1, r2 uintptr, err Errno\) \{`, "",
		" if runtime.FdebugClocked() { fdebugCall(trap, a1, a2) };", Clocks},
	{"syscall/syscall_linux.go", `func Syscall\(trap, a1, a2, a3 uintptr\) \(r1, r2 uintptr, err Errno\) \{`, "",
		" if runtime.FdebugClocked() { fdebugCall(trap, a1, a2) };", Clocks},
	{"syscall/syscall_linux.go",
		`func Syscall6\(trap, a1, a2, a3, a4, a5, a6 uintptr\) \(r1, r2 uintptr, err Errno\) \{`, "",
		" if runtime.FdebugClocked() { fdebugCall(trap, a1, a2) };", Clocks},
	{"syscall/syscall_linux_amd64.go", `func Gettimeofday\(tv \*Timeval\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"syscall/syscall_linux_amd64.go", `func Time\(t \*Time_t\) \(tt Time_t, err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"syscall/zsyscall_darwin_amd64.go", `func Stat\(path string, stat \*Stat_t\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_darwin_amd64.go", `func Lstat\(path string, stat \*Stat_t\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_darwin_amd64.go", `func Fstat\(fd int, stat \*Stat_t\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_darwin_arm64.go", `func Stat\(path string, stat \*Stat_t\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_darwin_arm64.go", `func Lstat\(path string, stat \*Stat_t\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_darwin_arm64.go", `func Fstat\(fd int, stat \*Stat_t\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(true) };", Clocks},
	{"syscall/zsyscall_darwin_amd64.go", `func Gettimeofday\(tp \*Timeval\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"syscall/zsyscall_darwin_arm64.go", `func Gettimeofday\(tp \*Timeval\) \(err error\) \{`, "",
		" if runtime.FdebugClocked() { runtime.FdebugKernelTime(false) };", Clocks},
	{"runtime/cgocall.go", `func cgocall\(fn, arg unsafe\.Pointer\) int32 \{`, "",
		" if fdebugClocked || !fdebugForeign { fdebugCgo(sys.GetCallerPC()) };", Clocks},
	{"internal/poll/fd_unix.go", `func \(fd \*FD\) Read\(p \[\]byte\) \(int, error\) \{`, "",
		" if runtime.FdebugReading() && fd.fdebugStream() { p = p[:runtime.FdebugRead(len(p))] };", Reads},
	{"internal/poll/fd_windows.go", `func \(fd \*FD\) Read\(buf \[\]byte\) \(int, error\) \{`, "",
		" if runtime.FdebugReading() && fd.kind == kindNet && fd.IsStream { buf = buf[:runtime.FdebugRead(len(buf))] };",
		Reads},
	{"os/dir.go", `\t_, _, infos, err := f\.readdir\(n, readdirFileInfo\)`, "",
		"; runtime.FdebugEntries(f.name, len(infos), func(i int) string { return infos[i].Name() }, func(i, j int) { infos[i], infos[j] = infos[j], infos[i] })",
		Dirs},
	{"os/dir.go", `\tnames, _, _, err = f\.readdir\(n, readdirName\)`, "",
		"; runtime.FdebugEntries(f.name, len(names), func(i int) string { return names[i] }, func(i, j int) { names[i], names[j] = names[j], names[i] })",
		Dirs},
	{"os/dir.go", `\t_, dirents, _, err := f\.readdir\(n, readdirDirEntry\)`, "",
		"; runtime.FdebugEntries(f.name, len(dirents), func(i int) string { return dirents[i].Name() }, func(i, j int) { dirents[i], dirents[j] = dirents[j], dirents[i] })",
		Dirs},
	{"syscall/syscall_unix.go", `func Bind\(fd int, sa Sockaddr\) \(err error\) \{`, "",
		" if runtime.FdebugLimited() { if sa, err = fdebugBind(fd, sa); err != nil { return err } };", Limits},
	{"testing/testing.go", `\tt\.runner = callerName\(0\)`, "",
		"; if runtime.FdebugLimited() { fdebugLimits() }", Limits},
	{"syscall/syscall_unix.go", `func Connect\(fd int, sa Sockaddr\) \(err error\) \{`, "",
		" if runtime.FdebugLimited() && fdebugOffline(sa) { return ENETUNREACH }; if runtime.FdebugClocked() && fdebugLeaves(sa) { runtime.FdebugMeet() };",
		Network},
	{"syscall/syscall_unix.go",
		`func sendtoInet4\(fd int, p \[\]byte, flags int, to \*SockaddrInet4\) \(err error\) \{`, "",
		" if runtime.FdebugLimited() && fdebugOffline(to) { return ENETUNREACH };", Network},
	{"syscall/syscall_unix.go",
		`func sendtoInet6\(fd int, p \[\]byte, flags int, to \*SockaddrInet6\) \(err error\) \{`, "",
		" if runtime.FdebugLimited() && fdebugOffline(to) { return ENETUNREACH };", Network},
	{"syscall/syscall_unix.go",
		`func sendmsgNInet4\(fd int, p, oob \[\]byte, to \*SockaddrInet4, flags int\) \(n int, err error\) \{`, "",
		" if runtime.FdebugLimited() && fdebugOffline(to) { return 0, ENETUNREACH };", Network},
	{"syscall/syscall_unix.go",
		`func sendmsgNInet6\(fd int, p, oob \[\]byte, to \*SockaddrInet6, flags int\) \(n int, err error\) \{`, "",
		" if runtime.FdebugLimited() && fdebugOffline(to) { return 0, ENETUNREACH };", Network},
	{"net/lookup.go", `func \(r \*Resolver\) dial\(ctx context\.Context, network, server string\) \(Conn, error\) \{`,
		"", " if runtime.FdebugLimited() { if err := fdebugUnreachable(r, network); err != nil { return nil, err } };",
		Network},
	{"net/conf.go", `func \(c \*conf\) mustUseGoResolver\(r \*Resolver\) bool \{`, "",
		" if runtime.FdebugOffline() { return true };", Network},
	{"syscall/env_unix.go", `func Getenv\(key string\) \(value string, found bool\) \{`, "",
		" runtime.FdebugGetenv(key);", Environment},
	{"syscall/exec_windows.go",
		`func StartProcess\(argv0 string, argv \[\]string, attr \*ProcAttr\) \(pid int, handle uintptr, err error\) \{`,
		"", " runtime.FdebugFork();", Environment},
	{"syscall/exec_unix.go",
		`func forkExec\(argv0 string, argv \[\]string, attr \*ProcAttr\) \(pid int, err error\) \{`, "",
		" runtime.FdebugFork();", Environment},
	{"runtime/mgc.go", `\twork\.userForced = trigger\.kind == gcTriggerCycle`, "func gcStart(",
		"; fdebugCollects()", Notes},
	{"runtime/panic.go", `func fatalpanic\(msgs \*_panic\) \{`, "", " fdebugDie();", Notes},
	{"runtime/panic.go", `func maps_fatal\(s string\) \{`, "", " fdebugDie();", Notes},
	{"testing/testing.go", `\t\tm\.stopAlarm\(\)`, "", "; runtime.FdebugTested()", Notes},
	{"testing/testing.go", `\t\tdebug\.SetTraceback\("all"\)`, "", "; runtime.FdebugTimeUp()", Notes},
	{"internal/poll/fd_unix.go", `\t\terr = fd\.eofError\(n, err\)`, "func (fd *FD) Read(",
		"; if fd.IsStream && !fd.isFile { runtime.FdebugGot(n) }", Notes},
	{"internal/poll/fd_windows.go", `\t\terr = fd\.eofError\(n, err\)`, "func (fd *FD) Read(",
		"; if fd.kind == kindNet && fd.IsStream { runtime.FdebugGot(n) }", Notes},
	{"syscall/syscall_unix.go", `(\t)return bind\(fd, ptr, n\)`, "func Bind(",
		"defer func() { fdebugBound(fd, sa, err) }(); ", Notes},
	{"crypto/rand/rand.go", `(\t)return len\(b\), nil`, "func Read(", "runtime.FdebugRandom(b); ", Notes},
	{"crypto/rand/util.go", `\t\tif n\.Cmp\(max\) < 0 \{`, "func Int(",
		" if n.IsUint64() { runtime.FdebugRandomInt(n.Uint64()) };", Notes},
	{"runtime/proc.go", `\t\tlock\(&sched\.sysmonlock\)`, "func sysmon() {", "; fdebugLook()", Hangs},
	{"runtime/proc.go", `\t\t\t\t\tsleep := forcegcperiod / 2`, "func sysmon() {", "; sleep = fdebugNap(sleep)", Hangs},
	{"runtime/proc.go", `\t\tgoparkunlock\(&forcegc\.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1\)`, "",
		"; fdebugAsked()", Hangs},
	{"testing/testing.go", `(\t)return deadline`, "func (m *M) startAlarm()", "runtime.FdebugAlarm(m.timer); ", Hangs},
}

// needs maps the beginning of what patches insert to the import it needs.
var needs = map[string]string{"runtime.": "runtime", "sys.": "internal/runtime/sys"}

// missing returns the packages that the patch needs and src does not import.
func (p *patch) missing(src []byte) (paths []string) {
	for prefix, path := range needs {
		use := regexp.MustCompile(`\b` + regexp.QuoteMeta(prefix))
		has := bytes.Contains(src, []byte("\n\t\""+path+"\"\n")) ||
			bytes.Contains(src, []byte("; import \""+path+"\"")) ||
			bytes.Contains(src, []byte("\nimport \""+path+"\"\n"))
		if use.MatchString(p.insert) && !has {
			paths = append(paths, path)
		}
	}
	return paths
}

// apply returns src with the patch. It fails unless the anchor is there exactly once.
func (p *patch) apply(src []byte) ([]byte, error) {
	start := 0
	if p.after != "" {
		i := bytes.Index(src, []byte(p.after))
		if i < 0 {
			return nil, fmt.Errorf("%s: no line %q", p.file, p.after)
		}
		start = i
	}
	// A line after another, not ^: then package regexp looks for its first letters, which takes a third of the time.
	found := regexp.MustCompile(`\n(?:`+p.anchor+`)(?m:$)`).FindAllSubmatchIndex(src[start:], 2)
	if len(found) == 0 || len(found) > 1 && p.after == "" {
		return nil, fmt.Errorf("%s: %d lines like %s, want 1", p.file, len(found), p.anchor)
	}
	at := found[0]
	end := start + at[min(3, len(at)-1)]
	return append(append(append([]byte{}, src[:end]...), p.insert...), src[end:]...), nil
}
