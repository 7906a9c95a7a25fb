package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/report"
)

// A load is runs of a looping test to compare and report on. A quarter of them goes another way
// in the middle and fails.
type load struct {
	events int64 // in one run
	runs   int
	// noisy runs also make detours at random, after which no two of them have a chunk in common.
	// Without them all passing runs are equal, and so are all failing ones.
	noisy bool
}

// noise is how many iterations lie between two random detours.
const noise = 10_000

// lengths measures reports against the length of traces.
func (b *bench) lengths(ctx context.Context) error {
	var loads []load
	for _, noisy := range []bool{false, true} {
		for _, events := range b.traceLengths() {
			loads = append(loads, load{events: events, runs: 10, noisy: noisy})
		}
	}
	return b.reports(ctx, "Comparison and report, by length of the traces", loads)
}

// runCounts measures reports against the number of runs.
func (b *bench) runCounts(ctx context.Context) error {
	counts := []int{10, 50, 100, 500}
	if b.quick {
		counts = counts[:2]
	}
	var loads []load
	for _, noisy := range []bool{false, true} {
		for _, runs := range counts {
			loads = append(loads, load{events: 1e6, runs: runs, noisy: noisy})
		}
	}
	return b.reports(ctx, "Comparison and report, by number of runs", loads)
}

// reports makes the runs of each load and measures the report on them, from kept traces to
// written pages.
func (b *bench) reports(ctx context.Context, title string, loads []load) error {
	fdebug, err := b.buildCommand(ctx)
	if err != nil {
		return err
	}
	t := newTable("paths", "runs", "events in all", b.clock(), "events/s", "peak memory", ".html", ".md",
		"result.json", "traces", "n")
	for _, l := range loads {
		b.progress("%s: %s, %d runs", title, l.paths(), l.runs)
		store := filepath.Join(b.dir, "loads")
		if err := b.record(ctx, fdebug, store, l); err != nil {
			return err
		}
		took, peak, err := b.repeat(ctx, process{args: []string{fdebug, "report", "-o", store}, failing: true})
		if err != nil {
			return err
		}
		f, err := findings(filepath.Join(store, "latest"))
		if err != nil {
			return err
		}
		t.row(l.paths(), fmt.Sprint(l.runs), count(f.events), took.seconds(),
			count(int64(float64(f.events)/took.median())), size(peak),
			size(f.html), size(f.markdown), size(f.json), size(f.traces), fmt.Sprint(took.n()))
		if err := os.RemoveAll(store); err != nil {
			return err
		}
	}
	t.note(
		"alike: all passing runs are equal, and all failing ones; noisy: no two runs have a chunk of 4096 events in common.")
	return b.print(title, t)
}

func (l load) paths() string {
	if l.noisy {
		return "noisy"
	}
	return "alike"
}

// record runs the looping test.
func (b *bench) record(ctx context.Context, fdebug, store string, l load) error {
	src, err := kernelDir(ctx)
	if err != nil {
		return err
	}
	counter := filepath.Join(b.dir, "counter")
	defer os.Remove(counter)
	p := process{
		args: []string{fdebug, "-C", src, "run", ".", "-run=^TestLong$", "-plain=0", "-values=false",
			"-experiments=0", "-o=" + store,
			fmt.Sprint("-trace-budget=", int64(longBudget)), fmt.Sprint("-n=", l.runs)},
		env:     []string{fmt.Sprint("LONG=", l.events), "LONG_COUNT=" + counter},
		failing: true,
	}
	if l.noisy {
		p.env = append(p.env, fmt.Sprint("LONG_NOISE=", noise))
	}
	_, _, err = p.run(ctx)
	return err
}

// A finding is the content of a run directory.
type finding struct {
	events                       int64 // of all runs
	html, markdown, json, traces int64 // sizes: the test's pages, the result, all traces
}

// findings reads a run directory with one flaky test.
func findings(dir string) (f finding, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		return f, err
	}
	var doc report.Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return f, err
	}
	if len(doc.Tests) != 1 || len(doc.Tests[0].Failures) != 1 || len(doc.Tests[0].Failures[0].Divergences) == 0 {
		return f, fmt.Errorf("%s: the report does not say where the runs part", dir)
	}
	base := filepath.Join(dir, strings.TrimSuffix(doc.Tests[0].Report, ".html"))
	f = finding{html: fileSize(base + ".html"), markdown: fileSize(base + ".md"), json: int64(len(data))}
	root, err := filepath.EvalSymlinks(filepath.Join(dir, "traces"))
	if err != nil {
		return f, err
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n, err := countEvents(name)
		f.events += n
		f.traces += fileSize(name)
		return err
	})
	return f, err
}
