package runtime

import "unsafe"

// Settings: decisions of the system around the program that a plan fixes. The file has them in
// the order in which they were given (fdebug's package freedom, encode.go).

const fdebugPlanSetting = 32

// fdebugMostKinds is more than there are kinds.
const fdebugMostKinds = 32

// fdebugSet says of each kind whether the plan has a setting of it, if only one that lists its askers.
var fdebugSet [fdebugMostKinds]bool

// A fdebugSetting is a setting, as in the file.
type fdebugSetting struct {
	kind, what, block uint32
	_                 uint32
	value, unit       int64
}

func fdebugSettingAt(i uint32) *fdebugSetting {
	return (*fdebugSetting)(unsafe.Pointer(fdebugPlan.settings + uintptr(i)*fdebugPlanSetting))
}

// fdebugReadSettings reads the settings, after the plan.
func fdebugReadSettings() {
	for i := range fdebugPlan.numSets {
		s := fdebugSettingAt(i)
		if s.kind < fdebugMostKinds {
			fdebugSet[s.kind] = true
		}
		if s.kind == fdebugActClock {
			fdebugClocked = true
			fdebugClock.set(s)
		}
		fdebugCutOff = fdebugCutOff || s.what == fdebugNetworkNone
	}
}

// fdebugUnset removes the settings in a process that the planned one started.
func fdebugUnset() {
	fdebugClock.unset()
	fdebugSet, fdebugCutOff = [fdebugMostKinds]bool{}, false
}

// fdebugFindSetting returns the value that is set for a block, or for all blocks.
func fdebugFindSetting(kind, what, block uint32) (value int64, ok bool) {
	for i := range fdebugPlan.numSets {
		s := fdebugSettingAt(i)
		if s.kind == kind && s.what == what && (s.block == block || s.block == 0 && !ok) {
			value, ok = s.value, true
		}
	}
	return value, ok
}

// fdebugAsker notes that the calling goroutine makes a request of the kind, and returns its last
// block. A goroutine that reads before its first block has the last block of the one that started
// it. fdebugAsker returns 0 if the goroutine has no block, or belongs to no test.
func fdebugAsker(kind uint32) uint32 {
	gp := getg()
	if gp.m.curg != gp || gp.fdebug.testKey == 0 || gp.fdebug.ownTime > 0 || fdebugFile.state.Load() != fdebugOn {
		return 0
	}
	d := &gp.fdebug
	block := d.last()
	if kind == fdebugActRead {
		block = d.asking() // a goroutine of net/http may read the connection
	}
	if block == 0 || block>>31 != 0 {
		return 0
	}
	fdebugDrawTable.count(kind, block, d.class)
	return block
}
