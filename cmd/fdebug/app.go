package main

import (
	"errors"
	"flag"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/tracker"
)

// An app is one invocation of the program.
type app struct {
	*session.Console
	args []string // as typed, for the report

	shown *terminal.Screen // nil until [app.screen] makes it
	kept  *tracker.Keeper  // nil until [app.history] makes it
}

// A command is one subcommand.
type command struct {
	name    string
	summary string // one line for the overview
	// run does the work. It registers flags on fs and parses them by calling parse; it returns
	// the exit code.
	run func(a *app, args []string) (int, error)
}

func commands() []command {
	return []command{
		{"run", "run tests many times and report where failing runs diverge", (*app).runCmd},
		{"hunt", "make tests fail that pass: hold goroutines, pin random choices", (*app).huntCmd},
		{"replay", "make a test fail again that hunt has made fail", (*app).replayCmd},
		{"verify", "see whether the code of today still fails where it did", (*app).verifyCmd},
		{"fix", "try edits of the code, and print the first that ends the failure", (*app).fixCmd},
		{"merge", "put together what shards of a run have left, and report on it", (*app).mergeCmd},
		{"report", "write the reports of an earlier run again", (*app).reportCmd},
		{"history", "show how often tests fail over time, since when, and what is gone", (*app).historyCmd},
		{"import", "add results of go test -json or JUnit XML to the history", (*app).importCmd},
		{"serve", "show the history and stored reports in the browser", (*app).serveCmd},
		{"push", "add runs to a team's database, and their reports to a directory", (*app).pushCmd},
		{"issue", "print a flaky test's report as Markdown, for an issue", (*app).issueCmd},
		{"export", "turn the trace of one run into a coverage profile or text", (*app).exportCmd},
		{"build", "build tests to run elsewhere, in one file", (*app).buildCmd},
		{"gc", "remove old runs, and show what is stored", (*app).gcCmd},
		{"version", "print the version", (*app).versionCmd},
		{"help", "print help for a command", (*app).helpCmd},
	}
}

// screen returns where results are shown.
func (a *app) screen() *terminal.Screen {
	if a.shown == nil {
		a.shown = &terminal.Screen{Console: a.Console}
	}
	return a.shown
}

// history returns the keeper of the history.
func (a *app) history() *tracker.Keeper {
	if a.kept == nil {
		a.kept = &tracker.Keeper{Console: a.Console}
	}
	return a.kept
}

// main runs the program and returns its exit code.
func (a *app) main(args []string) int {
	out := a.Stdout // of a brief: what people read goes nowhere
	code, err := a.dispatch(args)
	a.Clear()
	if b := a.screen().Brief; b != nil && (b.Tests != nil || b.Said != "") {
		out.Write(b.Line())
	}
	if err != nil {
		a.PrintError(err)
	}
	return code
}

func (a *app) dispatch(args []string) (int, error) {
	args, err := a.takeC(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) == 0 {
		a.printHelp(a.Stderr, "fdebug")
		return exit.Usage, nil
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	c := commandNamed(name)
	if c == nil {
		return exit.Usage, a.unknownCommand(name)
	}
	code, err := c.run(a, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		a.printHelp(a.Stdout, c.name)
		return exit.OK, nil
	}
	return code, err
}

// commandNamed returns the command of that name, nil if there is none.
func commandNamed(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// takeC takes a leading -C dir, like the go command.
func (a *app) takeC(args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	name, value, joined := strings.Cut(strings.TrimPrefix(args[0], "-"), "=")
	if name != "-C" && name != "C" || !strings.HasPrefix(args[0], "-") {
		return args, nil
	}
	if joined {
		a.Chdir = value
		return args[1:], nil
	}
	if len(args) < 2 {
		return nil, advice.Usagef("-C needs a directory")
	}
	a.Chdir = args[1]
	return args[2:], nil
}

func (a *app) unknownCommand(name string) error {
	if instead := gone[name]; instead != "" {
		return advice.With(advice.Usagef("%s is no longer a command", name), instead)
	}
	if strings.HasPrefix(name, "-") {
		return advice.With(advice.Usagef("unknown flag %s", name),
			"flags stand after the command: fdebug run ./... -n 50")
	}
	hints := append(advice.DidYouMean(name, commandNames()), "fdebug help lists the commands")
	if strings.HasPrefix(name, ".") || strings.Contains(name, "/") {
		hints = []string{"to run the tests of a package: fdebug run " + name}
	}
	return advice.With(advice.Usagef("unknown command %q", name), hints...)
}

// command returns the command line as the user would type it, without passwords.
func (a *app) command() []string {
	if len(a.args) == 0 {
		return nil
	}
	return append([]string{"fdebug"}, tracker.RedactArgs(a.args[1:])...)
}
