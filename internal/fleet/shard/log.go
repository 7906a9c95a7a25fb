package shard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
)

// A LogMerger merges the logs of several processes. Each has made some of the runs.
type LogMerger struct {
	file   *os.File
	header experiment.Header
	Runs   int // different ones
	Failed int // of these
	Plain  int // failed with nothing perturbed

	known map[string]bool // keys of the runs
}

// maxLogLine is how many bytes what is known of a run may have.
const maxLogLine = 64 << 20

// NewLogMerger begins a log at path, which must not be there. What the header says all
// logs must say.
func NewLogMerger(path string, h experiment.Header) (*LogMerger, error) {
	h.Version = experiment.LogVersion
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	m := &LogMerger{file: f, header: h, known: make(map[string]bool)}
	return m, m.write(h)
}

func (m *LogMerger) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = m.file.Write(append(line, '\n'))
	}
	return err
}

// Close closes the log.
func (m *LogMerger) Close() error { return m.file.Close() }

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
		var h experiment.Header
		if json.Unmarshal(in.Bytes(), &h) != nil || h.Version == 0 {
			return experiment.ErrLog
		}
		if h != m.header {
			return fmt.Errorf("%w of the same build and seed", experiment.ErrLog)
		}
	}
	return in.Err()
}

func (m *LogMerger) add(line []byte, trace func(name string) (string, error)) error {
	var rec experiment.LogLine
	if err := json.Unmarshal(line, &rec); err != nil || rec.Outcome == nil || len(rec.Key) > 64 {
		return fmt.Errorf("%w: a run of it can't be read", experiment.ErrLog)
	}
	if m.known[rec.Key] {
		return nil
	}
	m.known[rec.Key] = true
	m.Runs++
	if rec.Is == proof.TellsFailure || rec.Is == proof.TellsMissed && rec.Outcome.Failed {
		m.Failed++
		if rec.Kind == "" {
			m.Plain++
		}
	}
	rec.Outcome.Started = nil // these are not brought along
	if rec.Outcome.Trace != "" {
		var err error
		if rec.Outcome.Trace, err = trace(rec.Outcome.Trace); err != nil {
			return err
		}
	}
	return m.write(rec)
}
