package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A variant is one way to build a test binary.
type variant struct {
	name   string
	flags  []string
	traced bool // with probes
	idle   bool // without a trace file: only the probes themselves remain
	bin    string
}

func variants() []*variant {
	return []*variant{
		{name: "plain"},
		{name: "count", flags: []string{"-covermode=count"}},
		{name: "atomic", flags: []string{"-covermode=atomic"}},
		{name: "race", flags: []string{"-race"}},
		{name: "traced", traced: true},
		{name: "idle", traced: true, idle: true},
	}
}

// kernelDir returns the directory of the kernels. They are a module of their own, and built like
// any user's package.
func kernelDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f={{.Dir}}",
		"github.com/fdebug/fdebug/internal/lab/bench").Output()
	if err != nil {
		return "", fmt.Errorf("bench must run inside of fdebug's own module: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "testdata", "kernels"), nil
}

// buildAll builds the variants of a package and returns those that could be built. Without the
// plain one there is nothing to compare with.
func (b *bench) buildAll(ctx context.Context, vs []*variant, dir, pkg string) ([]*variant, error) {
	var built []*variant
	for _, v := range vs {
		b.progress("building %s: %s", pkg, v.name)
		err := b.build(ctx, v, dir, pkg)
		if err != nil && (v.name == "plain" || ctx.Err() != nil) {
			return nil, err
		} else if err != nil {
			fmt.Fprintf(os.Stderr, "bench: left out: %v\n", err)
			continue
		}
		built = append(built, v)
	}
	return built, nil
}

// build builds a variant's test binary of a package, relative to dir.
func (b *bench) build(ctx context.Context, v *variant, dir, pkg string) error {
	out, err := os.MkdirTemp(b.dir, v.name+"-")
	if err != nil {
		return err
	}
	v.bin = filepath.Join(out, "bench.test")
	goCmd, env, flags, buildDir := "go", []string(nil), v.flags, dir
	if v.traced {
		plan, err := instrument.Prepare(ctx, instrument.Config{
			Dir: dir, Patterns: []string{pkg}, Out: filepath.Join(out, "instrumented"),
		})
		if err != nil {
			return err
		}
		goCmd, env, flags, buildDir = plan.Shadow.Go(), plan.Shadow.Env(), plan.BuildFlags(), plan.BuildDir(dir)
	}
	args := append([]string{"test", "-c", "-vet=off", "-o", v.bin}, flags...)
	cmd := exec.CommandContext(ctx, goCmd, append(args, pkg)...)
	cmd.Dir = buildDir
	cmd.Env = append(append(os.Environ(), env...), "PWD="+buildDir)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", v.name, err, text)
	}
	return nil
}

// A subject is what all variants of a build are measured on: a row.
type subject struct {
	name   string
	times  map[string]*samples // in seconds, by variant
	events int64               // in one traced run
	// run runs a variant once. It returns the measured seconds.
	run func(ctx context.Context, v *variant, env []string) (float64, error)
}

// measure runs all variants in each round, in varying order: what one leaves behind, in caches
// and clock rates, must not always affect the same next one.
func (b *bench) measure(ctx context.Context, s *subject, vs []*variant) error {
	s.times = make(map[string]*samples)
	for _, v := range vs {
		s.times[v.name] = &samples{}
	}
	b.progress("%s, %d rounds of %d builds", s.name, b.rounds, len(vs))
	for range b.rounds {
		for _, i := range rand.Perm(len(vs)) {
			if err := b.once(ctx, s, vs[i]); err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, vs[i].name, err)
			}
		}
	}
	return nil
}

// once runs a variant once, with a trace file if it writes one.
func (b *bench) once(ctx context.Context, s *subject, v *variant) error {
	env, file := []string(nil), ""
	if v.traced && !v.idle {
		file = filepath.Join(b.dir, v.name+".raw")
		defer v.giveBack(file)
		env = append(env, "FDEBUG_TRACE="+file)
	}
	if b.keep > 0 {
		env = append(env, fmt.Sprintf("FDEBUG_BUDGET=%d", b.keep))
	}
	took, err := s.run(ctx, v, env)
	if err != nil {
		return err
	}
	s.times[v.name].add(took)
	if v.name == "traced" && s.events == 0 {
		s.events, err = countEvents(file)
	}
	return err
}

// giveBack leaves the trace file as the next run of fdebug would find it, and removes those of
// processes that the test started.
func (v *variant) giveBack(file string) {
	again := v.traced && runtime.GOOS == "linux" && trace.Recycle(file) == nil
	for _, name := range store.Glob(filepath.Dir(file), filepath.Base(file)+"*") {
		if name != file || !again {
			os.Remove(name)
		}
	}
}

// countEvents returns the number of events in a trace, raw or kept.
func countEvents(file string) (n int64, err error) {
	t, err := trace.Open(file)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	for _, g := range t.Goroutines {
		n += g.Len()
	}
	return n, nil
}

// A variantTable is a table of ratios to the plain build.
type variantTable struct {
	*table
	names   []string            // all variants except plain
	columns map[string]*samples // the ratios of all rows, by column
}

func newVariantTable(what string, vs []*variant) *variantTable {
	t := &variantTable{table: newTable(what, "plain"), columns: make(map[string]*samples)}
	for _, v := range vs {
		if v.name != "plain" {
			t.names = append(t.names, v.name)
		}
	}
	t.head = append(append(t.head, t.names...), "events", "ns/event", "traced/atomic", "n")
	return t
}

// add adds the row of a subject. Without perEvent it omits the cost of an event.
func (t *variantTable) add(s *subject, perEvent bool) {
	plain := s.times["plain"]
	row := []string{s.name, plain.seconds()}
	for _, name := range t.names {
		row = append(row, t.cell(name, s.times[name].over(plain)))
	}
	per := "-"
	if traced := s.times["traced"]; perEvent && s.events > 0 && traced.n() > 0 {
		ns := traced.minus(plain, 1e9/float64(s.events))
		t.column("ns/event").add(ns.median())
		per = fmt.Sprintf("%.2f ± %.2f", ns.median(), ns.halfWidth())
	}
	row = append(row, count(s.events), per, t.cell("traced/atomic", s.times["traced"].over(s.times["atomic"])),
		fmt.Sprint(plain.n()))
	t.row(row...)
}

func (t *variantTable) column(name string) *samples {
	if t.columns[name] == nil {
		t.columns[name] = &samples{}
	}
	return t.columns[name]
}

// cell formats the ratios of one subject and notes their median.
func (t *variantTable) cell(column string, ratios *samples) string {
	if ratios.n() > 0 {
		t.column(column).add(ratios.median())
	}
	return ratios.ratio()
}

// finish adds the medians over all rows.
func (t *variantTable) finish() *table {
	row := []string{"median", ""}
	for _, name := range t.names {
		row = append(row, t.columns[name].ratio())
	}
	per := "-"
	if c := t.columns["ns/event"]; c.n() > 0 {
		per = fmt.Sprintf("%.2f", c.median())
	}
	t.row(append(row, "", per, t.columns["traced/atomic"].ratio(), "")...)
	return t.table
}

// chosen returns the names in the arguments, or all if there are none.
func (b *bench) chosen(all []string) ([]string, error) {
	if len(b.args) == 0 {
		return all, nil
	}
	for _, name := range b.args {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("no %q: there are %s", name, strings.Join(all, ", "))
		}
	}
	return b.args, nil
}
