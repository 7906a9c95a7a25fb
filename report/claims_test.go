package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestClaims holds each sentence about a divergence against what was counted for
// it: in which runs, what, and up to when.
func TestClaims(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	r := f.result(test)
	fail := test.Failures[0]
	d, a := fail.Analysis.Chain[0], *fail.Analysis
	entry, cond := int(d.Common[1].Block), int(d.Common[2].Block)
	original, frame, message := *d, fail.Frame, fail.Message
	worker := []trace.Frame{{File: "/home/gopher/m/rng/rng_test.go", Line: 7}}
	type change = func(d *divergence.Divergence)
	for _, tt := range []struct {
		name    string
		counted string // what the numbers are, for who reads this
		change  change
		want    string
	}{
		{"all alike", "runs whose events up to there are those of the failing run shown: all of them",
			func(d *divergence.Divergence) {}, "In the test's own goroutine, all 50 runs behave the same until `if n < 50 {` (`rng.go:9`)."},
		{"pair", "the two runs shown: equal up to there, event by event",
			func(d *divergence.Divergence) {
				d.Alike = divergence.Table{FailTaken: 1, FailNot: 23, PassTaken: 1, PassNot: 25}
			},
			"In the test's own goroutine, failing run 2 and passing run 1 behave the same until `if n < 50 {` (`rng.go:9`)."},
		{"pass", "how often the failing run shown had run the line by then, with this time",
			func(d *divergence.Divergence) { d.Iteration = 22 }, "In the test's own goroutine, all 50 runs behave the same until the 22nd pass over `if n < 50 {` (`rng.go:9`)."},
		{"not alike before", "nothing: the two runs shown differ before, which may tell the outcome or not",
			func(d *divergence.Divergence) { d.Exact = false },
			"In the test's own goroutine, failing run 2 and passing run 1 both come to `if n < 50 {` (`rng.go:9`); before that they differ too."},
		{"not alike before, again", "how often the failing run shown had run the line; the passing one may have run it less often",
			func(d *divergence.Divergence) { d.Exact, d.Iteration = false, 3 },
			"both come to `if n < 50 {` (`rng.go:9`), in failing run 2 for the 3rd time; before that they differ too."},
		{"passing unseen", "nothing: the passing run was not seen there",
			func(d *divergence.Divergence) { d.Exact, d.PassTook = false, 0 },
			"In the test's own goroutine, failing run 2 comes to `if n < 50 {` (`rng.go:9`).\n"},
		{"goroutine", "as above, in one goroutine", func(d *divergence.Divergence) { d.Class = worker },
			"In the goroutine started at `rng_test.go:7`, all 50 runs behave the same until"},
		{"not kept", "chunks by their hashes", func(d *divergence.Divergence) { d.LastCommon, d.CommonPrefix = 0, 8000 },
			"The runs diverge between step 8,000 and 12,096, but which lines they ran there was not kept"},
		{"no prefix", "", func(d *divergence.Divergence) { d.LastCommon, d.CommonPrefix = 0, 0 },
			"The runs diverge at once: failing run 2 and passing run 1 have no line in common here."},

		{"condition", "runs that went on right there with either block of the if",
			func(d *divergence.Divergence) {}, "There `n < 50` is **true** in passing runs, which go on with `return 0` (`rng.go:10`); it is **false** in failing runs, which go on with `return 1` (`rng.go:12`)."},
		{"other way round", "likewise", func(d *divergence.Divergence) { d.PassNext, d.FailNext = d.FailNext, d.PassNext },
			"There `n < 50` is **false** in passing runs, which go on with `return 1`"},
		{"condition, not all", "likewise: 19 passing and 20 failing runs were seen to",
			func(d *divergence.Divergence) {
				d.PassTook, d.Table = 19, divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 7, PassNot: 19}
			},
			"There `n < 50` is **true** in 19 of 26 passing runs, which go on with `return 0` (`rng.go:10`); it is **false** in 20 of 24 failing runs, which go on with"},
		{"condition, not all followed", "likewise; 7 passing and 4 failing runs were not followed to there, and may have gone the same way",
			func(d *divergence.Divergence) {
				d.Exact, d.PassTook, d.Table = false, 19, divergence.Table{FailTaken: 20, FailNot: 4, PassNot: 26}
			},
			"There `n < 50` is **true** in at least 19 of 26 passing runs, which go on with `return 0` (`rng.go:10`); it is **false** in at least 20 of 24 failing runs, which go on with"},
		{"who, not all followed", "runs of those that could be followed to there",
			func(d *divergence.Divergence) { d.Exact, d.PassTook = false, 19 },
			"All 24 failing runs went that way, which of the 26 passing runs none was seen to do (by"},
		{"who, some of those followed", "likewise",
			func(d *divergence.Divergence) {
				d.Exact, d.PassTook, d.Table = false, 19, divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 1, PassNot: 25}
			},
			"20 of 24 failing runs were seen to go that way, and 1 of 26 passing runs (by"},
		{"callout, not all followed", "likewise",
			func(d *divergence.Divergence) { d.Exact, d.PassTook = false, 19 }, "<- next in at least 19 of 26 passing runs"},
		{"in a loop", "likewise, in some iteration",
			func(d *divergence.Divergence) { d.InLoop = true }, "There, in the iteration in which they part, `n < 50` is **true** in passing runs, which"},
		{"those that did the same", "passing runs that did the same and went on right there with it",
			func(d *divergence.Divergence) {
				d.PassTook, d.Alike = 14, divergence.Table{FailTaken: 24, PassTaken: 14, PassNot: 12}
			},
			"is **true** in the 14 passing runs that do the same until then, which go on with `return 0`"},
		{"one that did the same", "likewise",
			func(d *divergence.Divergence) {
				d.PassTook, d.Alike = 1, divergence.Table{FailTaken: 24, PassTaken: 1, PassNot: 25}
			},
			"is **true** in passing run 1, which alone does the same until then, which goes on with `return 0`"},
		{"of one pair", "as not all followed: the two runs shown did the same, and others may have done what they did after something else",
			func(d *divergence.Divergence) {
				d.PassTook, d.Alike = 1, divergence.Table{FailTaken: 1, FailNot: 23, PassTaken: 19, PassNot: 7}
			},
			"is **true** in at least 1 of 26 passing runs, which goes on with `return 0`"},
		{"one seen", "the passing run shown", func(d *divergence.Divergence) { d.PassTook = 0 },
			"is **true** in passing run 1, which goes on with `return 0`"},
		{"panic", "", func(d *divergence.Divergence) { d.FailNext = trace.CheckEvent(trace.CheckPanic, 1) }, "failing runs panic at `rng_test.go:8`"},
		{"end", "runs whose stream ends there", func(d *divergence.Divergence) { d.PassNext = 0 },
			"There passing runs do no more in this goroutine; failing runs go on with `return 1`"},
		{"left a loop", "passing runs that went that way in some iteration; failing runs that left the loop by the other, and never went that way",
			func(d *divergence.Divergence) { d.Left = true },
			"There `n < 50` becomes **true** in passing runs, which go on with `return 0` (`rng.go:10`); it never does in failing runs, which later come to `return 1` (`rng.go:12`)."},
		{"left a loop, no condition", "likewise",
			func(d *divergence.Divergence) { d.Left, d.PassNext = true, 0 },
			"There passing runs do no more in this goroutine; failing runs go on, and later come to `return 1` (`rng.go:12`)."},

		{"who", "runs of all that were compared: who took FailNext there",
			func(d *divergence.Divergence) {
				d.Table, d.P = divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 1, PassNot: 25}, 0.002
			},
			"20 of 24 failing runs went that way, and 1 of 26 passing runs (by chance alone that happens less than once in 100)."},
		{"few", "likewise", func(d *divergence.Divergence) { d.Table, d.P = divergence.Table{FailTaken: 1, PassNot: 2}, 0.33 },
			"The one failing run went that way, none of the 2 passing runs did; with so few runs that may be chance (p = 0.33)."},
		{"pooled", "runs that took FailNext after the line at any visit where others did not", func(d *divergence.Divergence) { d.Pooled, d.FailTook = true, 24 },
			"24 of 24 failing runs went that way, each at a pass where the passing runs that were compared with it went on otherwise."},
		{"each at its own iteration", "likewise, each at an iteration of its own", func(d *divergence.Divergence) { d.InLoop = true },
			"24 of 24 failing runs went that way, each at a pass where the passing runs that were compared with it went on otherwise."},
		{"each at its own iteration, and some passing ones", "likewise", func(d *divergence.Divergence) {
			d.InLoop, d.Table, d.P = true, divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 1, PassNot: 25}, 0.002
		},
			"20 of 24 failing runs went that way at the pass at which they were compared, and 1 of 26 passing runs (by chance alone that happens less than once in 100)."},
		{"pooled, of some", "likewise, of the runs that could be followed to there", func(d *divergence.Divergence) {
			d.Pooled, d.FailTook, d.Table = true, 20, divergence.Table{FailTaken: 20, FailNot: 4, PassNot: 26}
		},
			"At least 20 of 24 failing runs went that way, each at a pass where the passing runs that were compared with it went on otherwise."},
		{"pooled over goroutines", "likewise, in any goroutine of the class", func(d *divergence.Divergence) { d.Pooled, d.FailTook, d.Class = true, 24, worker },
			"24 of 24 failing runs went that way in some goroutine started there, each at a pass where the passing runs that were compared with it went on otherwise."},
		{"pooled over several goroutines", "that there are several", func(d *divergence.Divergence) { d.Pooled, d.FailTook, d.Class, d.Nth, d.Of = true, 24, worker, 3, 7 },
			"it is **false** in 24 of 24 failing runs, in one or another of these goroutines, which go on with"},
		{"pooled, at this visit", "failing runs that took it at the visit shown", func(d *divergence.Divergence) { d.Pooled, d.FailTook = true, 3 },
			"it is **false** in 24 of 24 failing runs, at the pass at which they part, which go on with"},
		{"compared", "as for all alike, of fewer runs than the test had", func(d *divergence.Divergence) { d.Alike = divergence.Table{FailTaken: 22, PassTaken: 26} },
			"In the test's own goroutine, all 48 runs that were compared behave the same until"},
		{"the failed check", "nothing: only runs that fail come there",
			func(d *divergence.Divergence) { fail.Frame = trace.Frame{File: "/home/gopher/m/rng/rng.go", Line: 12} },
			"That is the way into the failed check: it separates the runs by definition."},
		{"the failed statement, in another goroutine", "runs that took FailNext: the goroutine that is shown came through",
			func(d *divergence.Divergence) {
				fail.Frame, d.OtherFailed = trace.Frame{File: "/home/gopher/m/rng/rng.go", Line: 12}, true
			},
			"All 24 failing runs went that way, none of the 26 passing runs did"},
		{"the failed statement, survived", "runs that took FailNext: passing runs came there too",
			func(d *divergence.Divergence) {
				fail.Frame = trace.Frame{File: "/home/gopher/m/rng/rng.go", Line: 12}
				d.Table, d.P = divergence.Table{FailTaken: 24, PassTaken: 2, PassNot: 24}, 0.0001
			},
			"24 of 24 failing runs went that way, and 2 of 26 passing runs (by chance alone that happens less than once in 10,000)."},

		{"fewer iterations", "runs by how often they made an iteration of the loop, from its beginning to its end",
			func(d *divergence.Divergence) {
				d.Loop, d.PassNext = &divergence.Loop{Header: entry, Limit: 2}, trace.Event(entry)
			},
			"There the loop with `n := rand.IntN(100)` (`rng.go:8`) makes fewer than **2 iterations** in all 24 failing runs, and in 0 of 26 passing runs (by chance alone that happens less than once in a million).\nPassing runs take another iteration (`rng.go:8`); failing runs leave the loop (`rng.go:12`)."},
		{"facts of fewer iterations", "the p-value of a limit that was chosen among several",
			func(d *divergence.Divergence) {
				d.Loop, d.PassNext, d.P = &divergence.Loop{Header: entry, Limit: 2}, trace.Event(entry), 0.1
			},
			" · Fisher's exact test, times the limits to choose from: p = 0.10"},
		{"more iterations", "likewise",
			func(d *divergence.Divergence) {
				d.Loop, d.FailNext = &divergence.Loop{Header: entry, Limit: 3, More: true}, trace.Event(entry)
			},
			"makes at least **3 iterations** in all 24 failing runs, and in 0 of 26 passing runs (by chance alone that happens less than once in a million).\nFailing runs take another iteration (`rng.go:8`); passing runs leave the loop (`rng.go:10`)."},
		{"never", "runs that did so in no iteration",
			func(d *divergence.Divergence) { d.Loop = &divergence.Loop{Header: cond} },
			"The loop with `if n < 50 {` (`rng.go:9`) never goes on to `return 0` (`rng.go:10`) in all 24 failing runs, and in 0 of 26 passing runs (by chance alone that happens less than once in a million).\nFailing run 2 goes on with `return 1` (`rng.go:12`) instead, the last time it comes to `if n < 50 {` (`rng.go:9`)."},
		{"never, and the process died", "likewise; nothing of what it would have done",
			func(d *divergence.Divergence) {
				d.Loop, d.OtherFailed = &divergence.Loop{Header: cond}, true
				fail.Message, fail.Dump = "panic: runtime error", "panic: runtime error"
			},
			"(by chance alone that happens less than once in a million). Another goroutine ended the process there, which alone may be why.\n"},

		{"same path", "failing runs of which a passing run has the very events up to the check",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.FailNext = true, 24, trace.CheckEvent(trace.CheckFail, 1)
			},
			"Same path, different data: in the goroutine that failed each of the 24 failing runs did what some passing run did, statement by statement, up to the failed check"},
		{"same path, died", "nothing: a statement that panics compares no values",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.FailNext = true, 24, trace.CheckEvent(trace.CheckPanic, 1)
				fail.Message, fail.Dump = "panic: runtime error", "panic: runtime error"
			},
			"up to the statement in which the process died `t.Errorf(\"ZeroOrOne() = %d, want 0\", got)` (`rng_test.go:8`).\nThe difference is in values, or in what another goroutine had done by then."},
		{"callout of a panic", "likewise",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.FailNext = true, 24, trace.CheckEvent(trace.CheckPanic, 1)
				fail.Message, fail.Dump = "panic: runtime error", "panic: runtime error"
			},
			"<- the process died here in all 24 failing runs"},
		{"same path, none", "the difference is in the values: each failing run may have a branch of its own",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.Exact, d.FailNext = true, 0, false, trace.CheckEvent(trace.CheckFail, 1)
			},
			"no branch between statements and no number of iterations tells all failing runs from the passing ones up to the failed check `t.Errorf(\"ZeroOrOne() = %d, want 0\", got)` (`rng_test.go:8`): none of the 24 failing runs did what some passing run did, statement by statement, but not all of them part from those in one way.\n\n**Where"},
		{"same path, none, beside", "that the two that are shown have all steps up to there in common",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.Exact, d.FailNext = true, 0, false, trace.CheckEvent(trace.CheckFail, 1)
			},
			"step 3 · failing run 2 against passing run 1, which parts from it before"},
		{"same path, not all", "likewise; the others may have a branch of their own, which tells them from passing runs",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.FailNext = true, 20, trace.CheckEvent(trace.CheckFail, 1)
			},
			"In the test's own goroutine no branch between statements and no number of iterations tells all failing runs from the passing ones up to the failed check `t.Errorf(\"ZeroOrOne() = %d, want 0\", got)` (`rng_test.go:8`): 20 of 24 failing runs did what some passing run did, statement by statement.\nIn these the difference is in the values that the check compares, or in"},
		{"same path here only", "nothing: other goroutines differ",
			func(d *divergence.Divergence) {
				d.SamePath, d.Followed, d.FailNext = true, 24, trace.CheckEvent(trace.CheckFail, 1)
				fail.Analysis.OnlyPassing = []divergence.GoroutineDiff{{Class: worker, Nth: 1, Of: 1, Table: divergence.Table{FailNot: 24, PassTaken: 26}}}
			},
			". Elsewhere the runs do differ."},

		{"callout of passing runs", "as for the condition: passing runs that went on right there with it",
			func(d *divergence.Divergence) { d.PassTook = 19 }, "<- next in 19 of 26 passing runs"},
		{"callout of passing runs like failing ones", "passing runs that did what some failing run did, and went on right there with it",
			func(d *divergence.Divergence) {
				d.PassTook, d.PassAlike, d.Alike = 19, 19, divergence.Table{FailTaken: 3, FailNot: 21, PassTaken: 4, PassNot: 22}
			}, "<- next in 19 of 19 passing runs that do what one failing run or another does until then"},
		{"callout of failing runs", "as for who", func(d *divergence.Divergence) {
			d.Table = divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 7, PassNot: 19}
		},
			"<- next in 20 of 24 failing runs, and in 7 of 26 passing runs"},
		{"callout of failing runs, in any goroutine", "runs, of which each has it in some goroutine of the class", func(d *divergence.Divergence) {
			d.Pooled, d.FailTook, d.Class = true, 24, worker
		},
			"<- next, where runs part, in some goroutine started there, in all 24 failing runs"},
		{"a loop, not all followed", "as for fewer iterations; of the other runs nothing was seen",
			func(d *divergence.Divergence) {
				d.Loop, d.PassNext = &divergence.Loop{Header: entry, Limit: 2, Failing: 20, Passing: 26}, trace.Event(entry)
				d.Table = divergence.Table{FailTaken: 20, FailNot: 4, PassNot: 26}
			},
			"makes fewer than **2 iterations** in 20 of 20 failing runs and 0 of 26 passing runs that could be followed there"},
		{"callout of a loop, not all followed", "likewise",
			func(d *divergence.Divergence) {
				d.Loop, d.PassNext = &divergence.Loop{Header: entry, Limit: 2, Failing: 20, Passing: 26}, trace.Event(entry)
				d.Table, d.FailTook = divergence.Table{FailTaken: 20, FailNot: 4, PassNot: 26}, 20
			},
			"<- next in 20 of 24 failing runs, leaving the loop; fewer than 2 iterations in 20 of 20 failing runs that could be followed"},
		{"left for several places", "runs whose first line behind the loop it is, of those with so few iterations",
			func(d *divergence.Divergence) {
				d.Loop, d.PassNext = &divergence.Loop{Header: entry, Limit: 2}, trace.Event(entry)
				d.Table, d.FailTook = divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 1, PassNot: 25}, 13
			},
			"25 of 26 passing runs take another iteration (`rng.go:8`); 20 of 24 failing runs leave the loop (`rng.go:12`, in 13 of them)."},
		{"left for the end", "likewise: runs whose stream ends there",
			func(d *divergence.Divergence) {
				d.Loop, d.PassNext, d.FailNext = &divergence.Loop{Header: entry, Limit: 2}, trace.Event(entry), 0
				d.Table, d.FailTook = divergence.Table{FailTaken: 12, FailNot: 12, PassTaken: 1, PassNot: 25}, 11
			},
			"12 of 24 failing runs leave the loop, and 11 of these do no more in this goroutine."},
		{"callout of a loop that is left", "likewise", func(d *divergence.Divergence) {
			d.Loop, d.PassNext = &divergence.Loop{Header: entry, Limit: 2}, trace.Event(entry)
			d.Table, d.FailTook = divergence.Table{FailTaken: 20, FailNot: 4, PassTaken: 1, PassNot: 25}, 13
		},
			"<- next in 13 of 24 failing runs, leaving the loop; fewer than 2 iterations in 20 of 24 failing runs"},
		{"callout in a loop", "runs that did so in some iteration, which need not be the one in which others do",
			func(d *divergence.Divergence) { d.InLoop = true }, "<- next, in the iteration in which runs part, in all 24 failing runs"},
		{"callout of passing runs in a loop", "likewise",
			func(d *divergence.Divergence) { d.InLoop, d.PassTook = true, 19 }, "<- next, in the iteration in which runs part, in 19 of 26 passing runs"},
		{"goroutine of one outcome", "runs that have the goroutine, with its parent and its number; failing ones if it started before the failure, passing ones if before the last divergence",
			func(d *divergence.Divergence) {
				fail.Analysis.OnlyPassing = []divergence.GoroutineDiff{{Class: worker, Nth: 2, Of: 3, Table: divergence.Table{FailNot: 24, PassTaken: 25, PassNot: 1}}}
			},
			"The 2nd goroutine started at `rng_test.go:7` was started and ran before the last divergence in 25 of 26 passing runs, and ran before the failure in 0 of 24 failing runs."},
		{"one failing run", "runs that were compared, and those for values",
			func(d *divergence.Divergence) {
				fail.ForValues = finding.Outcomes{Failed: 12, Passed: 18}
				fail.Analysis.Warnings = []error{divergence.ErrOneFailing}
			},
			"only 1 failing run was compared; 12 more failed so in the runs for values"},
	} {
		*d, *fail.Analysis, fail.Frame = original, a, frame
		fail.Message, fail.Dump = message, ""
		tt.change(d)
		var b bytes.Buffer
		if err := Markdown(&b, r, test); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, b.String()[:min(2500, b.Len())])
		}
	}
}

