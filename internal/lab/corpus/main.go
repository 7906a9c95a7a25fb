// Corpus says how well a hunt does on tests whose cause was written down before.
//
//	go run ./internal/lab/corpus [-budget D] [-p N] [-kinds K,...] [-replay N] [-plain N] [-packages "./late ./window"] [-seed S] [DIR]
//
// DIR is a module with a file truth.txt (default internal/experiment/testdata/corpus).
// A line of that is a test, the kind of perturbation that it takes, and the name of
// its cause; lines of the cause end in the comment "// cause NAME" in the source. Kind
// "none" is for sound tests.
//
// For each test it prints whether it was provoked, by what, whether the place lies on
// the cause, the shortest stall, runs and seconds, how often a replay failed and acted, and with
// -plain how often so many runs did with nothing varied. Of sound tests anything that
// was provoked is wrong.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/session/replay"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/trace"
)

func main() {
	budget := flag.Duration("budget", 10*time.Minute, "of the hunt")
	parallel := flag.Int("p", 1, "processes side by side")
	replay := flag.Int("replay", 20, "runs of each replay, 0 for none")
	plain := flag.Int("plain", 0, "runs of each flaky test with nothing varied")
	kinds := flag.String("kinds", "", "kinds of perturbation that are tried, separated by commas; all if empty")
	packages := flag.String("packages", "./...", "packages of DIR, with spaces between them")
	seed := flag.Uint64("seed", 0, "of the hunts, 0 for any")
	flag.Parse()
	dir := filepath.Join("internal", "experiment", "testdata", "corpus")
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	c := &corpus{budget: *budget, parallel: *parallel, replays: *replay, plain: *plain,
		packages: strings.Fields(*packages), seed: *seed}
	if *kinds != "" {
		c.kinds = strings.Split(*kinds, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, dir); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// A corpus is a module of tests with known causes.
type corpus struct {
	budget   time.Duration
	parallel int
	replays  int
	plain    int
	kinds    []string // nil for all
	packages []string
	seed     uint64

	work   string // with the command and a copy of the module
	cases  []*testCase
	causes map[string]map[string]bool // "file:line" by name of the cause
}

// A testCase is a line of truth.txt, and what became of it.
type testCase struct {
	pkg, test, kind, cause string
	found                  []*proof.Proof
	rate                   string // of plain runs
}

func (c *corpus) run(ctx context.Context, dir string) (err error) {
	if c.work, err = os.MkdirTemp("", "corpus-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.work)
	if err := c.readTruth(dir); err != nil {
		return err
	}
	if c.causes, err = readCauses(dir); err != nil {
		return err
	}
	if err := os.CopyFS(c.module(), os.DirFS(dir)); err != nil {
		return err
	}
	if err := c.plainRates(); err != nil {
		return err
	}
	if err := c.hunt(ctx); err != nil {
		return err
	}
	return c.print(ctx)
}

func (c *corpus) module() string { return filepath.Join(c.work, "module") }

func (c *corpus) readTruth(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "truth.txt"))
	if err != nil {
		return err
	}
	for n, line := range strings.Split(string(data), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		pkg, test, ok := strings.Cut(f[0], ".")
		if len(f) != 3 || !ok {
			return fmt.Errorf("truth.txt:%d: want PACKAGE.TEST KIND CAUSE", n+1)
		}
		c.cases = append(c.cases, &testCase{pkg: pkg, test: test, kind: f[1], cause: f[2]})
	}
	return nil
}

var causeComment = regexp.MustCompile(`// cause (\S+)\s*$`)

// readCauses returns the lines of each cause.
func readCauses(dir string) (map[string]map[string]bool, error) {
	causes := make(map[string]map[string]bool)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		for i, line := range strings.Split(string(data), "\n") {
			if m := causeComment.FindStringSubmatch(line); m != nil {
				if causes[m[1]] == nil {
					causes[m[1]] = make(map[string]bool)
				}
				causes[m[1]][fmt.Sprintf("%s:%d", filepath.ToSlash(rel), i+1)] = true
			}
		}
		return err
	})
	return causes, err
}

// session returns a session in the module, which prints its results to w.
func (c *corpus) session(w io.Writer) *session.Session {
	return session.NewLab(&session.Console{Stdout: w, Stderr: os.Stderr, Getenv: os.Getenv, Chdir: c.module()})
}

