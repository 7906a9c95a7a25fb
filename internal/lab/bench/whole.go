package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// runs is how often each of the compared ways runs a test.
func (b *bench) runs() int {
	if b.quick {
		return 10
	}
	return 50
}

// A target is a test that is run many times.
type target struct {
	name string // in the table
	dir  string // where the commands run
	pkg  string
	args []string // flags of go test that select the test
	env  []string
}

// A way is one way to run a test many times: commands, one after the other.
type way struct {
	name     string
	commands func(t *target, n int) [][]string
	few      samples // seconds of one run, including builds
	many     samples // of as many runs as the table says
}

// whole measures whole invocations, including builds and reports: fdebug run, compared with go
// test -count, which repeats tests in one process, and with x/tools/cmd/stress, which like fdebug
// starts a process for each run. Unchanged packages come from the build cache, for all of them.
// Experiments are left out, because they take all the time they get (-experiments), whatever they
// cost.
func (b *bench) whole(ctx context.Context) error {
	fdebug, err := b.buildCommand(ctx)
	if err != nil {
		return err
	}
	stress, err := b.buildStress(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: stress is left out: %v\n", err)
	}
	targets, err := b.targets(ctx)
	if err != nil {
		return err
	}
	t := newTable("way to run it", "1 run", fmt.Sprint(b.runs(), " runs"), "whole", "each further run", "of it", "n")
	for _, x := range targets {
		ways := b.ways(fdebug, stress)
		if err := b.compareWays(ctx, x, ways); err != nil {
			return err
		}
		t.addWays(x, ways, b.runs())
	}
	t.note("whole, of it: ratios of %d runs, and of what each run beyond the first adds, to those of the first line.",
		b.runs())
	return b.print("Whole invocations, builds and reports included", t)
}

func (b *bench) targets(ctx context.Context) ([]*target, error) {
	src, err := kernelDir(ctx)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	list := []*target{
		{name: "computes 200 ms, passes", dir: src, pkg: ".", args: []string{"-run=^TestFlaky$"},
			env: []string{"FLAKY=never"}},
		{name: "computes 200 ms, flaky", dir: src, pkg: ".", args: []string{"-run=^TestFlaky$"},
			env: []string{"FLAKY=1"}},
		{name: "waits 20 ms, flaky", dir: src, pkg: ".", args: []string{"-run=^TestWaits$"}, env: []string{"FLAKY=1"}},
		{name: "suite of text/template", dir: filepath.Join(strings.TrimSpace(string(goroot)), "src"),
			pkg: "text/template", args: []string{"-short"}},
	}
	if b.quick {
		list = list[:3]
	}
	return list, nil
}

// ways returns the ways that are compared. The first is the base.
func (b *bench) ways(fdebug, stress string) []*way {
	results := filepath.Join(b.dir, "results")
	goTest := func(flags ...string) func(*target, int) [][]string {
		return func(t *target, n int) [][]string {
			args := append([]string{"go", "test", fmt.Sprint("-count=", n)}, flags...)
			return [][]string{append(append(args, t.args...), t.pkg)}
		}
	}
	run := func(flags ...string) func(*target, int) [][]string {
		return func(t *target, n int) [][]string {
			args := append([]string{fdebug, "run", fmt.Sprint("-n=", n), "-o=" + results}, flags...)
			return [][]string{append(append(args, t.args...), t.pkg)}
		}
	}
	list := []*way{
		{name: "go test -count -covermode=atomic", commands: goTest("-covermode=atomic")},
		{name: "go test -count", commands: goTest()},
		{name: "fdebug run -plain 0 -values=false -experiments 0",
			commands: run("-plain=0", "-values=false", "-experiments=0")},
		{name: "fdebug run -experiments 0", commands: run("-experiments=0")},
	}
	if stress != "" {
		list = slices.Insert(list, 2, &way{name: "go test -c, stress -p 1",
			commands: func(t *target, n int) [][]string {
				bin := filepath.Join(b.dir, "stressed.test")
				return [][]string{
					{"go", "test", "-c", "-o", bin, t.pkg},
					append([]string{stress, "-p=1", fmt.Sprint("-count=", n), bin}, binaryFlags(t.args)...),
				}
			}})
	}
	return list
}

// binaryFlags turns flags of go test into flags of the test binary.
func binaryFlags(flags []string) []string {
	var out []string
	for _, f := range flags {
		out = append(out, "-test."+strings.TrimPrefix(f, "-"))
	}
	return out
}

// compareWays measures all ways in each round. The first round is a warm-up that fills the build
// cache.
func (b *bench) compareWays(ctx context.Context, t *target, ways []*way) error {
	for i := range b.rounds + 1 {
		round := "to warm up"
		if i > 0 {
			round = fmt.Sprintf("round %d of %d", i, b.rounds)
		}
		for _, k := range rand.Perm(len(ways)) {
			b.progress("%s, %s: %s", t.name, round, ways[k].name)
			few, err := b.follow(ctx, t, ways[k].commands(t, 1))
			if err != nil {
				return err
			}
			if i == 0 {
				continue
			}
			many, err := b.follow(ctx, t, ways[k].commands(t, b.runs()))
			if err != nil {
				return err
			}
			ways[k].few.add(few)
			ways[k].many.add(many)
		}
	}
	return nil
}

// follow runs commands one after the other and returns the seconds they took.
func (b *bench) follow(ctx context.Context, t *target, commands [][]string) (float64, error) {
	sum := 0.0
	for _, args := range commands {
		u, _, err := process{args: args, dir: t.dir, env: append(t.env, "PWD="+t.dir), failing: true}.run(ctx)
		if err != nil {
			return 0, err
		}
		sum += b.took(u)
	}
	return sum, nil
}

// addWays adds the rows of one test.
func (t *table) addWays(x *target, ways []*way, runs int) {
	t.row("*"+x.name+"*", "", "", "", "", "", "")
	base := ways[0]
	for _, w := range ways {
		each := w.each(runs)
		t.row(w.name, w.few.seconds(), w.many.seconds(), w.many.over(&base.many).ratio(),
			each.seconds(), each.over(base.each(runs)).ratio(), fmt.Sprint(w.many.n()))
	}
}

// each returns the cost of each run beyond the first.
func (w *way) each(runs int) *samples {
	s := &samples{}
	for i := range w.many.values {
		s.add(max(w.many.values[i]-w.few.values[i], 0) / float64(runs-1))
	}
	return s
}

// buildCommand builds fdebug.
func (b *bench) buildCommand(ctx context.Context) (string, error) {
	bin := filepath.Join(b.dir, "fdebug")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", bin,
		"github.com/fdebug/fdebug/cmd/fdebug").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building fdebug: %w\n%s", err, out)
	}
	return bin, nil
}

// buildStress builds x/tools/cmd/stress, in the version of x/tools in go.mod. It is not a
// dependency: the module proxy must be reachable, or the module must be there already.
func (b *bench) buildStress(ctx context.Context) (string, error) {
	version, err := exec.CommandContext(ctx, "go", "list", "-m", "-f={{.Version}}", "golang.org/x/tools").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m golang.org/x/tools: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "install",
		"golang.org/x/tools/cmd/stress@"+strings.TrimSpace(string(version)))
	cmd.Env = append(os.Environ(), "GOBIN="+b.dir, "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install stress: %w\n%s", err, out)
	}
	return filepath.Join(b.dir, "stress"), nil
}