// TestRecorderChanges: Fisher's exact test of runs with the recorder against
// control runs. 10 of 30 against 29 of 300 has p = 0.0009; 5 of 50 against 0 of 5
// has p = 1. If each run draws an order of tests it is not said: the seeds differ too.
func TestRecorderChanges(t *testing.T) {
	fails := func(n, of int) []finding.Run {
		list := runs(of, finding.Failed)
		for i := range n {
			list[i].Status = finding.Failed
		}
		return list
	}
	test := &finding.Test{Name: "TestX", Runs: fails(10, 30), Plain: fails(29, 300)}
	in := &finding.Result{Options: finding.Options{Shuffle: "1234"}} // the same order in all runs
	got := RecorderChanges(in, test)
	want := "With the recorder it failed more often: in 10 of 30 runs, against 29 of 300 control runs (Fisher's exact test: p = 0.0009). What is said of it holds for runs with the recorder."
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	test.Runs, test.Plain = test.Plain, test.Runs
	if got := RecorderChanges(in, test); !strings.HasPrefix(got, "With the recorder it failed less often: in 29 of 300") {
		t.Errorf("got %q", got)
	}
	var page bytes.Buffer
	if err := testHTML(&page, newFixture(t).result(test), test); err != nil || !strings.Contains(page.String(), "With the recorder it failed less often") {
		t.Errorf("the page does not say it: %v", err)
	}
	if got := RecorderChanges(in, &finding.Test{Runs: fails(5, 50), Plain: fails(0, 5)}); got != "" {
		t.Errorf("5 of 50 against 0 of 5: %q", got)
	}
	in.Options.Shuffle = "on"
	if got := RecorderChanges(in, test); got != "" {
		t.Errorf("with an order of tests drawn for each run: %q", got)
	}
}

