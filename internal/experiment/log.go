package experiment

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/fdebug/fdebug/internal/proof"
)

// A Log keeps the outcome of every run, as a file of one JSON object a line. Its first
// line says what the runs are of: [Header].
//
// A line is written in one call after the run that it is of. What follows the last
// newline was not written to its end, and is cut off when the file is opened again.
type Log struct {
	mu      sync.Mutex
	file    *os.File // nil: nothing is kept
	known   map[string]*Outcome
	old     map[string]bool // keys of runs that the file had when it was opened, until they are first asked for
	tally   map[tallyKey]*tally
	tallies []*tally // in the order of their first runs
	kept    map[keptKey][]*Outcome
}

// LogFile is the name of the log of the trials with the tests of a package, in a directory of its own.
const LogFile = "log.jsonl"

// A Header says which runs a log has. Runs of another build or seed are of no use.
type Header struct {
	Version int    `json:"fdebug_experiments"`
	Package string `json:"package,omitempty"`
	Build   string `json:"build"` // hashes of the binaries
	Seed    uint64 `json:"seed"`
}

const logVersion = 4

type logLine struct {
	Key     string   `json:"key"` // hash of what was asked for
	Test    string   `json:"test"`
	Kind    string   `json:"kind,omitempty"`
	Again   bool     `json:"again,omitempty"` // it looked into what had failed
	Outcome *Outcome `json:"outcome"`
	// Is is what that tells of any failure.
	Is proof.Tells `json:"is"`
	// Trial and Site are what was asked for, of a shared trial that failed: see [Task].
	Trial *Trial `json:"trial,omitempty"`
	Site  *Site  `json:"site,omitempty"`
}

// newLog returns a log without a file.
func newLog() *Log {
	return &Log{known: make(map[string]*Outcome), old: make(map[string]bool), tally: make(map[tallyKey]*tally),
		kept: make(map[keptKey][]*Outcome)}
}

// OpenLog opens the log at path. If there is none, or one of another build, it
// begins a new one with the given seed. It returns the header of the log.
func OpenLog(path string, h Header) (*Log, Header, error) {
	h.Version = logVersion
	l := newLog()
	old, end, err := l.read(path)
	if err == nil && old.Version == h.Version && old.Build == h.Build {
		if l.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, h, err
		}
		if err = l.file.Truncate(end); err == nil {
			_, err = l.file.Seek(end, io.SeekStart)
		}
		return l, old, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errLog) {
		return nil, h, err
	}
	l = newLog()
	if l.file, err = os.Create(path); err != nil {
		return nil, h, err
	}
	return l, h, l.write(h)
}

// HasLog reports whether a log of a build begins at path.
func HasLog(path, build string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var h Header
	return json.NewDecoder(f).Decode(&h) == nil && h.Version == logVersion && h.Build == build
}

var errLog = errors.New("not a log of experiments")

// read reads what can be read of the file, and returns where that ends.
func (l *Log) read(path string) (h Header, end int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for n := 0; ; n++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			break
		} else if err != nil {
			return h, 0, err
		}
		if n == 0 {
			if json.Unmarshal(line, &h) != nil {
				return h, 0, errLog
			}
		} else if !l.readLine(line) {
			break
		}
		end += int64(len(line))
	}
	if h.Version == 0 {
		return h, 0, errLog
	}
	return h, end, nil
}

func (l *Log) readLine(line []byte) bool {
	var rec logLine
	if json.Unmarshal(line, &rec) != nil || rec.Outcome == nil {
		return false
	}
	l.know(&rec)
	l.old[rec.Key] = true
	return true
}

// know takes in a run.
func (l *Log) know(rec *logLine) {
	if l.known[rec.Key] == nil {
		l.count(rec)
		l.keep(rec)
	}
	l.known[rec.Key] = rec.Outcome
}

// Len returns how many runs the log has.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.known)
}

// close closes the file.
func (l *Log) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// outcome returns what the log has of a run, nil if it has nothing, and whether this is the first
// that is asked of a run which the log had when it was opened.
func (l *Log) outcome(key string) (o *Outcome, kept bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key = hashKey(key)
	kept = l.old[key]
	delete(l.old, key)
	return l.known[key], kept
}

func (l *Log) addOutcome(key string, rec logLine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	rec.Key = hashKey(key)
	l.know(&rec)
	if l.file == nil {
		return nil
	}
	return l.write(rec)
}

func (l *Log) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keeping what the experiments have shown: %w", err)
	}
	return nil
}

// A LogMerger merges the logs of several processes. Each has made some of the runs.
type LogMerger struct {
	log    *Log
	header Header
	Runs   int // different ones
	Failed int // of these
	Plain  int // failed with nothing perturbed

	items []Item // of the shared trials that failed
	found map[candidateKey]int
}

// NewLogMerger begins a log at path, which must not be there. What the header says all
// logs must say.
func NewLogMerger(path string, h Header) (*LogMerger, error) {
	h.Version = logVersion
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	m := &LogMerger{log: newLog(), header: h, found: make(map[candidateKey]int)}
	m.log.file = f
	return m, m.log.write(h)
}

// Items returns what is to be confirmed of what was added: what failed, each way to fail
// by itself.
func (m *LogMerger) Items() []Item {
	for i := range m.items {
		m.items[i].Package = m.header.Package
	}
	return m.items
}

// Add adds a log. Of two runs for the same purpose the first is kept: what follows from
// one must go on following from it. trace is called with the name of each trace that is
// kept, and returns where it lies now.
func (m *LogMerger) Add(r io.Reader, trace func(name string) (string, error)) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLogLine)
	for n := 0; in.Scan(); n++ {
		if n > 0 {
			if err := m.add(in.Bytes(), trace); err != nil {
				return err
			}
			continue
		}
		var h Header
		if json.Unmarshal(in.Bytes(), &h) != nil || h.Version == 0 {
			return errLog
		}
		if h != m.header {
			return fmt.Errorf("%w of the same build and seed", errLog)
		}
	}
	return in.Err()
}

// maxLogLine bounds what is known of a run.
const maxLogLine = 64 << 20

func (m *LogMerger) add(line []byte, trace func(name string) (string, error)) error {
	var rec logLine
	if err := json.Unmarshal(line, &rec); err != nil || rec.Outcome == nil || len(rec.Key) > 64 {
		return fmt.Errorf("%w: a run of it can't be read", errLog)
	}
	if _, known := m.log.known[rec.Key]; known {
		return nil
	}
	m.log.known[rec.Key] = nil // only whether it is there
	m.Runs++
	if rec.Is == proof.TellsFailure || rec.Is == proof.TellsMissed && rec.Outcome.Failed {
		m.Failed++
		if rec.Kind == "" {
			m.Plain++
		}
		m.note(&rec)
	}
	rec.Outcome.Started = nil // these are not brought along
	if rec.Outcome.Trace != "" {
		var err error
		if rec.Outcome.Trace, err = trace(rec.Outcome.Trace); err != nil {
			return err
		}
	}
	return m.log.write(rec)
}

// Close closes the log.
func (m *LogMerger) Close() error { return m.log.close() }
