package report

import "strings"

// A settingFix is how a test is mended that fails by what the system around the program
// decides. {at} stands for where the program asks for it, if that is known.
type settingFix struct {
	does  string // what to do there
	means string // with what
	no    string // what is no fix
}

// settingFixes are by the name of a [proof.Act], or by its kind alone.
var settingFixes = map[string]settingFix{
	"limits taken": {
		"Let the system choose a free port{at}: listen on port 0, and take the address from what Addr of the listener returns.",
		"If somebody else must know the port before, open the listener first and hand it on: a port that was free when it was looked for may be taken a moment later.",
		"Another number, or one that is drawn or computed, is no fix: any process may have it.",
	},
	"limits files": {
		"Close what is opened{at}, or before, as soon as it is done with, and wait until those who have it open have closed it.",
		"See who is still open: files, connections, response bodies (also where they are not read), pipes of processes.",
		"A higher limit is no fix of what opens more with each call.",
	},
	"limits no network": {
		"Let the test talk to a server of its own in place of what it reaches{at}: httptest.NewServer, or a listener on 127.0.0.1:0.",
		"If it must be the real one, let the test say so and be skipped where that can't be reached, or have it run by a flag or a build tag.",
		"A retry is no fix where there is no network.",
	},
	"limits new TMPDIR": {
		"Let the test make all that it needs in a directory of its own, t.TempDir(): the one that is asked for{at} is shared with other programs and earlier runs.",
		"What an earlier run, or another program, has left in the temporary directory is there on some machines only.",
		"To clean up at the end is not enough: an earlier run may have been killed.",
	},
	"limits new HOME": {
		"Give the test a home directory of its own, t.Setenv(\"HOME\", t.TempDir()), with all in it that is expected{at}.",
		"What is in the home directory of a developer is on no other machine.", "",
	},
	"limits no HOME": {
		"Give the test a home directory of its own, t.Setenv(\"HOME\", t.TempDir()), before anything asks for it{at}.",
		"A build machine may run tests as a user without one.", "",
	},
	"clock": {
		"Let the test set the clock that is read{at}: a field now func() time.Time, or a bubble of testing/synctest (if go.mod says go 1.23 or newer).",
		"Where two readings must be of one day, second or period, read once and hand the time on; and test the boundary on purpose, with a fixed time on each side of it.",
		"To wait for the next period, or a tolerance, is no fix: a busy machine comes to the next boundary.",
	},
	"clock grain": {
		"Two readings{at} may be equal, or apart by a whole tick: order by a counter, or let the test set the clock.",
		"What took no time that can be seen is no error, and nothing to divide by.",
		"A sleep of a nanosecond or a microsecond between them is no fix: the clocks of some systems stand still for 16 ms.",
	},
	"clock zone": {
		"Say which zone is meant{at}: t.UTC(), t.In(loc), time.ParseInLocation.",
		"A test can set time.Local, but for all tests of the process.", "",
	},
	"timer": {
		"Let the test wait for what should happen, and not for the time in which it does: what is set{at} may fire later, on a busy machine by much.",
		"What is about times themselves can be tested in a bubble of testing/synctest, whose clock is exact, or with a clock that is handed in.",
		"A limit that is a little longer is no fix: a machine that is a little busier exceeds it too.",
	},
	"read": {
		"Read until there is all{at}: with io.ReadFull, io.ReadAll, a bufio.Scanner or a decoder. One Read returns what has arrived.",
		"Say in the data where a message ends: by its length or a delimiter.",
		"A pause before the Read, or a larger buffer, is no fix: the network may cut anywhere.",
	},
	"dir": {
		"Sort the entries that are read{at}, or use os.ReadDir, which does.",
		"If their order has no meaning, compare them as a set.", "",
	},
	"gc": {
		"Do not count on when something is collected: keep what is needed in a variable that lives as long as it is needed, or call runtime.KeepAlive.",
		"What a finalizer, a cleanup, a weak pointer or a sync.Pool does may come at once or never: release what must be released with Close.",
		"runtime.GC in the test is no fix: it does not say when finalizers have run.",
	},
}

// setting: what the system around the program decides. Of several settings the first one
// that is set is told.
func (f *fixer) setting() (lines []prose) {
	set := f.d.Settings()[0]
	fix, ok := settingFixes[set.Name()]
	if !ok {
		fix, ok = settingFixes[set.Kind]
	}
	if !ok {
		return nil
	}
	for _, text := range []string{fix.does, fix.means, fix.no} {
		if text == "" {
			continue
		}
		before, after, at := strings.Cut(text, "{at}")
		p := say(before)
		if at && f.last != nil {
			p = p.text(" at ").add(f.last)
		}
		lines = append(lines, p.text(after))
	}
	return lines
}
