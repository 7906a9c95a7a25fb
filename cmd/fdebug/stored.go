package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/stored"
)

func (a *app) reportCmd(args []string) (int, error) {
	fs := newFlagSet("report")
	out := fs.String("o", "", "")
	note := fs.String("note", "", "")
	fs.BoolVar(&a.screen().Opens, "open", false, "")
	args, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) > 1 {
		return exit.Usage, advice.Usagef("report takes one run")
	}
	st := a.StoreIn(*out)
	dir, err := st.Find(firstArg(args))
	if err != nil {
		return exit.Trouble, session.ExplainNoRun(err)
	}
	return exit.Command(func(ctx context.Context) (int, error) { return stored.Report(ctx, a.screen(), dir, *note) })
}

func (a *app) issueCmd(args []string) (int, error) {
	fs := newFlagSet("issue")
	out := fs.String("o", "", "")
	a.briefFlag(fs)
	args, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) > 1 {
		return exit.Usage, advice.Usagef("issue takes one test")
	}
	dir, file, err := stored.FindReport(a.Console, a.StoreIn(*out), firstArg(args))
	if err != nil {
		return exit.Trouble, err
	}
	if b := a.screen().Brief; b != nil {
		d, err := stored.Result(dir)
		if err == nil {
			b.AddStored(d, file, a.Show(dir))
		}
		return exit.If(err != nil, exit.Trouble), err
	}
	text, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(file, ".html")+".md"))
	if err != nil {
		return exit.Trouble, err
	}
	fmt.Fprintf(a.Stdout, "%s", text)
	return exit.OK, nil
}

func (a *app) exportCmd(args []string) (int, error) {
	j := &stored.Export{Console: a.Console}
	fs := newFlagSet("export")
	fs.StringVar(&j.Out, "o", "", "")
	fs.StringVar(&j.Profile, "coverprofile", "", "")
	fs.StringVar(&j.Text, "text", "", "")
	args, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) != 1 || j.Profile == "" && j.Text == "" {
		return exit.Usage, advice.With(advice.Usagef("export needs a run and what to write"),
			"fdebug export -coverprofile c.out 3")
	}
	if err := j.Run(args[0]); err != nil {
		return exit.Trouble, err
	}
	return exit.OK, nil
}
