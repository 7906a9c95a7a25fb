package runtime

import "internal/runtime/atomic"

// What the operating system decides: how much a read returns, in which order directories are
// read, whether a port is free, how many files can be open, whether there is a network, and where
// directories are. Each matters only if a plan says so.

//fdebug:lost how much a read returns cannot be varied
//fdebug:patch internal/poll/fd_unix.go func (fd *FD) Read(p []byte) (int, error) {{+
//	if runtime.FdebugReading() && fd.fdebugStream() { p = p[:runtime.FdebugRead(len(p))] };+}
//fdebug:patch internal/poll/fd_windows.go func (fd *FD) Read(buf []byte) (int, error) {{+
//	if runtime.FdebugReading() && fd.kind == kindNet && fd.IsStream { buf = buf[:runtime.FdebugRead(len(buf))] };+}

//fdebug:lost the order of directories cannot be varied
//fdebug:patch os/dir.go _, _, infos, err := f.readdir(n, readdirFileInfo){+;
//	runtime.FdebugEntries(f.name, len(infos), func(i int) string { return infos[i].Name() },
//	func(i, j int) { infos[i], infos[j] = infos[j], infos[i] })+}
//fdebug:patch os/dir.go names, _, _, err = f.readdir(n, readdirName){+;
//	runtime.FdebugEntries(f.name, len(names), func(i int) string { return names[i] },
//	func(i, j int) { names[i], names[j] = names[j], names[i] })+}
//fdebug:patch os/dir.go _, dirents, _, err := f.readdir(n, readdirDirEntry){+;
//	runtime.FdebugEntries(f.name, len(dirents), func(i int) string { return dirents[i].Name() },
//	func(i, j int) { dirents[i], dirents[j] = dirents[j], dirents[i] })+}

//fdebug:lost ports and open files cannot be limited
//fdebug:patch syscall/syscall_unix.go func Bind(fd int, sa Sockaddr) (err error) {{+
//	if runtime.FdebugLimited() { if sa, err = fdebugBind(fd, sa); err != nil { return err } };+}
//fdebug:patch testing/testing.go t.runner = callerName(0){+; if runtime.FdebugLimited() { fdebugLimits() }+}

// fdebugMostReads is how many reads may be short. Reading a long stream byte by byte takes too
// long.
const fdebugMostReads = 4096

var fdebugShortened uint32

// FdebugReading reports whether it matters how much reads return.
func FdebugReading() bool { return fdebugSet[fdebugActRead] }

// FdebugRead returns how many of n bytes a read of a stream asks for.
func FdebugRead(n int) int {
	block := fdebugAsker(fdebugActRead)
	if block == 0 {
		return n
	}
	most, ok := fdebugFindSetting(fdebugActRead, fdebugReadMost, block)
	if !ok || int64(n) <= most || atomic.Xadd(&fdebugShortened, 1) > fdebugMostReads {
		return n
	}
	return int(most)
}

// FdebugEntries reorders the n entries of the directory dir.
func FdebugEntries(dir string, n int, name func(i int) string, swap func(i, j int)) {
	if n > 1 && fdebugSet[fdebugActDir] {
		fdebugReorder(dir, n, name, swap)
	}
}

// fdebugReorder sorts the entries before it gives them their order: the file system may list them in another
// order in each run.
func fdebugReorder(dir string, n int, name func(i int) string, swap func(i, j int)) {
	block := fdebugAsker(fdebugActDir)
	if block == 0 {
		return
	}
	seed, ok := fdebugFindSetting(fdebugActDir, fdebugDirOrder, block)
	if !ok {
		return
	}
	fdebugSort(n, name, swap)
	order := fdebugMix(uint64(seed), fdebugDirList.ordinal(FdebugName(dir)))
	for i := n - 1; i > 0; i-- {
		swap(i, int(fdebugMix(order, uint64(i))%uint64(i+1)))
	}
}

// fdebugSort is a heap sort: a directory may have very many entries.
func fdebugSort(n int, name func(i int) string, swap func(i, j int)) {
	down := func(root, n int) {
		for {
			child := 2*root + 1
			if child >= n {
				return
			}
			if child+1 < n && name(child) < name(child+1) {
				child++
			}
			if name(root) >= name(child) {
				return
			}
			swap(root, child)
			root = child
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i, n)
	}
	for i := n - 1; i > 0; i-- {
		swap(0, i)
		down(0, i)
	}
}

// fdebugDirNames are hashes of the names of directories, in the order in which they were first
// read. Each directory has its own order, and keeps it.
type fdebugDirNames struct {
	lock mutex
	n    uint64
	key  [256]uint64
}

var fdebugDirList fdebugDirNames

// ordinal returns the number of a name, because names themselves differ from run to run.
func (l *fdebugDirNames) ordinal(key uint64) uint64 {
	lock(&l.lock)
	i := uint64(0)
	for i < l.n && l.key[i] != key {
		i++
	}
	if i == l.n && i < uint64(len(l.key)) {
		l.key[i] = key
		l.n++
	}
	unlock(&l.lock)
	return i
}

const (
	FdebugPortTaken = 1 + iota
	FdebugPortFree
)

// fdebugTaken is the port that is taken, plus 1; 0: none yet.
var fdebugTaken uint32

// FdebugBind returns the act on a port that the program chose: FdebugPortFree, FdebugPortTaken, or 0 for none.
func FdebugBind(port int) int {
	if !fdebugSet[fdebugActLimits] || port == 0 {
		return 0
	}
	block := fdebugAsker(fdebugActLimits)
	if block == 0 {
		return 0
	}
	if _, ok := fdebugFindSetting(fdebugActLimits, fdebugPortFree, block); ok {
		return FdebugPortFree
	}
	if _, ok := fdebugFindSetting(fdebugActLimits, fdebugPortTaken, block); ok {
		atomic.Cas(&fdebugTaken, 0, uint32(port)+1)
		if atomic.Load(&fdebugTaken) == uint32(port)+1 {
			return FdebugPortTaken
		}
	}
	return 0
}

var fdebugFiled uint32

// FdebugFiles returns the limit on file descriptors, or 0 for no limit. It returns a limit only
// once.
func FdebugFiles() int64 {
	if !fdebugSet[fdebugActLimits] || !atomic.Cas(&fdebugFiled, 0, 1) {
		return 0
	}
	n, _ := fdebugFindSetting(fdebugActLimits, fdebugFilesMost, 0)
	return n
}
