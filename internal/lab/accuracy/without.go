package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/diagnose"
)

// eachRule stands for a row for each rule.
const eachRule = "each"

// An ablation shows what rules are worth: the grades of recorded runs with all of them, and
// without some.
type ablation struct {
	sets   [][]string // rules that are left out together; the first set is empty
	grades [][]grade  // by set, then by program
}

// leaveOut prints the effect of leaving out rules on the recorded runs.
func (c *config) leaveOut(ctx context.Context, programs []*program, stdout, stderr io.Writer) (int, error) {
	a, err := newAblation(c.without)
	if err != nil {
		return 2, err
	}
	root, err := repository(ctx)
	if err != nil {
		return 2, err
	}
	r := &replay{root: root}
	for _, p := range programs {
		fmt.Fprintf(stderr, "%s\n", p.name)
		if err := a.take(r, p); errors.Is(err, errNotRecorded) {
			fmt.Fprintf(stderr, "%v\n", err)
		} else if err != nil {
			return 2, err
		}
	}
	return 0, a.print(stdout)
}

// newAblation returns an ablation of the rules in a comma-separated list, or of each rule.
func newAblation(rules string) (*ablation, error) {
	var known []string
	for _, r := range diagnose.Rules() {
		known = append(known, r.Name)
	}
	a := &ablation{sets: [][]string{nil}}
	if rules == eachRule {
		for _, name := range known {
			a.sets = append(a.sets, []string{name})
		}
	} else {
		a.sets = append(a.sets, strings.Split(rules, ","))
	}
	for _, set := range a.sets {
		for _, name := range set {
			if !slices.Contains(known, name) {
				return nil, fmt.Errorf("no rule is called %q; there are %s", name, strings.Join(known, ", "))
			}
		}
	}
	a.grades = make([][]grade, len(a.sets))
	return a, nil
}

// take grades the recorded runs of a program with each set of rules left out.
func (a *ablation) take(r *replay, p *program) error {
	rec, done, err := r.open(p)
	if err != nil {
		return err
	}
	defer done()
	for i, set := range a.sets {
		rec.Diagnose(set...)
		doc, err := document(rec)
		if err != nil {
			return err
		}
		a.grades[i] = append(a.grades[i], judge(p, doc))
	}
	return nil
}

// print writes the sums for each set, and the programs for which a set makes a difference.
func (a *ablation) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "without\tfirst on the cause\tin the list\tbetter\tworse")
	for i, set := range a.sets {
		s := (&table{grades: a.grades[i]}).sums()
		better, worse := a.changed(i)
		fmt.Fprintf(tw, "%s\t%d of %d\t%d\t%s\t%s\n", cmp.Or(strings.Join(set, ","), "-"), s.first, s.flaky, s.listed,
			names(better), names(worse))
	}
	fmt.Fprintln(tw)
	fmt.Fprintln(tw, "program\twithout\tfirst suspect\tcause\trank")
	for i, set := range a.sets[1:] {
		for k, g := range a.grades[i+1] {
			if all := a.grades[0][k]; all.first != g.first || all.rank != g.rank {
				fmt.Fprintf(tw, "%s\t-\t%s\t%s\t%s\n", g.program.name, cmp.Or(all.first, "-"),
					all.verdict, number(all.rank))
				fmt.Fprintf(tw, "\t%s\t%s\t%s\t%s\n", strings.Join(set, ","), cmp.Or(g.first, "-"),
					g.verdict, number(g.rank))
			}
		}
	}
	return tw.Flush()
}

// changed returns the programs whose first suspect is on the cause only without a set of rules,
// or only with it.
func (a *ablation) changed(i int) (better, worse []string) {
	for k, g := range a.grades[i] {
		switch all := a.grades[0][k]; {
		case g.right && !all.right:
			better = append(better, g.program.name)
		case !g.right && all.right:
			worse = append(worse, g.program.name)
		}
	}
	return better, worse
}

func names(list []string) string { return cmp.Or(strings.Join(list, " "), "-") }
