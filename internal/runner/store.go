package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// storeName is the file in the run directory that holds the results of the runs: one JSON
// object a line, written as runs are completed.
const storeName = "runs.jsonl"

// A Record is a line of the file. Kind says which of the other fields is set.
type Record struct {
	Kind      string           `json:"kind"` // begin, package, run, signature, end
	Begin     *BeginRecord     `json:"begin,omitempty"`
	Package   *PackageRecord   `json:"package,omitempty"` // a later one replaces an earlier one
	Run       *Run             `json:"run,omitempty"`
	Signature *SignatureRecord `json:"signature,omitempty"` // a run's outcome, explained again
	End       *EndRecord       `json:"end,omitempty"`       // missing if fdebug was killed
}

type BeginRecord struct {
	Version  int       `json:"version"`
	Started  time.Time `json:"started"`
	N        int       `json:"n"`
	Controls int       `json:"controls"`
	Parallel int       `json:"parallel"`
}

const storeVersion = 1

type PackageRecord struct {
	Target
	NoTestFiles bool        `json:"no_test_files,omitempty"`
	NoTests     bool        `json:"no_tests,omitempty"`
	Err         *buildFault `json:"error,omitempty"`
	TracedErr   *buildFault `json:"traced_error,omitempty"`
	Unfinished  *Run        `json:"unfinished,omitempty"`
	Warnings    []string    `json:"warnings,omitempty"`
}

// A buildFault is a stored error: the output of a build, or another text.
type buildFault struct {
	Output string `json:"output,omitempty"`
	Traced bool   `json:"traced,omitempty"`
	Text   string `json:"text,omitempty"`
}

type SignatureRecord struct {
	Package   string    `json:"package"`
	N         int       `json:"n"`
	Control   bool      `json:"control,omitempty"`
	Test      string    `json:"test"`
	Nth       int       `json:"nth,omitempty"`
	Message   string    `json:"message"`
	Signature Signature `json:"signature"`
}

type EndRecord struct {
	Elapsed     time.Duration `json:"elapsed_ns"`
	Interrupted bool          `json:"interrupted,omitempty"`
	OverBudget  bool          `json:"over_budget,omitempty"`
	Warnings    []string      `json:"warnings,omitempty"`
}

// A Store appends records to a file. A failure to write does not stop the runs; it is kept for
// the end. A nil Store keeps nothing.
type Store struct {
	mu   sync.Mutex
	file io.WriteCloser
	err  error
}

// CreateStore begins the file in a run directory.
func CreateStore(dir string, r *Results) (*Store, error) {
	f, err := os.Create(filepath.Join(dir, storeName))
	if err != nil {
		return nil, fmt.Errorf("making the file for runs: %w", err)
	}
	s := &Store{file: f}
	s.begin(r)
	return s, nil
}

func (s *Store) begin(r *Results) {
	s.Add(Record{Kind: "begin", Begin: &BeginRecord{
		Version: storeVersion, Started: r.Started, N: r.N, Controls: r.Controls, Parallel: r.Parallel,
	}})
}

// Add writes a record in one call, so that only the last line can be incomplete.
func (s *Store) Add(rec Record) {
	if s == nil {
		return
	}
	line, err := json.Marshal(rec)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if err == nil {
		_, err = s.file.Write(append(line, '\n'))
	}
	s.err = err
}

func (s *Store) addRun(run *Run) { s.Add(Record{Kind: "run", Run: run}) }

// AddPackage writes the record of a package, without its runs.
func (s *Store) AddPackage(p *Package) {
	s.Add(Record{Kind: "package", Package: &PackageRecord{
		Target: p.Target, NoTestFiles: p.NoTestFiles, NoTests: p.NoTests, Err: faultOf(p.Err),
		TracedErr: faultOf(p.TracedErr), Unfinished: p.Unfinished, Warnings: p.Warnings,
	}})
}

// addSignature records the explanation of an outcome.
func (s *Store) addSignature(run *Run, o *Outcome) {
	s.Add(Record{Kind: "signature", Signature: &SignatureRecord{
		Package: run.Package, N: run.N, Control: run.Control,
		Test: o.Test, Nth: o.Nth, Message: o.Message, Signature: o.Signature,
	}})
}

