package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// samples are measurements of one thing, one for each round.
type samples struct{ values []float64 }

func (s *samples) add(v float64) { s.values = append(s.values, v) }

// n returns how many there are.
func (s *samples) n() int {
	if s == nil {
		return 0
	}
	return len(s.values)
}

// quantile returns the value below which a share q of the sorted samples lies.
func (s *samples) quantile(q float64) float64 {
	if s.n() == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func (s *samples) median() float64 { return s.quantile(0.5) }

// spread is halfWidth relative to the median.
func (s *samples) spread() float64 { return s.halfWidth() / max(s.median(), 1e-9) }

// halfWidth returns half of the distance between the quartiles, which one slow run does not
// change.
func (s *samples) halfWidth() float64 { return (s.quantile(0.75) - s.quantile(0.25)) / 2 }

// minus returns the differences of s and base, round by round, times scale. If the machine is
// slower for some rounds, both medians change, but hardly that of the differences.
func (s *samples) minus(base *samples, scale float64) *samples {
	out := &samples{}
	for i := range min(s.n(), base.n()) {
		out.add((s.values[i] - base.values[i]) * scale)
	}
	return out
}

// over returns the ratios of s to base, round by round. What slows down a whole round does not
// affect them.
func (s *samples) over(base *samples) *samples {
	out := &samples{}
	for i := range min(s.n(), base.n()) {
		if base.values[i] > 0 {
			out.add(s.values[i] / base.values[i])
		}
	}
	return out
}

// ratio formats ratios as a cell, or "-" if there are none.
func (s *samples) ratio() string {
	if s.n() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f×", s.median())
}

// seconds formats times in seconds as a cell.
func (s *samples) seconds() string {
	if s.n() == 0 {
		return "-"
	}
	m := s.median()
	unit, scale := "s", 1.0
	if m < 1 {
		unit, scale = "ms", 1000
	}
	return fmt.Sprintf("%s %s ± %.0f%%", digits(m*scale), unit, s.spread()*100)
}

// digits formats a number with three digits, or all digits before the point.
func digits(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// size formats a number of bytes.
func size(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n >= u.size {
			return digits(float64(n)/float64(u.size)) + " " + u.name
		}
	}
	return fmt.Sprintf("%d B", n)
}

// count formats a number of events.
func count(n int64) string {
	switch {
	case n >= 1e6:
		return digits(float64(n)/1e6) + "M"
	case n >= 1e3:
		return digits(float64(n)/1e3) + "k"
	}
	return fmt.Sprint(n)
}

// machine describes the machine and the time of the measurement.
func machine(b *bench) string {
	cpu := ""
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, after, _ := strings.Cut(string(info), "model name")
		line, _, _ := strings.Cut(after, "\n")
		cpu = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		one, _, _ := strings.Cut(string(text), " ")
		load = ", load " + one
	}
	return fmt.Sprintf("%s %s/%s, %d CPUs %s%s; %s; %s", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), cpu, load,
		b.clock(), time.Now().UTC().Format(time.DateOnly))
}
