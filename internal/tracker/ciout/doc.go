// Package ciout writes what a run found in the formats of CI systems. These are JUnit XML,
// CTRF, GitLab's code quality report, and a summary in Markdown. It also writes events like
// those of go test -json, and annotations of GitHub Actions.
//
// The outcome of each test in JUnit XML and CTRF is
//
//	it passed in each execution                passed
//	it passed and failed                       flakyFailure; passed, with flaky set
//	it failed in each that it did not skip     failure; failed
//	fdebug made it fail, which else passes     flakyFailure; passed, with flaky set
//	it skipped itself in each                  skipped
//	its package could not be tested            error; failed
//
// Executions are those with the recorder and the control runs without. A test that
// failed only because a subtest did has no outcome of its own, as in reports.
//
// # Hostile text
//
// Names, messages and output come from code under test. They are bounded, valid for the
// format and without terminal escapes. Home directories become "~". Values of environment
// variables that are named like secrets are left out.
package ciout