// TestExperimentsDiffer has the counts of a test that failed in 49 of 50 runs with the other
// tests of its package, and in 12 of 20 alone: p = 1e-04. 15 of 20 has p = 0.007, 16 of 20 p = 0.02, which
// happens too often by chance.
func TestExperimentsDiffer(t *testing.T) {
	list := runs(50, finding.Failed)
	for i := range 49 {
		list[i].Status = finding.Failed
	}
	d := finding.Verdict{Class: finding.Reproduced, Signature: "s", Proof: proof.Proof{Confirmed: proof.Confirmation{Plain: finding.Count{Failed: 12, Of: 20}}}}
	test := &finding.Test{Name: "TestX", Runs: list, Failures: []*finding.Failure{{Signature: "s", Runs: make([]int, 49)}}, Verdicts: []finding.Verdict{d}}
	want := "In the runs of the experiments, which are of this test alone, it failed less often with nothing changed: in 12 of 20, against 49 of 50 recorded runs (Fisher's exact test: p = 1e-04)."
	if got := experimentsDiffer(test); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for failed, told := range map[int]bool{15: true, 16: false} {
		test.Verdicts[0].Proof.Confirmed.Plain.Failed = failed
		if got := experimentsDiffer(test); (got != "") != told {
			t.Errorf("%d of 20: %q", failed, got)
		}
	}
	test.Verdicts[0].Proof.Confirmed.Plain.Failed, test.Alone = 12, "^TestX$"
	if got := experimentsDiffer(test); got != strings.Replace(want, ", which are of this test alone,", "", 1) {
		t.Errorf("it failed alone before: %q", got)
	}
	// The experiments count what fails at one place, in whatever words.
	here := trace.Frame{File: "/m/x_test.go", Line: 12}
	test.Verdicts[0].Proof.Confirmed.Plain.Failed, test.Verdicts[0].Place = 18, "x_test.go:12"
	test.Failures = []*finding.Failure{{Signature: "s", Frame: here, Runs: make([]int, 19)}, {Signature: "s, else", Frame: here, Runs: make([]int, 30)}}
	if got := experimentsDiffer(test); got != "" {
		t.Errorf("49 of 50 failed there in two wordings: %q", got)
	}
	test.Verdicts[0].Proof.Confirmed.Plain.Failed, list[0].Provoked = 12, "stall"
	if got := experimentsDiffer(test); got != "" {
		t.Errorf("a provoked run counts: %q", got)
	}
}

