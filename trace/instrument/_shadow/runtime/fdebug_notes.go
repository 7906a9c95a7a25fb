package runtime

import "unsafe"

// Notes: answers of the system to a goroutine, and acts of its own. They change nothing, and are compared
// from run to run. Nothing is allocated, and a test has a limited number of each kind.

//fdebug:lost collections, sizes of reads, ports and draws of crypto/rand are not recorded
//fdebug:patch runtime/mgc.go func gcStart( ... work.userForced = trigger.kind == gcTriggerCycle{+; fdebugCollects()+}
//fdebug:patch internal/poll/fd_unix.go func (fd *FD) Read( ... err = fd.eofError(n, err){+;
//	if fd.IsStream && !fd.isFile { runtime.FdebugGot(n) }+}
//fdebug:patch internal/poll/fd_windows.go func (fd *FD) Read( ... err = fd.eofError(n, err){+;
//	if fd.kind == kindNet && fd.IsStream { runtime.FdebugGot(n) }+}
//fdebug:patch syscall/syscall_unix.go func Bind( ...
//	{+defer func() { fdebugBound(sa, err) }(); +}return bind(fd, ptr, n)
//fdebug:patch crypto/rand/rand.go func Read( ... {+runtime.FdebugRandom(b); +}return len(b), nil
//fdebug:patch crypto/rand/util.go func Int( ... if n.Cmp(max) < 0 {{+
//	if n.IsUint64() { runtime.FdebugRandomInt(n.Uint64()) };+}

const (
	fdebugMostNotes  = 128  // of a kind, in a top-level test
	fdebugNoteShare  = 2048 // share of the budget that notes may take: one part in 2048
	fdebugMostListed = 11   // entries of a directory whose order fits a note
)

// fdebugNotes counts the notes since the last top-level test began. The lock of the trace file guards
// it.
var fdebugNotes struct {
	count [fdebugMostKinds]uint32 // by kind
	drawn [fdebugMostNotes]uint64 // hashes of draws of crypto/rand, which stay in this process
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

// fdebugNoter returns the calling goroutine, nil if its answers are not noted: it has run no probe, belongs to
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

// fdebugCollects notes that a collection begins: its number. The caller is the goroutine that starts it, and the
// world still runs. One at the end of the process, or of forcegc.g when it was asked, is fdebug's own.
func fdebugCollects() {
	gp := getg()
	if fdebugFile.state.Load() == fdebugOn && gp.m.curg == gp && fdebugEnd.by.Load() == 0 &&
		(gp != forcegc.g || fdebugWatch.asked == 0) {
		gp.fdebug.note(fdebugActGC, int64(work.cycles.Load())+1)
	}
}

// FdebugGot notes how many bytes a read of a stream returned.
func FdebugGot(n int) {
	if d := fdebugNoter(fdebugActRead); d != nil {
		d.note(fdebugActRead, int64(n))
	}
}

// fdebugListed notes in which order the n entries of a directory came, and no name: how many there are, and which
// of the first ones come after one with a greater name.
func fdebugListed(n int, name func(i int) string) {
	d := fdebugNoter(fdebugActDir)
	if d == nil {
		return
	}
	n = min(n, fdebugMostListed)
	value := int64(n)
	for i := 1; i < n; i++ {
		for j := 0; j < i; j++ {
			value <<= 1
			if name(j) > name(i) {
				value |= 1
			}
		}
	}
	d.note(fdebugActDir, value)
}

// FdebugRandom notes that random bytes were drawn: how many draws before the same came, 0 if it did not. Neither
// the bytes nor a hash of them leave the process.
func FdebugRandom(b []byte) {
	if d := fdebugNoter(fdebugActCrypto); d != nil && len(b) > 0 {
		h := uint64(len(b))
		for _, c := range b {
			h = fdebugMix(h, uint64(c))
		}
		d.noteDrawn(h)
	}
}

// FdebugRandomInt is FdebugRandom for a random number.
func FdebugRandomInt(n uint64) {
	if d := fdebugNoter(fdebugActCrypto); d != nil {
		d.noteDrawn(fdebugMix(n, 0))
	}
}

func (d *fdebugG) noteDrawn(hash uint64) {
	fdebugLock()
	list := &fdebugNotes.drawn
	n := fdebugNotes.count[fdebugActCrypto]
	if n < uint32(len(list)) {
		list[n] = hash
		same := n
		for i := uint32(0); i < n; i++ {
			if list[i] == hash {
				same = i
			}
		}
		d.noteLocked(fdebugActCrypto, int64(n-same))
	}
	fdebugUnlock()
}

// FdebugBound notes the error of a socket that is to get a port, 0 if there is none.
func FdebugBound(errno int) {
	if d := fdebugNoter(fdebugActLimits); d != nil {
		d.note(fdebugActLimits, -int64(errno))
	}
}
