package runner

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

const (
	marker    = 0x16     // ^V: begins framing lines
	maxLine   = 16 << 10 // longer lines are passed on in parts; no framing line is that long
	maxOutput = 64 << 10 // how much of one test's output is kept
	maxTail   = 256 << 10
)

// A phase is where a test is in its life.
type phase uint8

const (
	running phase = iota
	paused        // in t.Parallel, waiting for its turn
	ended
)

// A testState is one execution of one test, as the parser knows it.
type testState struct {
	name    string
	nth     int
	parent  *testState // the execution that contains this subtest, or nil
	phase   phase
	status  Status // valid once ended
	started time.Time
	elapsed time.Duration
	out     headTail
	// byChild and shared are as in Outcome.
	byChild, shared bool
	late            bool // as Outcome.Late
	dump            string
}

// A parser reads the output of a test binary under -test.v=test2json. It receives output while the
// process runs and keeps a limited amount of it.
type parser struct {
	now func() time.Time

	line []byte // an unfinished line
	mid  bool   // whether its beginning has been passed on already

	tests      []*testState          // all executions, in the order in which they started
	byName     map[string]*testState // the latest execution of each test
	cur        *testState            // the test that unmarked output belongs to; nil for the package
	guest      *testState            // the test that prints another process's output, see isGuest
	pkg        headTail              // output that belongs to no test
	guestEnded bool                  // whether that process has ended its execution of the test
	final      string                // "PASS" or "FAIL", the binary's last word
	shuffle    string                // seed reported with -shuffle
	noTests    bool                  // "testing: warning: no tests to run"
	races      []string              // race reports, the first few of each test
	racesOf    map[*testState]int    // how many of them came while a test ran
	race       *headTail             // the race report being read
	crash      crashText
	ends       []*testState         // tests in the order in which they ended
	logs       map[trace.Frame]bool // places that log lines name: the base name of the file, unless -fullpath was given
}

func newParser(now func() time.Time) *parser {
	return &parser{
		now:    now,
		byName: make(map[string]*testState),
		pkg:    newHeadTail(maxOutput),
		crash:  crashText{text: newHeadTail(maxTail)},
		logs:   make(map[trace.Frame]bool),
	}
}

// Write processes the next piece of output. It never fails.
func (p *parser) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		end, whole := lineEnd(b, len(p.line) == 0 && !p.mid)
		p.line = append(p.line, b[:end]...)
		b = b[end:]
		if whole || len(p.line) >= maxLine {
			p.flush(whole)
		}
	}
	return n, nil
}

// lineEnd returns how many bytes of b belong to the current line, and whether they complete it. A
// marker begins a new line even in the middle of one, which fmt.Print may leave unfinished. first
// says that b begins at the start of a line.
func lineEnd(b []byte, first bool) (n int, whole bool) {
	b = b[:min(len(b), maxLine)]
	n = bytes.IndexByte(b, '\n') + 1
	whole = n > 0
	if !whole {
		n = len(b)
	}
	from := 0
	if first {
		from = 1
	}
	if from < n {
		if i := bytes.IndexByte(b[from:n], marker); i >= 0 {
			return from + i, true
		}
	}
	return n, whole
}

// flush passes on the current line, or the part of it that was read so far.
func (p *parser) flush(whole bool) {
	if len(p.line) > 0 {
		if p.mid || p.line[0] != marker || !p.frame(p.line[1:]) {
			p.output(p.line, !p.mid)
		}
	}
	p.line = p.line[:0]
	p.mid = !whole
}

// frame processes a framing line, without its marker, and reports whether it was one. A line that
// names a test that was not started was printed by something else, and is output.
func (p *parser) frame(line []byte) bool {
	s := strings.TrimRight(string(line), "\r\n")
	switch {
	case p.isGuest(s):
		return false
	case s == "PASS" || s == "FAIL":
		p.final = s
		p.attribute(nil)
		return true
	case strings.HasPrefix(s, "=== "):
		return p.update(s[len("=== "):], line)
	case strings.HasPrefix(s, "--- "):
		return p.verdict(s[len("--- "):])
	}
	return false
}

// isGuest reports whether a framing line comes from another process: a test binary that a test
// started with the same arguments, and whose output it prints. Such a process is recognised when
// it starts a test that is already running. From then on every line is its own, up to its final
// PASS or FAIL. If it dies before that, the test's second verdict is the test's own.
func (p *parser) isGuest(s string) bool {
	if p.guest == nil {
		name, isRun := strings.CutPrefix(s, "=== RUN   ")
		if t := p.byName[name]; isRun && t != nil && t.phase != ended {
			p.guest, p.guestEnded, p.cur = t, false, t
		}
		return p.guest != nil
	}
	_, name, _ := strings.Cut(s, ": ")
	switch {
	case s == "PASS" || s == "FAIL":
		p.guest = nil
	case strings.HasPrefix(s, "--- ") && strings.HasPrefix(name, p.guest.name+" ("):
		if p.guestEnded {
			p.guest = nil
			return false
		}
		p.guestEnded = true
	}
	return true
}

