package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/proof"
)

// A way is a part of the search that is tried alone.
type way struct {
	name  string
	kinds string
	steps []string // nil for all
}

// afterScreens are steps that make findings of what random ways brought and what could not
// be reduced; alone they try nothing.
var afterScreens = []string{"several stalls", "random ones"}

// ways are places among which the order of the search decides which comes first, and all
// together. Orders are not among them: they need a comparison, which a hunt has not.
var ways = []way{
	{"yields", "yield", []string{"yields"}},
	{"priorities", "sched", []string{"priorities"}},
	{"random stalls", "yield", []string{"random stalls"}},
	{"sweep", "stall", []string{"stalls"}},
	{"classes, later", "stall", []string{"classes", "later visits"}},
	{"choices", "select,map,rand", []string{"pins", "more pins"}},
	{"tests", "tests", []string{"tests before"}},
	{"all", "stall,order,yield,sched,select,map,rand,tests,race", nil},
}

// A tally is what one way did with one test.
type tally struct {
	runs   int // of its steps
	failed int // of these
	first  int // which of them was the first that failed
	all    int // with plain runs, and those that looked into what failed
	found  *proof.Proof
	after  string // which step had the run that failed first
}

// compareWays hunts once for each way, from nothing each time, and prints a line for
// each test that one of them provoked and that is flaky.
func (c *corpus) compareWays(only string) error {
	table := make([]map[string]*tally, len(ways))
	for i, w := range ways {
		if only != "" && !slices.Contains(strings.Split(only, ","), w.name) {
			continue
		}
		args := []string{"-new", "-kinds", w.kinds}
		if c.seed != 0 {
			args = append(args, "-seed", strconv.FormatUint(c.seed, 10))
		}
		if w.steps != nil {
			for _, step := range slices.Concat(w.steps, afterScreens) {
				args = append(args, "-only", step)
			}
		}
		for _, tc := range c.cases {
			tc.found = nil
		}
		if err := c.hunt(args...); err != nil {
			return err
		}
		var err error
		if table[i], err = c.tallies(w); err != nil {
			return err
		}
		c.printWay(w, table[i])
	}
	return c.printWays(table)
}

// tallies reads from the logs of the hunt what became of each test.
func (c *corpus) tallies(w way) (map[string]*tally, error) {
	logs, err := filepath.Glob(filepath.Join(c.module(), ".fdebug", "hunt", "*", "log.jsonl"))
	if err != nil {
		return nil, err
	}
	all := make(map[string]*tally)
	for _, name := range logs {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := readTallies(data, w, all); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, tc := range c.cases {
		if t := all[tc.pkg+"."+tc.test]; t != nil {
			t.found = best(tc.found)
		}
	}
	return all, nil
}

// best returns a finding that is proved, else any that is no data race: a race says
// nothing of what fails.
func best(list []*proof.Proof) (f *proof.Proof) {
	for _, p := range list {
		if p.Kind() != "race" && (f == nil || p.Verdict == proof.Proved) {
			f = p
		}
	}
	return f
}

// readTallies adds what a log says, by package and test.
func readTallies(data []byte, w way, all map[string]*tally) error {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	var of struct {
		Package string `json:"package"`
	}
	if err := json.Unmarshal(head, &of); err != nil {
		return err
	}
	for line := range bytes.Lines(rest) {
		var x struct {
			Test, Step string
			Outcome    struct {
				Failed bool
			}
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // cut off
		}
		if err := json.Unmarshal(line, &x); err != nil {
			return err
		}
		top, _, _ := strings.Cut(x.Test, "/")
		t := all[path.Base(of.Package)+"."+top]
		if t == nil {
			t = &tally{}
			all[path.Base(of.Package)+"."+top] = t
		}
		t.add(x.Step, x.Outcome.Failed, w)
	}
	return nil
}

// add counts a run.
func (t *tally) add(step string, failed bool, w way) {
	t.all++
	if step == "plain" || w.steps != nil && !slices.Contains(w.steps, step) {
		return
	}
	t.runs++
	if !failed {
		return
	}
	if t.failed++; t.first == 0 {
		t.first, t.after = t.runs, step
	}
}

// cell is what a way did with a test: which run was the first that failed, with an
// asterisk if what came of it was proved, a plus if only reproduced, in parentheses if
// nothing came of it; or of how many runs none failed.
func (t *tally) cell(w way) string {
	where := ""
	if t != nil && w.steps == nil {
		where = " " + t.after
	}
	switch {
	case t == nil || t.runs == 0:
		return ""
	case t.found != nil && t.found.Verdict == proof.Proved:
		return fmt.Sprintf("%d*", t.first) + where
	case t.found != nil:
		return fmt.Sprintf("%d+", t.first) + where
	case t.first > 0:
		return fmt.Sprintf("(%d of %d)", t.failed, t.runs)
	}
	return fmt.Sprintf("0 of %d", t.runs)
}

// printWay says what a way did, as soon as it is known.
func (c *corpus) printWay(w way, tests map[string]*tally) {
	var runs, all, proved, found int
	for _, t := range tests {
		runs, all = runs+t.runs, all+t.all
		if t.found != nil {
			found++
			if t.found.Verdict == proof.Proved {
				proved++
			}
		}
	}
	fmt.Printf("%s: %d tests, %d runs of the way, %d in all; %d provoked, %d of them proved\n",
		w.name, len(tests), runs, all, found, proved)
}

func (c *corpus) printWays(table []map[string]*tally) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "test\tkind\t")
	for i, w := range ways {
		if table[i] != nil {
			fmt.Fprintf(out, "%s\t", w.name)
		}
	}
	fmt.Fprintln(out)
	for _, tc := range c.cases {
		var cells []string
		for i, tests := range table {
			if tests != nil {
				cells = append(cells, tests[tc.pkg+"."+tc.test].cell(ways[i]))
			}
		}
		fmt.Fprintf(out, "%s.%s\t%s\t%s\t\n", tc.pkg, tc.test, tc.kind, strings.Join(cells, "\t"))
	}
	return out.Flush()
}
