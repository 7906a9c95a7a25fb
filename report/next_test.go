package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// More runs than one command makes are told as those of several.
func TestFixedByManyRuns(t *testing.T) {
	for total, want := range map[int]string{30: " clean runs in a row, of those that the first command makes (", 200: " clean runs in a row, of those that the first command makes, 1,000 at a time ("} {
		f := newFixture(t)
		test := f.rng()
		test.Verdicts, test.Runs = nil, runs(total, finding.Failed, 3)
		v := newViewer(f.result(test))
		v.t = test
		if got := v.fixed(count(test.Runs)).Plain(); !strings.Contains(got, want) {
			t.Errorf("1 of %d runs: %s", total, got)
		}
	}
}

// The commands to go on with have the conditions under which the test failed.
func TestNext(t *testing.T) {
	raced := []*finding.Failure{{Message: "WARNING: DATA RACE\nWrite at 0x00c0 by goroutine 8:"}}
	for _, c := range []struct {
		name    string
		options finding.Options
		test    finding.Test
		want    []string
	}{
		{"nothing given", finding.Options{}, finding.Test{}, []string{
			"Run it again: fdebug run ./queue -n 50",
			"Does it fail alone?: fdebug run ./queue -run '^TestDrain$' -n 50",
			"Is it a data race?: fdebug run ./queue -race -n 30",
		}},
		{"fails alone", finding.Options{Run: "Drain|Add", Skip: "Slow"}, finding.Test{Alone: "^TestDrain$"}, []string{
			"Run just this test: fdebug run ./queue -run '^TestDrain$' -skip Slow -n 50",
			"Is it a data race?: fdebug run ./queue -run '^TestDrain$' -skip Slow -race -n 30",
		}},
		{"everything given", finding.Options{
			C: "the module", Out: "out", Run: "Drain|Add", Shuffle: "on", Parallel: 4, CPU: "1,2",
			Flags: []string{"-race", "-vet=off", "-timeout=30s"}, Args: []string{"-v"},
		}, finding.Test{Seed: "42"}, []string{
			"Run it again, in an order of tests in which it failed: fdebug -C 'the module' run -o out ./queue -run 'Drain|Add' -race -vet=off -timeout=30s -cpu=1,2 -procs=4 -shuffle 42 -n 50 -- -v",
			"Does it fail alone?: fdebug -C 'the module' run -o out ./queue -run '^TestDrain$' -race -vet=off -timeout=30s -cpu=1,2 -procs=4 -n 50 -- -v",
		}},
		{"a race was reported", finding.Options{}, finding.Test{Alone: "^TestDrain$", Failures: raced}, []string{
			"Run just this test: fdebug run ./queue -run '^TestDrain$' -n 50",
		}},
		{"a race was seen afterwards", finding.Options{}, finding.Test{Alone: "^TestDrain$", Raced: 20, Races: make([]finding.Race, 1)}, []string{
			"Run just this test: fdebug run ./queue -run '^TestDrain$' -n 50",
		}},
		{"none was seen afterwards", finding.Options{}, finding.Test{Alone: "^TestDrain$", Raced: 12, RacedFailed: 7}, []string{
			"Run just this test: fdebug run ./queue -run '^TestDrain$' -n 50",
			"Is it a data race? In 12 runs with the race detector none was reported for this test. It failed in 7 of them.: fdebug run ./queue -run '^TestDrain$' -race -n 30",
		}},
		{"one was seen that is not placed", finding.Options{}, finding.Test{Alone: "^TestDrain$", Raced: 12, Unplaced: 2}, []string{
			"Run just this test: fdebug run ./queue -run '^TestDrain$' -n 50",
			"Is it a data race? In 2 of 12 runs with the race detector one was reported for this test, at least one side of it in code that is not recorded.: fdebug run ./queue -run '^TestDrain$' -race -n 30",
		}},
		{"none was seen afterwards, without the other tests", finding.Options{Flags: []string{"-vet=off"}}, finding.Test{Raced: 12, RacedAlone: true}, []string{
			"Run it again: fdebug run ./queue -vet=off -n 50",
			"Does it fail alone?: fdebug run ./queue -run '^TestDrain$' -vet=off -n 50",
			"Is it a data race? In 12 runs of this test alone with the race detector none was reported.: fdebug run ./queue -vet=off -race -n 30",
		}},
		{"alone already", finding.Options{Run: "^TestDrain$"}, finding.Test{}, []string{
			"Run it again: fdebug run ./queue -run '^TestDrain$' -n 50",
			"Is it a data race?: fdebug run ./queue -run '^TestDrain$' -race -n 30",
		}},
		{"failed without the recorder only", finding.Options{Run: "Drain|Add", Shuffle: "on", Flags: []string{"-vet=off"}, Args: []string{"-v"}}, finding.Test{PlainFailure: &finding.PlainFailure{}}, []string{
			"Try to make it fail: fdebug hunt ./queue -run '^TestDrain$' -vet=off -- -v",
			"Run it again: fdebug run ./queue -run 'Drain|Add' -vet=off -shuffle on -n 50 -- -v",
			"Does it fail alone?: fdebug run ./queue -run '^TestDrain$' -vet=off -n 50 -- -v",
			"Is it a data race?: fdebug run ./queue -run 'Drain|Add' -vet=off -race -shuffle on -n 30 -- -v",
		}},
		{"named from elsewhere", finding.Options{Dir: "/home/gopher/m/queue", Flags: []string{"-msan"}}, finding.Test{Alone: "^TestDrain$"}, []string{
			"Run just this test: fdebug run example.com/m/queue -run '^TestDrain$' -msan -n 50",
		}},
		{"in the home directory", finding.Options{C: "/home/gopher/my module", Out: "/home/gopher/out", Flags: []string{"-race", "-overlay=/home/gopher/o.json"}}, finding.Test{Alone: "^TestDrain$"}, []string{
			"Run just this test: fdebug -C ~/'my module' run -o ~/out ./queue -run '^TestDrain$' -race -overlay ~/o.json -n 50",
		}},
		{"another module of the workspace", finding.Options{Flags: []string{"-asan"}}, finding.Test{Package: "example.com/other/queue", Alone: "^TestDrain$"}, []string{
			"Run just this test: fdebug run example.com/other/queue -run '^TestDrain$' -asan -n 50",
		}},
	} {
		r := newFixture(t).result()
		r.Options = c.options
		test := c.test
		test.Name, test.Runs = "TestDrain", runs(50, finding.Failed, 3, 7, 12, 13, 19, 24, 28, 31, 37, 40, 44, 49)
		if test.Package == "" {
			test.Package = "example.com/m/queue"
		}
		for _, f := range test.Failures {
			f.Analysis = &divergence.Analysis{}
		}
		r.Tests = []*finding.Test{&test}
		var got []string
		w := newViewer(r).test(&test)
		if orders := strings.Contains(w.Fixed.Plain(), "in a row with -shuffle on, over different orders of tests"); orders != (test.Seed != "") {
			t.Errorf("%s: with other orders of tests, too: %v: %s", c.name, orders, w.Fixed.Plain())
		}
		for _, n := range w.Next {
			if n.Label != asIssue {
				got = append(got, n.Label+": "+n.Line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// The rate is over orders of tests, of which the command has but one.
func TestFixedOrders(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	test.Seed, test.Verdicts = "42", []finding.Verdict{{Proof: proof.Proof{Before: []string{"TestA"}}, Replay: "r.json"}}
	v := newViewer(f.result(test))
	const want = "To check a fix: runs of the first command must pass, and 30 clean runs in a row with -shuffle on, over different orders of tests, as those that the rate is of (99 %"
	if got := v.test(test).Fixed.Plain(); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

// Where nothing failed, what was tried already is not advised.
func TestFurther(t *testing.T) {
	for _, c := range []struct {
		options finding.Options
		want    string
	}{
		{finding.Options{}, "More runs: fdebug run ./... -n 200; Shuffled: fdebug run ./... -shuffle on -n 200; With the race detector: fdebug run ./... -race -n 200; Several at once: fdebug run ./... -procs=4 -n 200"},
		{finding.Options{Packages: []string{"./queue"}, Run: "Drain", Shuffle: "on", Parallel: 2, Flags: []string{"-race"}}, "More runs: fdebug run ./queue -run Drain -race -procs=2 -shuffle on -n 200"},
	} {
		r := newFixture(t).result()
		r.Options = c.options
		var got []string
		for _, n := range newViewer(r).further(200) {
			got = append(got, n.Label+": "+n.Line)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("got %s\nwant %s", s, c.want)
		}
	}
}

// Experiments have run the test alone: whether it fails so is not asked when they have shown
// something.
func TestNotAskedAlone(t *testing.T) {
	for verdicts, want := range map[int]bool{0: true, 1: false} {
		f := newFixture(t)
		test := f.rng()
		test.Alone, test.Verdicts = "", make([]finding.Verdict, verdicts)
		v := newViewer(f.result(test))
		v.t = test
		list := v.next(&view{}, count(test.Runs))
		if got := slices.ContainsFunc(list, func(c command) bool { return c.Label == "Does it fail alone?" }); got != want {
			t.Errorf("%d verdicts: %+v", verdicts, list)
		}
	}
}