// update processes "=== ACTION name".
func (p *parser) update(s string, line []byte) bool {
	action, name, _ := strings.Cut(s, " ")
	name, _, _ = strings.Cut(strings.TrimSpace(name), " ") // ATTR and ARTIFACTS have more words
	if action == "RUN" && name != "" {
		p.start(name)
		return true
	}
	t := p.byName[name]
	if t == nil && (action != "NAME" || name != "") {
		return false
	}
	switch action {
	case "PAUSE":
		p.pause(t)
	case "CONT":
		p.resume(t)
	case "NAME":
		p.attribute(t)
	default: // ATTR, ARTIFACTS, and those that later releases add
		p.attribute(t)
		p.output(line, true)
	}
	return true
}

// pause notes that a test begins to wait for its turn in t.Parallel; nil is one that is not known.
func (p *parser) pause(t *testState) {
	if t != nil && t.phase == running {
		t.phase, t.elapsed = paused, t.elapsed+p.now().Sub(t.started)
	}
	p.attribute(t)
}

// resume notes that it ends to wait.
func (p *parser) resume(t *testState) {
	if t != nil && t.phase == paused {
		t.phase, t.started = running, p.now()
	}
	p.attribute(t)
}

// start processes "=== RUN".
func (p *parser) start(name string) {
	t := p.byName[name]
	nth := 0
	if t != nil {
		nth = t.nth + 1
	}
	t = &testState{name: name, nth: nth, parent: p.parent(name), started: p.now(), out: newHeadTail(maxOutput)}
	p.final = ""
	p.tests = append(p.tests, t)
	p.byName[name] = t
	p.attribute(t)
}

// parent returns the test that contains the named subtest. A subtest's own name may contain
// slashes, so the parent's name need not end at the last slash.
func (p *parser) parent(name string) *testState {
	for name = parentOf(name); name != ""; name = parentOf(name) {
		if t := p.byName[name]; t != nil {
			return t
		}
	}
	return nil
}

var verdicts = map[string]Status{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}

// verdict processes "PASS: name (0.00s)" and the like.
func (p *parser) verdict(s string) bool {
	word, name, _ := strings.Cut(s, ": ")
	i := strings.LastIndex(name, " (")
	if i < 0 {
		return false
	}
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(name[i+2:], "s)"), 64)
	t := p.byName[name[:i]]
	status := verdicts[word]
	if err != nil || t == nil || status == "" {
		return false
	}
	p.end(t, status, seconds)
	p.attribute(t)
	return true
}

func (p *parser) end(t *testState, status Status, seconds float64) {
	if t.phase == ended && t.status.Failing() {
		return // later output does not change that it failed
	}
	// The test's own time has only two digits. But lines are read some time after they were
	// printed, and often many at once.
	t.elapsed = time.Duration(seconds * float64(time.Second))
	t.phase, t.status = ended, status
	p.ends = append(p.ends, t)
	if !status.Failing() {
		p.learn(t)
	}
}

// learn notes the places from which a passing test printed, because those are logs: a failed
// check is never there. The output itself is not needed.
func (p *parser) learn(t *testState) {
	if t.status == Passed {
		for _, c := range checksIn(t.out.String()) {
			if len(p.logs) < 10000 {
				p.logs[c.Frame] = true
			}
		}
	}
	t.out.reset()
}

// attribute makes t the owner of the output that follows.
func (p *parser) attribute(t *testState) {
	p.cur = t
	p.crash.framed()
}

// output processes a piece of output; first is set at the beginning of a line.
func (p *parser) output(b []byte, first bool) {
	if first {
		p.notice(b)
	}
	if p.race != nil {
		p.race.Write(b)
	}
	p.crash.output(b, first)
	switch {
	case p.cur == nil:
		p.pkg.Write(b)
	case p.cur.phase != ended || p.cur.status.Failing():
		p.cur.out.Write(b)
	}
}

var (
	raceWarning = []byte(race.Warning)
	raceFence   = []byte("==================")
	shuffleLine = []byte("-test.shuffle ")
	noTestsLine = []byte("testing: warning: no tests to run")
)

// notice handles the lines that say something about the run as a whole.
func (p *parser) notice(b []byte) {
	switch {
	case bytes.HasPrefix(b, raceWarning):
		p.beginRace()
	case bytes.HasPrefix(b, raceFence):
		p.endRace()
	case bytes.HasPrefix(b, shuffleLine) && p.shuffle == "":
		p.shuffle = string(bytes.TrimSpace(b[len(shuffleLine):]))
	case bytes.HasPrefix(b, noTestsLine):
		p.noTests = true
	}
}

const (
	maxRaces      = 8   // reports kept while one test runs
	maxRacesOfRun = 128 // and in total
)

func (p *parser) beginRace() {
	if p.racesOf[p.cur] >= maxRaces || len(p.races) >= maxRacesOfRun {
		return
	}
	if p.racesOf == nil {
		p.racesOf = make(map[*testState]int)
	}
	p.racesOf[p.cur]++
	p.race = new(headTail)
	*p.race = newHeadTail(16 << 10)
}

func (p *parser) endRace() {
	if p.race != nil {
		p.races = append(p.races, p.race.String())
		p.race = nil
	}
}
