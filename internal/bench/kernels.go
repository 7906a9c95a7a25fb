package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A kernel is a line of the table.
type kernel struct {
	name   string
	waits  bool                // its goroutines wait for each other
	times  map[string]*samples // by variant
	events int64               // in one traced run
}

func allKernels() []*kernel {
	return []*kernel{
		{name: "branches"}, {name: "sieve"}, {name: "calls"}, {name: "alloc"},
		{name: "goroutines", waits: true}, {name: "channels", waits: true}, {name: "mutex", waits: true},
		{name: "parse"},
	}
}

// chosen returns the kernels that the arguments name, all if there are none.
func (b *bench) chosen() ([]*kernel, error) {
	all := allKernels()
	if len(b.args) == 0 {
		return all, nil
	}
	var out []*kernel
	for _, name := range b.args {
		i := slices.IndexFunc(all, func(k *kernel) bool { return k.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no kernel %q", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// kernels measures all variants of the chosen kernels.
func (b *bench) kernels(ctx context.Context) error {
	ks, err := b.chosen()
	if err != nil {
		return err
	}
	src, err := kernelDir(ctx)
	if err != nil {
		return err
	}
	vs := variants()
	for _, v := range vs {
		if err := b.build(ctx, v, src); err != nil {
			if v.name == "plain" || ctx.Err() != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "bench: left out: %v\n", err)
		}
	}
	vs = slices.DeleteFunc(vs, func(v *variant) bool { _, err := os.Stat(v.bin); return err != nil })
	for _, k := range ks {
		k.times = make(map[string]*samples)
		for range b.rounds {
			if err := b.round(ctx, k, vs); err != nil {
				return err
			}
		}
	}
	return b.printKernels(ks, vs)
}

// round runs every variant of a kernel once, in an order that changes: what one
// leaves behind, in caches and clock rates, must not always meet the same next.
func (b *bench) round(ctx context.Context, k *kernel, vs []*variant) error {
	for _, i := range rand.Perm(len(vs)) {
		v := vs[i]
		ns, err := b.execute(ctx, k, v)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", k.name, v.name, err)
		}
		if k.times[v.name] == nil {
			k.times[v.name] = &samples{}
		}
		k.times[v.name].add(float64(ns))
	}
	return nil
}

// execute runs a kernel and returns the nanoseconds that it took.
func (b *bench) execute(ctx context.Context, k *kernel, v *variant) (int64, error) {
	file := filepath.Join(b.dir, "trace.raw")
	cmd := exec.CommandContext(ctx, v.bin, "-test.run=^TestKernel$")
	cmd.Env = append(os.Environ(), "KERNEL="+k.name)
	if v.traced != "" && !v.idle {
		cmd.Env = append(cmd.Env, "FDEBUG_TRACE="+file)
		defer os.Remove(file)
	}
	if b.keep > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("FDEBUG_BUDGET=%d", b.keep))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	ns, err := b.parseTime(out)
	if err == nil && v.name == "traced" && k.events == 0 {
		k.events, err = countEvents(file)
	}
	return ns, err
}

func (b *bench) parseTime(out []byte) (int64, error) {
	i := bytes.Index(out, []byte("kernel "))
	if i < 0 {
		return 0, errors.New("the kernel did not say how long it took")
	}
	var (
		name      string
		wall, cpu int64
	)
	_, err := fmt.Sscanf(string(out[i:]), "kernel %s %d %d", &name, &wall, &cpu)
	if b.cpu {
		return cpu, err
	}
	return wall, err
}

func countEvents(file string) (n int64, err error) {
	t, err := trace.ReadRaw(file)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	for _, g := range t.Goroutines {
		n += g.Len()
	}
	return n, nil
}

// printKernels prints the table, and below it the medians over all kernels.
func (b *bench) printKernels(ks []*kernel, vs []*variant) error {
	w := newText("kernel", "plain")
	for _, v := range vs[1:] {
		w.cell(v.name)
	}
	w.line("events", "ns/event", "traced/atomic", "n")
	ratios := make(map[string]*samples)
	note := func(col string, x float64) {
		if ratios[col] == nil {
			ratios[col] = &samples{}
		}
		ratios[col].add(x)
	}
	for _, k := range ks {
		plain := k.times["plain"]
		w.cell(k.name, fmt.Sprintf("%v ± %.0f%%", time.Duration(plain.median()).Round(10*time.Microsecond), plain.spread()*100))
		for _, v := range vs[1:] {
			r := k.times[v.name].median() / plain.median()
			note(v.name, r)
			w.cell(fmt.Sprintf("%.2fx", r))
		}
		w.cell(fmt.Sprintf("%.1fM", float64(k.events)/1e6))
		k.printEvents(w, note)
		w.line(fmt.Sprint(len(plain.values)))
	}
	w.cell("median", "")
	for _, v := range vs[1:] {
		w.cell(fmt.Sprintf("%.2fx", ratios[v.name].median()))
	}
	w.line("", fmt.Sprintf("%.2f", ratios["ns/event"].median()), fmt.Sprintf("%.2f", ratios["traced/atomic"].median()), "")
	_, err := fmt.Fprintf(b.out, "%s\n%s", machine(b.dir), w)
	return err
}

// printEvents prints what an event costs, and tracing against counting.
func (k *kernel) printEvents(w *text, note func(string, float64)) {
	traced, plain, atomic := k.times["traced"], k.times["plain"], k.times["atomic"]
	if traced == nil || k.events == 0 {
		w.cell("", "")
		return
	}
	per := (traced.median() - plain.median()) / float64(k.events)
	if k.waits {
		w.cell("-")
	} else {
		note("ns/event", per)
		w.cell(fmt.Sprintf("%.2f", per))
	}
	if atomic == nil {
		w.cell("")
		return
	}
	note("traced/atomic", traced.median()/atomic.median())
	w.cell(fmt.Sprintf("%.2f", traced.median()/atomic.median()))
}
