package runtime

import "unsafe"

// Notes: what goroutines do beside their events. They change nothing. Nothing is allocated, and a test has a limited
// number of each kind.

const (
	fdebugMostNotes = 128  // of a kind, in a top-level test
	fdebugNoteShare = 2048 // share of the budget that notes may take: one part in 2048
)

// fdebugNotes counts the notes since the last top-level test began. The lock of the trace file guards
// it.
var fdebugNotes struct {
	count [fdebugMostKinds]uint32 // by kind
}

// fdebugNoteTest begins to count anew if name is that of a top-level test. The lock must be held.
func fdebugNoteTest(name string) {
	for i := 0; i < len(name); i++ {
		if name[i] == '/' {
			return
		}
	}
	clear(fdebugNotes.count[:])
}

// fdebugNoter returns the calling goroutine, nil if what it does is not noted: it has run no probe, belongs to
// no test, or there were many already.
func fdebugNoter(kind uint32) *fdebugG {
	gp := getg()
	d := &gp.fdebug
	if fdebugFile.state.Load() != fdebugOn || gp.m.curg != gp || d.chunk == 0 || d.testKey == 0 || d.ownTime > 0 ||
		fdebugNotes.count[kind] >= fdebugMostNotes {
		return nil
	}
	return d
}

// note writes a note.
func (d *fdebugG) note(kind uint32, value int64) {
	fdebugLock()
	d.noteLocked(kind, value)
	fdebugUnlock()
}

// noteLocked writes a note. The lock must be held.
func (d *fdebugG) noteLocked(kind uint32, value int64) {
	f := &fdebugFile
	n := &fdebugNotes.count[kind]
	if *n >= fdebugMostNotes || f.noted > f.budget/fdebugNoteShare {
		return
	}
	serial := d.serial
	if d.chunk == 0 {
		serial = 0
	}
	p := fdebugReserve(fdebugRawNote, 8, serial, kind, d.written())
	if p == 0 {
		return
	}
	*(*int64)(unsafe.Pointer(p + fdebugRecHeaderSize)) = value
	f.noted += uintptr(*(*uint32)(unsafe.Pointer(p)))
	fdebugCommit()
	*n++
}
