package perturb

import (
	"runtime"

	"github.com/fdebug/fdebug/trace"
)

var limitsKind = Kind{
	Name:   "limits",
	Varies: "What the machine has left. The chosen port is taken, few files may be open, or no other machine is reachable. TMPDIR or HOME is a new directory, or there is no home directory.",
	Legal:  `"EADDRINUSE The given address is already in use." Any other process may have it. "RLIMIT_NOFILE This specifies a value one greater than the maximum file descriptor number that can be opened by this process": "ulimit -n 256" lowers it, the hard limit too, up to which package syscall raises the soft one. "ENETUNREACH Network is unreachable." "On Unix systems, it returns $TMPDIR if non-empty, else /tmp": nothing says what is in there. "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin": a user of Debian who has no home directory.`,
	Source: "bind(2); getrlimit(2); connect(2); https://pkg.go.dev/os#TempDir; passwd(5)",
	Sites:  "calls that bind; the whole run",
	Dose:   "files",
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
