package perturb

import (
	"runtime"

	"github.com/fdebug/fdebug/trace"
)

var limitsKind = Kind{
	Name:   "limits",
	Varies: "What the machine has left. The chosen port is taken, few files may be open, or no other machine is reachable. TMPDIR or HOME is a new directory, or there is no home directory. The process gets part of a CPU, or other programs compute beside it.",
	Legal:  `"EADDRINUSE The given address is already in use." Any other process may have it. "RLIMIT_NOFILE This specifies a value one greater than the maximum file descriptor number that can be opened by this process": "ulimit -n 256" lowers it, the hard limit too, up to which package syscall raises the soft one. "ENETUNREACH Network is unreachable." "On Unix systems, it returns $TMPDIR if non-empty, else /tmp": nothing says what is in there. "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin": a user of Debian who has no home directory. "$MAX $PERIOD" is a quota "which indicates that the group may consume up to $MAX in each $PERIOD duration": a container of CI has one, and other programs use its machine.`,
	Source: "bind(2); getrlimit(2); connect(2); https://pkg.go.dev/os#TempDir; passwd(5); cgroup-v2.rst, cpu.max",
	Sites:  "calls that bind; the whole run",
	Dose:   "files, share of a CPU",
}

// Aspects of limits.
const (
	PortTaken   Aspect = iota + 80 // the first port that Block chooses is in use
	PortFree                       // the system chooses a free one instead
	FilesMost                      // descriptors are below Value
	NetworkNone                    // only addresses of the machine itself can be reached, and no name can be looked up
	TempFresh                      // TMPDIR is a new directory
	HomeFresh                      // HOME is a new directory
	HomeNone                       // HOME is a directory that does not exist and can't be made
	AsItIs                         // nothing is changed: a control for those above
	QuotaMost                      // the process gets at most Value percent of one CPU
	Busy                           // for each CPU, Value programs compute beside the process
)

// Port determines what happens to the ports that a block chooses.
func Port(block uint32, what Aspect) Act {
	return Act{Kind: trace.ActLimits, What: what, At: Position{Block: block}}
}

// Files limits the file descriptors of a process.
func Files(n int64) Act { return Act{Kind: trace.ActLimits, What: FilesMost, Value: n} }

// Machine changes the machine around the whole process: NetworkNone, TempFresh, HomeFresh,
// HomeNone or AsItIs.
func Machine(what Aspect) Act { return Act{Kind: trace.ActLimits, What: what} }

// Quota gives a process so many percent of one CPU. Who starts it sees to that.
func Quota(percent int64) Act { return Act{Kind: trace.ActLimits, What: QuotaMost, Value: percent} }

// Beside has so many programs compute beside a process, for each CPU. Who starts it starts them.
func Beside(n int64) Act { return Act{Kind: trace.ActLimits, What: Busy, Value: n} }

// CPUs returns what a process gets by the plan of processors, 0 for all.
func (p *Plan) CPUs() float64 {
	return float64(p.First(func(a Act) bool { return a.What == QuotaMost }).Value) / 100
}

// Beside returns how many programs compute beside a process by the plan, for each CPU.
func (p *Plan) Beside() int { return int(p.First(func(a Act) bool { return a.What == Busy }).Value) }

// Slows returns how many times as long a plan may make the process run, by what it leaves of the machine.
func (p *Plan) Slows() float64 {
	if cpus := p.CPUs(); cpus > 0 && cpus < 1 {
		return 1 / cpus
	}
	return float64(1 + p.Beside())
}

// noHome is a directory that does not exist, and that not even root can make.
func noHome() string {
	if runtime.GOOS == "linux" {
		return "/proc/nonexistent"
	}
	return "/nonexistent"
}

// homeAt makes a program find its home directory, and its usual contents, at dir.
func homeAt(dir string) []string {
	return []string{"HOME=" + dir, "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME="}
}

// Homes reports whether the plan sets the home directory.
func (p *Plan) Homes() bool {
	return p.Does(func(a Act) bool { return a.What == HomeFresh || a.What == HomeNone })
}
