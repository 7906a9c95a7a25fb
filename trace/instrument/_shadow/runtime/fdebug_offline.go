package runtime

// The network, and the directories that the environment names. They are one for the whole
// process: what dials may be a goroutine of net/http, and a variable may be read before the
// first test. So these ask for the last block of the user's code that led there.

// fdebugCutOff reports whether nothing but the machine itself can be reached.
var fdebugCutOff bool

// FdebugOffline reports whether an address of another machine can't be reached, and notes
// who tries to, or looks a name up: then package net does so itself, whose requests are seen.
func FdebugOffline() bool { return fdebugLimited && fdebugNoted(fdebugActNetwork) && fdebugCutOff }

// FdebugLimited reports whether it is of interest what a program asks of the machine around
// it.
func FdebugLimited() bool { return fdebugLimited }

// FdebugGetenv notes who reads where directories are.
func FdebugGetenv(key string) {
	if fdebugLimited {
		fdebugGetenv(key)
	}
}

func fdebugGetenv(key string) {
	switch key {
	case "TMPDIR":
		fdebugNoted(fdebugActTemp)
	case "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME":
		fdebugNoted(fdebugActHome)
	}
}

// FdebugFork notes who starts a process, which inherits the variables and has a clock of its
// own.
func FdebugFork() {
	if fdebugLimited || fdebugClocked {
		fdebugFork()
	}
}

func fdebugFork() {
	if fdebugLimited {
		fdebugNoted(fdebugActTemp)
		fdebugNoted(fdebugActHome)
	}
	fdebugNoted(fdebugActProcess)
}

// FdebugMeet notes who turns to another process, which has a clock of its own.
func FdebugMeet() { fdebugNoted(fdebugActProcess) }

// fdebugNoted notes that the calling goroutine asks for something of a kind, and reports
// whether it is one that the plan is for.
func fdebugNoted(kind uint32) bool {
	gp := getg()
	return gp.m.curg == gp && fdebugTracing() && (fdebugLimited || fdebugClocked) && fdebugNote(gp, kind)
}

// fdebugNote does what fdebugNoted does, of gp. It may run on g0.
func fdebugNote(gp *g, kind uint32) bool {
	d := &gp.fdebug
	if fdebugFile.state.Load() != fdebugOn || fdebugPlan.test != "" && d.testKey != 0 && !d.perturbed.inTest {
		return false
	}
	fdebugDrawTable.count(kind, d.asking(), d.class)
	return true
}

// asking returns the last block of d or, if it has none, of who started it, then.
func (d *fdebugG) asking() uint32 {
	if block := d.last(); block != 0 && block>>31 == 0 {
		return block
	}
	return d.asker
}
