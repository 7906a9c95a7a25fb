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

// A Log keeps the outcome of every run, as a file of one JSON object a line. Its first line is a [Header].
//
// A line is written in one call after its run. Text after the last newline was
// not written to its end, and is cut off when the file is opened again.
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

// LogVersion is the version of the format.
const LogVersion = 4

// A LogLine is a line after the first.
type LogLine struct {
	Key     string   `json:"key"` // hash of the run asked for
	Test    string   `json:"test"`
	Kind    string   `json:"kind,omitempty"`
	Again   bool     `json:"again,omitempty"` // it looked into a failure
	Outcome *Outcome `json:"outcome"`
	// Is classifies it by any failure.
	Is proof.Tells `json:"is"`
}

// newLog returns a log without a file.
func newLog() *Log {
	return &Log{known: make(map[string]*Outcome), old: make(map[string]bool), tally: make(map[tallyKey]*tally),
		kept: make(map[keptKey][]*Outcome)}
}

// OpenLog opens the log at path. If there is none, or one of another build, it
// begins a new one with the given seed. It returns the header of the log.
func OpenLog(path string, h Header) (*Log, Header, error) {
	h.Version = LogVersion
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrLog) {
		return nil, h, err
	}
	l = newLog()
	if l.file, err = os.Create(path); err != nil {
		return nil, h, err
	}
	return l, h, l.write(h)
}

// ErrLog is returned for a file that is no log.
var ErrLog = errors.New("not a log of experiments")

// read reads the readable part of the file, and returns where that ends.
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
				return h, 0, ErrLog
			}
		} else if !l.readLine(line) {
			break
		}
		end += int64(len(line))
	}
	if h.Version == 0 {
		return h, 0, ErrLog
	}
	return h, end, nil
}

func (l *Log) readLine(line []byte) bool {
	var rec LogLine
	if json.Unmarshal(line, &rec) != nil || rec.Outcome == nil {
		return false
	}
	l.know(&rec)
	l.old[rec.Key] = true
	return true
}

// know takes in a run.
func (l *Log) know(rec *LogLine) {
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

func hashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// outcome returns the outcome of a run in the log, nil if there is none, and whether it was asked
// for the first time and the log had it when it was opened.
func (l *Log) outcome(key string) (o *Outcome, kept bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key = hashKey(key)
	kept = l.old[key]
	delete(l.old, key)
	return l.known[key], kept
}

func (l *Log) addOutcome(key string, rec LogLine) error {
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
