package freedom

import (
	"math"
	"runtime"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

var limitsFreedom = Freedom{
	Name:     "limits",
	Varies:   "What the machine has left. The chosen port is taken, few files may be open, or no other machine is reachable. TMPDIR or HOME is a new directory, or there is no home directory. The process gets part of a CPU, or other programs compute beside it.",
	Legal:    `"EADDRINUSE The given address is already in use." Any other process may have it. "RLIMIT_NOFILE This specifies a value one greater than the maximum file descriptor number that can be opened by this process": "ulimit -n 256" lowers it, the hard limit too, up to which package syscall raises the soft one. "ENETUNREACH Network is unreachable." "On Unix systems, it returns $TMPDIR if non-empty, else /tmp": nothing says what is in there. "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin": a user of Debian who has no home directory. "$MAX $PERIOD" is a quota "which indicates that the group may consume up to $MAX in each $PERIOD duration": a container of CI has one, and other programs use its machine.`,
	Source:   "bind(2); getrlimit(2); connect(2); https://pkg.go.dev/os#TempDir; passwd(5); cgroup-v2.rst, cpu.max",
	Sites:    "calls that bind; the whole run",
	Dose:     "files, share of a CPU",
	Category: "environment",
	observe:  observeLimits,
	set:      setLimits,
	Asked:    true,
	Tries:    func(block uint32, _ Guess) []Act { return []Act{Ports(block, PortTaken)} },
	aspects: []aspect{
		{what: PortTaken, name: "taken", opposites: func(a Act, _ Guess) []Act {
			return []Act{Ports(a.At.Block, PortFree)}
		}},
		{what: PortFree, name: "free"},
		{what: FilesMost, name: "files", always: true, opposites: always(Files(math.MaxInt32))},
		{what: NetworkNone, asks: trace.ActNetwork, name: "no network", always: true, opposites: asItIs},
		{what: TempFresh, asks: trace.ActTemp, name: "new TMPDIR",
			env: func(_ Act, dir string) []string { return []string{"TMPDIR=" + dir} }, dir: ".tmp", opposites: asItIs},
		{what: HomeFresh, asks: trace.ActHome, name: "new HOME",
			env: func(_ Act, dir string) []string { return homeAt(dir) }, dir: ".home", opposites: asItIs},
		{what: HomeNone, asks: trace.ActHome, name: "no HOME",
			env: func(Act, string) []string {
				return homeAt(noHome())
			}, opposites: always(Machine(HomeFresh), Machine(AsItIs))},
		{what: AsItIs, name: "as it is", always: true},
		{what: QuotaMost, name: "quota", env: outside, opposites: always(Quota(100), Machine(AsItIs))},
		{what: Busy, name: "busy", env: outside, opposites: asItIs},
	},
}

// Aspects of limits.
const (
	PortTaken   Aspect = iota + trace.PortTaken // the first port that Block chooses is in use
	PortFree                                    // the system chooses a free one instead
	FilesMost                                   // descriptors are below Value
	NetworkNone                                 // only addresses of the machine itself can be reached, and no name can be looked up
	TempFresh                                   // TMPDIR is a new directory
	HomeFresh                                   // HOME is a new directory
	HomeNone                                    // HOME is a directory that does not exist and can't be made
	AsItIs                                      // nothing is changed: a control for those above
	QuotaMost                                   // the process gets at most Value percent of one CPU
	Busy                                        // for each CPU, Value programs compute beside the process
)

func asItIs(Act, Guess) []Act { return []Act{Machine(AsItIs)} }

// outside is the environment for what the process itself has no part in.
func outside(Act, string) []string { return nil }

// Ports determines what happens to the ports that a block chooses.
func Ports(block uint32, what Aspect) Act {
	return Act{Kind: trace.ActLimits, What: what, At: Position{Block: block}}
}

// Files limits the file descriptors of a process.
func Files(n int64) Act { return Act{Kind: trace.ActLimits, What: FilesMost, Value: n} }

// Machine changes the machine around the whole process: NetworkNone, TempFresh, HomeFresh,
// HomeNone or AsItIs.
func Machine(what Aspect) Act { return Act{Kind: trace.ActLimits, What: what} }

// Machines are what a machine may be like otherwise for programs that ask.
func Machines() []Act {
	return []Act{Machine(NetworkNone), Machine(TempFresh), Machine(HomeFresh), Machine(HomeNone)}
}

// Quota gives a process so many percent of one CPU. Who starts it sees to that.
func Quota(percent int64) Act { return Act{Kind: trace.ActLimits, What: QuotaMost, Value: percent} }

// Beside has so many programs compute beside a process, for each CPU. Who starts it starts them.
func Beside(n int64) Act { return Act{Kind: trace.ActLimits, What: Busy, Value: n} }

// CPUs returns the processors that a process gets by its plan, 0 for all.
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

// observeLimits tells of each socket whether there was an error, which port it was, and whether the run had it before.
// Nothing in a run has a say in which port the system chooses.
func observeLimits(r *Runs) (list []fact.Observation) {
	for _, a := range r.answers(trace.ActLimits) {
		list = append(list, a.observe(r, Refused, fact.Bit, func(_ int, n *trace.Note) float64 {
			return bit(n.Value < 0)
		}))
		asked := false
		port := a.observe(r, Port, fact.Line, func(_ int, n *trace.Note) float64 {
			if n.Value <= 0 {
				return nan
			}
			asked = asked || n.Value&trace.PortAsked != 0
			return float64(n.Value &^ trace.PortAsked)
		})
		port.Exogenous = !asked
		list = append(list, port, a.observe(r, Twice, fact.Bit, func(i int, n *trace.Note) float64 {
			return bit(r.List[i].bound(n))
		}))
	}
	return list
}

// bound reports whether the run had bound the port of a note before.
func (x *Run) bound(n *trace.Note) bool {
	for _, o := range x.notes(trace.ActLimits) {
		if o == n {
			return false
		} else if n.Value > 0 && o.Value&^trace.PortAsked == n.Value&^trace.PortAsked {
			return true
		}
	}
	return false
}

// setLimits takes the port away, or has the system choose a free one, of a fact that a socket got none.
func setLimits(f *fact.Fact) (fails, passes [][]Act) {
	s := f.What.(*Seen)
	if s.Measure != Refused {
		return nil, nil
	}
	block := uint32(s.At[0].Block)
	taken, free := [][]Act{{Ports(block, PortTaken)}}, [][]Act{{Ports(block, PortFree)}}
	if f.Outside {
		return taken, free
	}
	return free, taken
}
