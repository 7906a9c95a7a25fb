// Package warmcache converts currencies with rates that are loaded at start.
package warmcache

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrRate says that there is no rate for a currency.
var ErrRate = errors.New("no rate")

// A Table holds the value of each currency in euros.
type Table struct {
	ready atomic.Bool

	mu    sync.RWMutex
	rates map[string]float64
	bad   int
}

// Load reads lines of the form "USD 0.92".
func (t *Table) Load(r io.Reader) error {
	t.mu.Lock()
	t.rates = map[string]float64{"EUR": 1}
	t.mu.Unlock()
	t.ready.Store(true)

	for in := bufio.NewScanner(r); ; {
		if !in.Scan() {
			return in.Err()
		}
		code, text, _ := strings.Cut(in.Text(), " ")
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || rate <= 0 {
			t.mu.Lock()
			t.bad++
			t.mu.Unlock()
			continue
		}
		t.set(code, rate)
	}
}

func (t *Table) set(code string, rate float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rates[code] = rate
}

// Ready reports whether rates are loaded.
func (t *Table) Ready() bool { return t.ready.Load() }

// Bad returns how many lines could not be read.
func (t *Table) Bad() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.bad
}

// Convert converts cents from one currency to another.
func (t *Table) Convert(cents int64, from, to string) (int64, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	a, ok := t.rates[from]
	if !ok {
		return 0, fmt.Errorf("%w for %s", ErrRate, from)
	}
	b, ok := t.rates[to]
	if !ok {
		return 0, fmt.Errorf("%w for %s", ErrRate, to)
	}
	return int64(math.Round(float64(cents) * a / b)), nil
}
