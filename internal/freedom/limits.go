package freedom

import (
	"math"
	"runtime"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var limitsFreedom = Freedom{
	Name:     "limits",
	Varies:   "What the machine has left. The chosen port is taken, few files may be open, or no other machine is reachable. TMPDIR or HOME is a new directory, or there is no home directory. The process gets part of a CPU.",
	Legal:    `"EADDRINUSE The given address is already in use." Any other process may have it. "RLIMIT_NOFILE This specifies a value one greater than the maximum file descriptor number that can be opened by this process": "ulimit -n 256" lowers it, the hard limit too, up to which package syscall raises the soft one. "ENETUNREACH Network is unreachable." "On Unix systems, it returns $TMPDIR if non-empty, else /tmp": nothing says what is in there. "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin": a user of Debian who has no home directory. "$MAX $PERIOD" is a quota "which indicates that the group may consume up to $MAX in each $PERIOD duration": a container of CI has one, and other programs use its machine.`,
	Source:   "bind(2); getrlimit(2); connect(2); https://pkg.go.dev/os#TempDir; passwd(5); cgroup-v2.rst, cpu.max",
	Sites:    "calls that bind; the whole run",
	Dose:     "files, share of a CPU",
	Category: "environment",
	Where:    ByAnswers,
	Verbs:    Verbs{Opposites: setOpposites, Elsewhere: setElsewhere, Weaker: moreCPU, Surely: lessCPU},
	Prior:    0.010, // 9 of the 35
	Asked:    true,
	Tries:    func(block uint32, _ Bench) []Step { return []Step{Ports(block, PortTaken)} },
	Propose:  []*Proposer{{Guesses: proposeLimits}, {Guesses: proposeLoad}},
	aspects: []aspect{
		{what: PortTaken, name: "taken",
			category: "network", says: limited(say.Decides(say.Port), say.FixPort), opposites: func(a Step, _ Bench) []Step {
				return []Step{Ports(a.At.Block, PortFree)}
			}},
		{what: PortFree, name: "free",
			category: "network", says: limited(say.Decides(say.PortFree), say.FixPort)},
		{what: FilesMost, name: "files",
			category: "resource-leak", says: limited(say.Decides(say.Files, say.SetCount), say.FixFiles),
			always: true, opposites: always(Files(math.MaxInt32))},
		{what: NetworkNone, asks: trace.ActNetwork, name: "no network",
			category: "network", says: limited(say.Decides(say.Without, say.Called("network")), say.FixServer),
			always: true, opposites: asItIs},
		{what: TempFresh, asks: trace.ActTemp, name: "new TMPDIR",
			category: "io", says: limited(say.Decides(say.Empty, say.Called("TMPDIR")), say.FixHome),
			env: func(_ Step, dir string) []string { return []string{"TMPDIR=" + dir} }, dir: ".tmp", opposites: asItIs},
		{what: HomeFresh, asks: trace.ActHome, name: "new HOME",
			says: limited(say.Decides(say.Empty, say.Called("HOME")), say.FixHome),
			env:  func(_ Step, dir string) []string { return homeAt(dir) }, dir: ".home", opposites: asItIs},
		{what: HomeNone, asks: trace.ActHome, name: "no HOME",
			says: limited(say.Decides(say.Without, say.Called("HOME")), say.FixHome),
			env: func(Step, string) []string {
				return homeAt(noHome())
			}, opposites: always(Machine(HomeFresh), Machine(AsItIs))},
		{what: AsItIs, name: "as it is", always: true},
		{what: QuotaMost, name: "quota",
			category: "timeout", says: limited(say.Decides(say.Quota, say.SetPercent), say.FixTimer, say.FixClock), env: outside, opposites: always(Quota(wholeCPU), Machine(AsItIs))},
	},
}

// limited is said where the machine decides.
func limited(cause say.Cause, fix ...say.Template) say.Setting {
	return say.Setting{Cause: cause, With: say.BarSo, Cure: say.BarOtherwise, Mark: say.MarkOpens, Fix: fix}
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
)

func asItIs(Step, Bench) []Step { return []Step{Machine(AsItIs)} }

// outside is the environment for what the process itself has no part in.
func outside(Step, string) []string { return nil }

// Ports determines what happens to the ports that a block chooses.
func Ports(block uint32, what Aspect) Step {
	return Step{Kind: trace.ActLimits, What: what, At: Position{Block: block}}
}

// Files limits the file descriptors of a process.
func Files(n int64) Step { return Step{Kind: trace.ActLimits, What: FilesMost, Value: n} }

// Machine changes the machine around the whole process: NetworkNone, TempFresh, HomeFresh, HomeNone or AsItIs.
func Machine(what Aspect) Step { return Step{Kind: trace.ActLimits, What: what} }

// Machines are what a machine may be like otherwise for programs that ask.
func Machines() []Step {
	return []Step{Machine(NetworkNone), Machine(TempFresh), Machine(HomeFresh), Machine(HomeNone)}
}

const (
	fewFiles    = 256   // descriptors that a process has with a low limit: the default of macOS
	quota       = 10    // percent of a CPU that are proposed, which containers may have
	leastQuota  = 5     // that are left at least
	wholeCPU    = 100   // percent
	weakenQuota = 2     // by how much a quota is made greater at once
	ofLoad      = 0.001 // prior: a failure with it often has a better explanation
)

// FewFiles lets a process open few files.
func FewFiles() Step { return Files(fewFiles) }

// proposeLimits proposes limits on the resources of the machine.
func proposeLimits(f *Freedom, b Bench) []Guess {
	list := append(f.atAskers(b), each(f.Prior, FewFiles())...)
	for _, m := range Machines() {
		if b.AlwaysFails() || b.Asks(m.Asks()) {
			list = append(list, each(f.Prior, m)...)
		}
	}
	return list
}

// proposeLoad leaves the process part of a CPU. A test that fails anyway does so on one that is idle.
func proposeLoad(_ *Freedom, b Bench) []Guess {
	if !b.CanLimit() || b.AlwaysFails() {
		return nil
	}
	return each(ofLoad, Quota(quota))
}

// moreCPU and lessCPU are a weaker quota, and a stronger one; none where it is no limit.
func moreCPU(a Act[Site]) []Act[Site] { return withQuota(a, a.Value*weakenQuota) }
func lessCPU(a Act[Site]) []Act[Site] { return withQuota(a, a.Value/weakenQuota) }

func withQuota(a Act[Site], percent int64) []Act[Site] {
	if a.What != QuotaMost || percent >= wholeCPU {
		return nil
	}
	a.Value = max(percent, leastQuota)
	return []Act[Site]{a}
}

// Quota gives a process so many percent of one CPU. Who starts it sees to that.
func Quota(percent int64) Step { return Step{Kind: trace.ActLimits, What: QuotaMost, Value: percent} }

// CPUs returns the processors that a process gets by its plan, 0 for all.
func (p *Plan) CPUs() float64 {
	return float64(p.First(func(a Step) bool { return a.What == QuotaMost }).Value) / 100
}

// Slows returns how many times as long a plan may make the process run, by what it leaves of the machine.
func (p *Plan) Slows() float64 {
	if cpus := p.CPUs(); cpus > 0 && cpus < 1 {
		return 1 / cpus
	}
	return 1
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
	return p.Does(func(a Step) bool { return a.What == HomeFresh || a.What == HomeNone })
}
