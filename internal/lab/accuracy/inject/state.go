package inject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// A record is a line of state.jsonl: one completed step. Exactly one field is set.
type record struct {
	Setup   *setup   `json:"setup,omitempty"`
	Module  *module  `json:"module,omitempty"`
	Trial   *trial   `json:"trial,omitempty"`
	Measure *measure `json:"measure,omitempty"`
}

// A setup is what the choice of mutants depends on. It must be the same when a measurement is
// resumed.
type setup struct {
	Seed    uint64  `json:"seed"`
	Silent  bool    `json:"silent,omitempty"`
	Plain   int     `json:"plain"`
	N       int     `json:"n"`
	Most    int     `json:"most"`
	Slow    float64 `json:"slow_s"`
	Modules string  `json:"modules"` // the list
	Only    string  `json:"operators,omitempty"`
	Kinds   string  `json:"kinds,omitempty"`
}

// A state is what has been done so far, and the file that records it.
type state struct {
	mu       sync.Mutex
	file     *os.File // nil if nothing must be written
	modules  map[string]*module
	trials   map[string]*trial
	measures map[string]*measure
	unstable map[string]bool // packages whose original failed after all
	tries    []*trial        // in the order in which they were done
	order    []string        // mutants in the order in which they were in
}

// openState reads the file and opens it for appending. It skips a last line that a kill cut off.
// It refuses a measurement that was begun with another setup, unless look is set.
func openState(name string, s setup, look bool) (*state, error) {
	st := &state{modules: make(map[string]*module), trials: make(map[string]*trial),
		measures: make(map[string]*measure), unstable: make(map[string]bool)}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var before *setup
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.Setup != nil {
			before = r.Setup
		}
		st.add(r)
	}
	if before != nil && *before != s && !look {
		return nil, fmt.Errorf("%s was begun with another seed, list of modules or other numbers: %+v", name, before)
	}
	if st.file, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		if _, err := st.file.WriteString("\n"); err != nil {
			return nil, err
		}
	}
	if before == nil {
		return st, st.write(record{Setup: &s})
	}
	return st, nil
}

// add adds a record.
func (st *state) add(r record) {
	switch {
	case r.Module != nil:
		st.modules[r.Module.Name] = r.Module
	case r.Trial != nil:
		if r.Trial.In && st.trials[r.Trial.Mutant.ID] == nil {
			st.order = append(st.order, r.Trial.Mutant.ID)
		}
		st.trials[r.Trial.Mutant.ID] = r.Trial
		st.tries = append(st.tries, r.Trial)
		if r.Trial.ControlFailed > 0 {
			st.unstable[r.Trial.Mutant.Package] = true
		}
	case r.Measure != nil:
		st.measures[r.Measure.ID] = r.Measure
	}
}

// write adds a record and writes it.
func (st *state) write(r record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.add(r)
	if _, err := st.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return st.file.Sync()
}

// open reports whether a mutant is still to be tried.
func (st *state) open(m *Mutant) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.trials[m.ID] == nil && !st.unstable[m.Package]
}
