// Package ciout writes what a run found as CI systems read it: JUnit XML, CTRF, events
// like those of go test -json, annotations of GitHub Actions, GitLab's code quality
// report, and a summary in Markdown.
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
// failed only where a subtest of it did has no outcome of its own, as in reports.
//
// # Hostile text
//
// Names, messages and output come from code under test. They are bounded, without
// terminal escapes, valid for the format, with home directories as "~" and without the
// values of environment variables that are named like secrets.
package ciout
