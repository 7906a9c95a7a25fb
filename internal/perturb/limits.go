package perturb

import "github.com/fdebug/fdebug/trace"

var limitsKind = Kind{
	Name:   "limits",
	Varies: "What the system has left: the port that the program chose is another's, and a process may open few files.",
	Legal:  `"EADDRINUSE The given address is already in use." Any other process may have it. "RLIMIT_NOFILE This specifies a value one greater than the maximum file descriptor number that can be opened by this process": 256 where macOS starts it.`,
	Source: "bind(2); getrlimit(2)",
	Sites:  "calls that bind; the whole run",
	Dose:   "files",
}

// Aspects of limits.
const (
	PortTaken Aspect = iota + 80 // the first port that Block chooses is in use
	PortFree                     // the system chooses a free one in its place
	FilesMost                    // descriptors are below Value
)

// Port says what becomes of the ports that a block chooses.
func Port(block uint32, what Aspect) Setting {
	return Setting{Kind: trace.ActLimits, What: what, Block: block}
}

// Files limits the descriptors of a process.
func Files(n int64) Setting { return Setting{Kind: trace.ActLimits, What: FilesMost, Value: n} }