// TestValuesDiffer has 8 failing and 42 passing runs, and what became of those that recorded
// values: 50 of 50, 30 of 50 (p = 9e-06) and 10 of 50 (p = 0.8) failed.
func TestValuesDiffer(t *testing.T) {
	list := runs(50, finding.Passed)
	for i := range 8 {
		list[i].Status = finding.Failed
	}
	for values, want := range map[finding.Outcomes]string{
		{Failed: 50}:             "In the runs that record values it never passed: it failed in 50 of 50, against 8 of 50 recorded runs. Values could not be compared.",
		{Failed: 30, Passed: 20}: "In the runs that record values it failed more often: in 30 of 50, against 8 of 50 recorded runs (Fisher's exact test: p = ",
		{Failed: 10, Passed: 40}: "",
		{}:                       "",
	} {
		test := &finding.Test{Name: "TestX", Runs: list, Failures: []*finding.Failure{{Runs: make([]int, 8), ForValues: values}}}
		if got := valuesDiffer(test); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%+v: %q", values, got)
		}
	}
}

// No p-value, no warning of chance and no curve where the failed check is entered.
func TestFailedCheckHasNoPValue(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	fail := test.Failures[0]
	fail.Frame = trace.Frame{File: "/home/gopher/m/rng/rng.go", Line: 12} // in the block of failing runs
	var b bytes.Buffer
	if err := Markdown(&b, f.result(test), test); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"p =", "(by chance", "behave the same up to step"} {
		if strings.Contains(b.String(), s) {
			t.Errorf("%q is said of the failed check", s)
		}
	}
}

