package inject

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Config says what to measure.
type Config struct {
	Seed    uint64
	Modules string        // the list: MODULE@VERSION [PACKAGE...] [-FLAG...] in each line
	Fdebug  string        // the command under test
	Dir     string        // directory for everything; what is done already is not repeated
	N       int           // fdebug's runs of each mutant
	Plain   int           // plain runs that decide whether a mutant is in
	Count   int           // mutants wanted; 0 to only print the table of what is kept
	Most    int           // limit for one operator, and for one module
	Slow    time.Duration // packages whose tests take longer do not take part
	Silent  bool          // want mutants that do not fail in plain runs
	Only    []string      // names of operators; none for all
	Kinds   string        // -kinds of the command under test, "" for all
	Workers int           // parallel steps
	Again   bool          // make no runs, but compare the kept ones with Fdebug again
	Log     io.Writer     // progress
}

// A lab makes and measures mutants.
type lab struct {
	dir       string // Config.Dir
	tmp       string // TMPDIR of test processes
	fdebug    string
	seed      uint64
	n, plain  int
	count     int
	most      int
	slow      time.Duration
	silent    bool
	kinds     string
	operators []operator
	state     *state
	log       io.Writer
	source    func(name, dir string) error // gets a module; nil for the go command

	// The steps, for tests.
	prepareStep func(context.Context, *module) error
	tryStep     func(context.Context, *candidate) (*trial, error)
	measureStep func(context.Context, *Mutant, *candidate) (*measure, error)

	mu     sync.Mutex
	queue  *queue
	taken  map[string]int // mutants that are in or under way, by operator, module and function
	in     int            // mutants that are in
	serial int            // of scratch directories
}

// moduleDir returns the directory of the copy of a module.
func (l *lab) moduleDir(m *module) string {
	return filepath.Join(l.dir, "modules", strings.NewReplacer("/", "-", "@", "-").Replace(m.Name))
}

// mutantDir returns the directory of a mutant and of what fdebug wrote about it.
func (l *lab) mutantDir(id string) string { return filepath.Join(l.dir, "mutants", id) }

// profile returns the name of a package's cover profile.
func (l *lab) profile(p *goPackage) string {
	return filepath.Join(l.dir, "cover", strings.ReplaceAll(p.Path, "/", "-")+".out")
}

// original returns the name of the test binary of an unchanged package.
func (l *lab) original(p *goPackage) string {
	return filepath.Join(l.dir, "original", strings.ReplaceAll(p.Path, "/", "-")+".test")
}

// scratch returns a new directory for one step.
func (l *lab) scratch() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	dir := filepath.Join(l.dir, "scratch", fmt.Sprint(l.serial%64))
	os.MkdirAll(dir, 0o777) // writing into it reports the error
	return dir
}

// next returns the next candidate to try, or nil if there is none or enough is done.
func (l *lab) next() *candidate {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in >= l.count {
		return nil
	}
	return l.queue.next(func(c *candidate) bool { return l.state.open(&c.Mutant) && l.room(&c.Mutant) })
}

// room reports whether another mutant of this kind may be in.
func (l *lab) room(m *Mutant) bool {
	k := keys(m)
	return l.taken[k[0]] < l.most && l.taken[k[1]] < l.most && l.taken[k[2]] == 0
}

// keys returns the keys of the limits: mutants of an operator, of a module, and of an operator in
// a function.
func keys(m *Mutant) [3]string {
	return [3]string{m.Operator, m.Module, m.Operator + " " + m.Module + " " + m.File + " " + m.Func}
}

// take counts a mutant that is in.
func (l *lab) take(m *Mutant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in++
	for _, k := range keys(m) {
		l.taken[k]++
	}
}

// leave releases the room of the mutants of a package that is out.
func (l *lab) leave(path string) {
	l.state.mu.Lock()
	var gone []*Mutant
	for _, id := range l.state.order {
		if m := &l.state.trials[id].Mutant; m.Package == path && !l.state.unstable[path] {
			gone = append(gone, m)
		}
	}
	l.state.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range gone {
		l.in--
		for _, k := range keys(m) {
			l.taken[k]--
		}
	}
}
