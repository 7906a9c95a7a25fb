package shard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A LogMerger merges the logs of several processes. Each has made some of the runs.
type LogMerger struct {
	file   *os.File
	header experiment.Header
	Runs   int // different ones
	Failed int // of these
	Plain  int // failed with nothing perturbed

	known map[string]bool   // keys of the runs
	items []experiment.Item // of the shared trials that failed
	found map[candidateKey]int
}

const (
	// maxCandidates is how many trials of one kind that failed in one way are kept. Where
	// plain runs fail often, most of them failed by chance.
	maxCandidates = 100
	maxItems      = 10_000   // ways to fail that are kept
	maxLogLine    = 64 << 20 // bytes of what is known of a run
)

type candidateKey struct {
	test, kind string
	sig        runner.Signature
}

// NewLogMerger begins a log at path, which must not be there. What the header says all
// logs must say.
func NewLogMerger(path string, h experiment.Header) (*LogMerger, error) {
	h.Version = experiment.LogVersion
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	m := &LogMerger{file: f, header: h, known: make(map[string]bool), found: make(map[candidateKey]int)}
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

// Items returns the items to confirm of the logs that were added, each way to fail
// by itself.
func (m *LogMerger) Items() []experiment.Item {
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
		m.note(&rec)
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

// note keeps a run as a candidate if it is one of a shared trial.
func (m *LogMerger) note(rec *experiment.LogLine) {
	if rec.Trial == nil {
		return
	}
	key := candidateKey{rec.Test, rec.Kind, rec.Outcome.Signature}
	c, err := experiment.CandidateOf(rec)
	if m.found[key]++; m.found[key] > maxCandidates || err != nil {
		return
	}
	i := slices.IndexFunc(m.items, func(x experiment.Item) bool { return x.Test == rec.Test && x.Fits(&c) })
	if i < 0 {
		if len(m.items) == maxItems {
			return
		}
		i = len(m.items)
		m.items = append(m.items, experiment.Item{Test: rec.Test})
	}
	m.items[i].Candidates = append(m.items[i].Candidates, c)
}