// End writes the last line.
func (s *Store) End(r *Results) {
	s.Add(Record{Kind: "end", End: &EndRecord{
		Elapsed: r.Elapsed, Interrupted: r.Interrupted, OverBudget: r.OverBudget, Warnings: r.Warnings,
	}})
}

// Finish notes in the run directory how long everything took, including analysis.
func Finish(dir string, r *Results) error {
	f, err := os.OpenFile(filepath.Join(dir, storeName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("noting how long it took: %w", err)
	}
	s := &Store{file: f}
	s.End(r)
	return s.Close()
}

// Err returns why something could not be written, or nil.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close closes the file. It returns an error if something could not be written.
func (s *Store) Close() error {
	return errors.Join(s.err, s.file.Close())
}

func faultOf(err error) *buildFault {
	if err == nil {
		return nil
	}
	if b := (*BuildError)(nil); errors.As(err, &b) {
		return &buildFault{Output: b.Output, Traced: b.Traced}
	}
	return &buildFault{Text: err.Error()}
}

func (f *buildFault) error(pkg string) error {
	switch {
	case f == nil:
		return nil
	case f.Text != "":
		return errors.New(f.Text)
	}
	return &BuildError{Package: pkg, Output: f.Output, Traced: f.Traced}
}

// Load reads the results back from a run directory. If the file ends in the middle, because
// fdebug was killed, it returns the runs up to there and sets Interrupted.
func Load(dir string) (*Results, error) {
	name := filepath.Join(dir, storeName)
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("loading runs: %w", err)
	}
	defer f.Close()
	r, err := load(f)
	if err != nil {
		return nil, fmt.Errorf("loading runs: %s%w", name, err)
	}
	return r, nil
}

// load reads the file of runs in r. Its errors are meant to follow the file's name.
func load(r io.Reader) (*Results, error) {
	l := &loader{
		results:  &Results{Interrupted: true},
		packages: make(map[string]*Package), failed: make(map[runKey]*Run), passed: make(map[string][]*Outcome),
	}
	if err := EachRecord(r, l.record); err != nil {
		return nil, err
	}
	for _, p := range l.results.Packages {
		p.sort()
		p.checkControls()
		giveDeaths(p.Runs, p.Controls)
	}
	return l.results, nil
}

// EachRecord calls do with each record of a file of runs; the first one begins it. It ignores
// an incomplete last line. Its errors are meant to follow the name of the file.
func EachRecord(r io.Reader, do func(*Record) error) error {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF && n == 1 {
			return errors.New(" is empty, or was not written by fdebug")
		} else if err == io.EOF {
			return nil
		}
		var rec Record
		if err == nil {
			err = json.Unmarshal(line, &rec)
		}
		if err == nil {
			err = rec.check(n == 1)
		}
		if err == nil {
			err = do(&rec)
		}
		if err != nil {
			return fmt.Errorf(":%d: %w", n, err)
		}
	}
}

// check returns an error for a record that fdebug can't have written.
func (rec *Record) check(first bool) error {
	switch {
	case (rec.Begin != nil) != first:
		return errors.New("not a file of runs")
	case first && rec.Begin.Version > storeVersion:
		return fmt.Errorf("version %d is newer than this fdebug", rec.Begin.Version)
	case rec.Package != nil && rec.Package.Unfinished != nil:
		return checkRun(rec.Package.Unfinished)
	case rec.Run != nil:
		return checkRun(rec.Run)
	}
	return nil
}

// maxRecord limits a line of a file of runs, because the output kept of tests is limited
// too.
const maxRecord = 64 << 20

func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if err == nil && line == nil {
			return part, nil
		}
		if len(line)+len(part) > maxRecord {
			return nil, errors.New("a line without an end")
		}
		if line = append(line, part...); err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

type loader struct {
	results  *Results
	packages map[string]*Package
	failed   map[runKey]*Run // those whose outcomes may be explained again
	// passed are outcomes of runs in which nothing failed, each list once: most runs are alike.
	passed map[string][]*Outcome
	key    []byte // reused
}

// A runKey identifies a run in a file.
type runKey struct {
	pkg     string
	control bool
	n       int
}

// maxAlike is how many different lists of outcomes are kept to be shared.
const maxAlike = 1000

