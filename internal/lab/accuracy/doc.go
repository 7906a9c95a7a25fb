// Command accuracy measures how often the first suspect of a report is the cause.
//
// It does what fdebug run does with flaky programs whose cause is known. They are those in testdata/flaky and the
// packages of the module examples. truth.txt says for each which statements are the cause. They
// were written down, and committed, before fdebug ran on the program.
//
//	go run ./internal/lab/accuracy                  # all programs, 50 runs each; half an hour on two cores
//	go run ./internal/lab/accuracy -n 100 -only broker,journal,examples
//	go run ./internal/lab/accuracy -keep /tmp/acc   # keep reports and logs there
//	go run ./internal/lab/accuracy -keep /tmp/acc -again   # grade these runs again, after a change
//	go run ./internal/lab/accuracy -without order,draw     # grade recorded runs, with and without these rules
//	go run ./internal/lab/accuracy -without each           # without each rule in turn
//	go run ./internal/lab/accuracy -record internal/lab/accuracy/testdata/recorded -n 40
//
// # Recorded runs
//
// testdata/recorded has 40 runs of each program (package recorded). With these, tests of the
// findings do not depend on chance. TestRecorded compares them with recorded.golden, which
// -update rewrites. -record makes the files of programs that have none yet. It runs a copy in the
// directory flaky below the temporary directory, so that they contain no path of one machine's
// repository.
//
// # Injected flakes
//
// With -inject it measures on flakes that nobody can have made rules for. It edits public
// modules. A test that then fails sometimes is a flake whose cause is the edit. Package inject
// says how it does that, and how the results are graded. modules.txt lists the modules, which are
// downloaded. RESULTS.md has the results, and the directory results their raw rows.
//
//	go run ./internal/lab/accuracy -inject -seed 1 -keep /tmp/inject
//
// # Kept runs with experiments
//
// With -compare two fdebug commands compare the same run directories again, each in a copy. It prints the
// tests about which they say different things: whose cause is no longer first, or no longer in the list. -cases is a file
// with a line of JSON for each: where the run directory is, and what is known of the test (type kept). One command alone
// prints what it says. -rows keeps that, and the file then stands for the command.
//
//	go run ./internal/lab/accuracy -cases cases.jsonl -compare OLD -rows old.jsonl
//	go run ./internal/lab/accuracy -cases cases.jsonl -compare old.jsonl,NEW
//
// # How programs are graded
//
// A suspect is on the cause if one of its lines is a line of the cause, and it has no more than
// three lines. A suspect that points at a whole function says nothing. The table has for each
// program:
//
//	program        the program
//	failing        in how many runs its test failed
//	first suspect  what the report says to look at first
//	cause          "yes" if that is on the cause; otherwise what was wrong
//	rank           which of the at most five suspects is the first on the cause, "-" for none
//
// A second table has the results of experiments. It has the class and the kind of perturbation,
// the category, and whether that is the one in truth.txt. It says whether the first place of the
// list is on the cause, if an experiment is its evidence, and whether any place of at most ten
// lines that an experiment names is. It has how often the test failed with the perturbation and
// with nothing changed, and what that cost.
//
// A test that did not fail, or always failed, is not counted: there was nothing to find. A
// program without a cause never fails. Its grade is right if fdebug reports nothing.
//
// The exit status is 1 if fewer than -least percent of the first suspects are on the cause, 2 if
// something could not be run.
package main
