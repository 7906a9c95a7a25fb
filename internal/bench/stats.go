package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// samples are measurements of one thing.
type samples struct{ values []float64 }

func (s *samples) add(v float64) { s.values = append(s.values, v) }

// quantile returns the value below which the part q of the sorted samples lies.
func (s *samples) quantile(q float64) float64 {
	if s == nil || len(s.values) == 0 {
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

// spread returns half of the distance between the quartiles, relative to the
// median: one slow run does not move it.
func (s *samples) spread() float64 {
	return (s.quantile(0.75) - s.quantile(0.25)) / 2 / max(s.median(), 1e-9)
}

// A text is a table in the making, its columns aligned.
type text struct {
	buf   bytes.Buffer
	tab   *tabwriter.Writer
	cells []string // of the line in the making
}

func newText(head ...string) *text {
	t := &text{cells: head}
	t.tab = tabwriter.NewWriter(&t.buf, 0, 0, 2, ' ', 0)
	return t
}

func (t *text) cell(cells ...string) { t.cells = append(t.cells, cells...) }

// line ends the line with the given cells.
func (t *text) line(cells ...string) {
	fmt.Fprintln(t.tab, strings.Join(append(t.cells, cells...), "\t"))
	t.cells = nil
}

func (t *text) String() string {
	t.tab.Flush()
	return t.buf.String()
}

// machine says what was measured on.
func machine(dir string) string {
	cpu := ""
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, after, _ := strings.Cut(string(info), "model name")
		line, _, _ := strings.Cut(after, "\n")
		cpu = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
	}
	return fmt.Sprintf("%s %s/%s, %d CPUs %s, traces in %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpu, dir)
}