// In result.json it says what the counts are of, if not of who went to fail_only.
func TestLoopJSON(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	d := test.Failures[0].Analysis.Chain[0]
	for _, tt := range []struct {
		loop *divergence.Loop
		want DocumentLoop
	}{
		{&divergence.Loop{Limit: 2}, DocumentLoop{Fewer: 2}},
		{&divergence.Loop{Limit: 3, More: true}, DocumentLoop{AtLeast: 3}},
		{&divergence.Loop{}, DocumentLoop{Never: true}},
	} {
		d.Loop, tt.loop.Header = tt.loop, int(d.LastCommon)
		var b bytes.Buffer
		if err := JSON(&b, f.result(test)); err != nil {
			t.Fatal(err)
		}
		doc, err := ReadJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		got := *doc.Tests[0].Failures[0].Divergences[0].Loop
		if at := got.At; at == nil || *at != (DocumentRange{"rng/rng.go", 9, 9}) {
			t.Errorf("at %+v", at)
		}
		if got.At = nil; got != tt.want {
			t.Errorf("got %+v, want %+v", got, tt.want)
		}
	}
}

// retired are sentences that were false of some runs, and what they claimed.
var retired = map[string]string{
	"That is where the failure was decided":   "one step was decisive; what was known is that runs of either outcome leave each other there",
	"changes the risk of failure":             "nothing separates the runs, where 77 of 80 fail whatever they do",
	"the risk of failure grows":               "likewise",
	"with the failing run, ":                  "runs that share a step, when all had run its line",
	"It is so in ":                            "all failing runs, when only those that hung had been looked at",
	"did not go the failing way either":       "failing runs were there, which may never have come there",
	"only in passing runs, ":                  "failing runs never run the line, when they do so earlier or later",
	"only in failing runs, ":                  "likewise",
	"the very lines that passing run":         "failing runs do what one passing run did, whatever they had skipped",
	"the failing runs did what passing run":   "all failing runs did, of which one had been compared",
	"No branch separates failing from":        "whatever differs, passing runs do as well",
	"No branch in this goroutine decided it":  "a decision",
	"There the check passed in passing runs":  "no news",
	"Let that goroutine say that it is done":  "a goroutine that never ends can be waited for",
	"was found to predict the outcome up":     "a branch that some failing runs take, and no passing run, and that is listed above",
	"No branch predicts the outcome":          "likewise",
	"nothing was left to be tried":            "all that can be tried, when experiments look at what the hints name",
	"passed in every run.":                    "tests passed in runs that died before them",
	"where passing runs do not":               "no passing run goes that way, when they do in other goroutines, or at another pass",
	"the recorded times do not tell which":    "in no run, when in some of them they do",
	"not run by the end":                      "a goroutine had not run a line, which it had run another time",
	"to the failed check; the last one is at": "one divergence leads to another",
	"not found to predict the outcome":        "iterations of a loop before it do, where an edge that was seen to tell the runs apart is shown and they are not counted",
}

// The retired sentences are on no page and in no source that writes one.
func TestRetired(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "testdata/golden/*", "../templates/*.html"} {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, list...)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "diff.go" || strings.HasSuffix(file, "diff.html") {
			continue // coverage profiles do have lines of one outcome only
		}
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for s := range retired {
			if bytes.Contains(data, []byte(s)) {
				t.Errorf("%s has %q", file, s)
			}
		}
	}
}

// Of a subtest that starts no goroutine the others run the same code: what is said is said of its own goroutine. Of a
// test that nobody runs beside it need not be.
func TestSubtestIsNotAlone(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	v := newViewer(f.result(test))
	v.t, v.f = test, test.Failures[0]
	d := v.f.Analysis.Chain[0]
	v.f.Analysis.Alone = true
	for name, want := range map[string]string{"TestZeroOrOne": "All 50 runs behave the same until ", "TestZeroOrOne/small": "In the test's own goroutine, all 50 runs behave the same until "} {
		test.Name = name
		if got := v.until(d, v.event(d.LastCommon)).Plain(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