// share replaces the outcomes of a run in which nothing failed with equal ones of another run.
func (l *loader) share(run *Run) {
	l.key = l.key[:0]
	for _, o := range run.Outcomes {
		if o.Output != "" || o.Dump != "" || o.Message != "" || o.Signature != (Signature{}) {
			return
		}
		l.key = fmt.Appendf(l.key, "%q %d %s %d %v %v %v\n", o.Test, o.Nth, o.Status, o.Elapsed,
			o.ByChild, o.Shared, o.Late)
	}
	if known, ok := l.passed[string(l.key)]; ok {
		run.Outcomes = known
	} else if len(l.passed) < maxAlike {
		l.passed[string(l.key)] = run.Outcomes
	}
}

func (l *loader) record(rec *Record) error {
	r := l.results
	switch {
	case rec.Begin != nil:
		b := rec.Begin
		r.Started, r.N, r.Controls, r.Parallel = b.Started, b.N, b.Controls, b.Parallel
	case rec.Package != nil:
		l.add(rec.Package)
	case rec.Run != nil:
		return l.addRun(rec.Run)
	case rec.Signature != nil:
		l.sign(rec.Signature)
	case rec.End != nil:
		e := rec.End
		r.Elapsed, r.Interrupted, r.OverBudget, r.Warnings = e.Elapsed, e.Interrupted, e.OverBudget, e.Warnings
	}
	return nil
}

func (l *loader) add(rec *PackageRecord) {
	p := l.packages[rec.ImportPath]
	if p == nil {
		p = new(Package)
		l.packages[rec.ImportPath] = p
		l.results.Packages = append(l.results.Packages, p)
	}
	p.Target, p.NoTestFiles, p.NoTests = rec.Target, rec.NoTestFiles, rec.NoTests
	p.Err, p.TracedErr = rec.Errs()
	p.Unfinished, p.Warnings = rec.Unfinished, rec.Warnings
}

// Errs returns why the package was not built, or not with probes.
func (rec *PackageRecord) Errs() (err, traced error) {
	return rec.Err.error(rec.ImportPath), rec.TracedErr.error(rec.ImportPath)
}

// checkRun returns an error for a run that fdebug can't have written.
func checkRun(run *Run) error {
	if run.N < 0 || run.Wall < 0 || run.CPU < 0 {
		return fmt.Errorf("damaged: run %d took %v", run.N, run.Wall)
	}
	for _, o := range run.Outcomes {
		if o == nil || !o.Status.known() || o.Nth < 0 {
			return fmt.Errorf("damaged: an outcome of run %d makes no sense", run.N)
		}
	}
	for _, name := range run.Traces {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("damaged: the trace of run %d is not in the run directory: %q", run.N, name)
		}
	}
	return nil
}

func (l *loader) addRun(run *Run) error {
	p := l.packages[run.Package]
	if p == nil {
		return fmt.Errorf("a run of package %q, which is not in the file", run.Package)
	}
	run.Package = p.ImportPath // the same string in all of them
	if run.Failed() {
		l.failed[runKey{run.Package, run.Control, run.N}] = run
	} else {
		l.share(run)
	}
	if run.Control {
		p.Controls = append(p.Controls, run)
	} else {
		p.Runs = append(p.Runs, run)
	}
	l.results.Elapsed = max(l.results.Elapsed, run.Started.Add(run.Wall).Sub(l.results.Started))
	return nil
}

func (l *loader) sign(rec *SignatureRecord) {
	run := l.failed[runKey{rec.Package, rec.Control, rec.N}]
	if run == nil {
		return
	}
	for _, o := range run.Outcomes {
		if o.Test == rec.Test && o.Nth == rec.Nth {
			o.Message, o.Signature = rec.Message, rec.Signature
		}
	}
}

// Save writes results to dir as a [Runner] does, for Load to read. It creates the directory if
// needed.
func Save(dir string, r *Results) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	s, err := CreateStore(dir, r)
	if err != nil {
		return err
	}
	for _, p := range r.Packages {
		s.AddPackage(p)
		for _, run := range slices.Concat(p.Runs, p.Controls) {
			s.addRun(run)
		}
	}
	s.End(r)
	return s.Close()
}