// hunt hunts in the module.
func (c *corpus) hunt(ctx context.Context) error {
	s := c.session(io.Discard)
	s.Patterns, s.Kinds, s.Seed, s.Parallel, s.Budget.Whole, s.Hunts = c.packages, c.kinds, c.seed,
		c.parallel, c.budget, true
	defer s.CleanUp()
	h := &hunt.Hunt{Session: s, Screen: &terminal.Screen{Console: s.Console},
		NothingFound: func(context.Context, time.Time) {}}
	if err := h.Prepare(ctx); err != nil {
		return err
	}
	if err := h.TakeKnown(); err != nil {
		return err
	}
	within, cancel := s.Budget.Begin(ctx)
	defer cancel()
	if _, err := h.Conclude(within, h.Within(within)); err != nil {
		return err
	}
	for _, t := range h.Result.Tests {
		for i := range t.Verdicts {
			c.take(&t.Verdicts[i].Proof)
		}
	}
	for _, t := range h.Raced() {
		for _, r := range t.Races {
			c.take(raceProof(t, &r, s.Plan.Sites))
		}
	}
	return ctx.Err()
}

// raceProof returns a data race as a proof, which has its places.
func raceProof(t *finding.Test, r *finding.Race, sites *trace.Sites) *proof.Proof {
	p := &proof.Proof{Package: t.Package, Test: t.Name, Decides: []string{"race"}, Verdict: proof.Reproduced, Runs: r.Of}
	p.Confirmed.With = proof.Count{Failed: r.Seen, Of: r.Of}
	for _, a := range r.Accesses {
		rel, _ := sites.Rel(a.At.File)
		p.At = append(p.At, proof.Place{File: rel, Line: a.At.Line, Func: a.At.Func})
	}
	return p
}

// take adds what was proved to its test.
func (c *corpus) take(f *proof.Proof) {
	known := false
	for _, tc := range c.cases {
		top, _, _ := strings.Cut(f.Test, "/")
		if path.Base(f.Package) == tc.pkg && top == tc.test {
			tc.found, known = append(tc.found, f), true
		}
	}
	if !known {
		fmt.Printf("not in truth.txt: %s %s\n", f.Package, f.Test)
	}
}

func (c *corpus) print(ctx context.Context) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "test\tkind\tplain\tfound\tverdict\ton the cause\tsmallest\tafter runs\truns\tseconds\treplayed\t")
	right, flaky, wrong, sound := 0, 0, 0, 0
	for _, tc := range c.cases {
		switch {
		case tc.kind != "none":
			flaky++
			if len(tc.found) > 0 {
				right++
			}
		default:
			sound++
			if len(tc.found) > 0 {
				wrong++
			}
		}
		if len(tc.found) == 0 {
			fmt.Fprintf(w, "%s.%s\t%s\t%s\t-\t\t\t\t\t\t\t\t\n", tc.pkg, tc.test, tc.kind, tc.rate)
		}
		for _, f := range tc.found {
			verdict := f.Verdict.String()
			fmt.Fprintf(w, "%s.%s\t%s\t%s\t%s\t%s\t%v\t%v\t%d\t%d\t%.1f\t%s\t\n", tc.pkg, tc.test, tc.kind,
				tc.rate, f.Kind(), verdict,
				c.onCause(tc, f), f.Smallest, f.Found, f.Runs, f.Took.Seconds(), c.replay(ctx, f))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Printf("%d of %d flaky tests provoked; of %d sound ones %d\n", right, flaky, sound, wrong)
	return nil
}

// onCause reports whether a place at which the perturbation acts, or an end of its
// window, lies on the lines of the cause.
func (c *corpus) onCause(tc *testCase, f *proof.Proof) bool {
	places, window := f.Lines()
	for _, place := range append(places, window...) {
		if c.causes[tc.cause][place] {
			return true
		}
	}
	return false
}

var replayed = regexp.MustCompile(`failed in (\d+ of \d+) runs.* It acted in (\d+ of \d+)`)

// replay replays a finding, and returns k of n, and in how many runs it acted.
func (c *corpus) replay(ctx context.Context, f *proof.Proof) string {
	if c.replays == 0 || f.Replay == "" { // a race has none
		return ""
	}
	var out bytes.Buffer
	j := &replay.Job{Session: c.session(&out)}
	j.N, j.Beside = c.replays, 1
	defer j.CleanUp()
	_, err := j.Run(ctx, f.Replay)
	if m := replayed.FindSubmatch(out.Bytes()); m != nil {
		return fmt.Sprintf("%s, acted %s", m[1], m[2])
	}
	return fmt.Sprint(err)
}
