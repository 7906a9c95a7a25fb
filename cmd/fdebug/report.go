package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

func (a *app) reportCmd(args []string) (int, error) {
	fs := newFlagSet("report")
	out := fs.String("o", "", "")
	note := fs.String("note", "", "")
	fs.BoolVar(&a.opens, "open", false, "")
	args, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) > 1 {
		return exitUsage, advice.Usagef("report takes one run")
	}
	if err := a.checkOpen(); err != nil {
		return exitUsage, err
	}
	st := a.store(*out)
	dir, err := st.Find(firstArg(args))
	if err != nil {
		return exitTrouble, explainNoRun(err)
	}
	return a.rerender(dir, *note)
}

// rerender writes the reports of a run again from its stored traces.
func (a *app) rerender(dir, note string) (int, error) {
	notes, err := readNote(note)
	if err != nil {
		return exitUsage, err
	}
	results, err := runner.Load(dir)
	if err != nil {
		return exitTrouble, err
	}
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		return exitTrouble, err
	}
	an := &analyze.Analyzer{Dir: dir, Sites: sites, Notes: notes, Warnf: a.Warnf}
	if err := an.Meta.ReadFile(dir); err != nil {
		return exitTrouble, err
	}
	result, err := an.Result(context.Background(), results)
	if err != nil {
		return exitTrouble, err
	}
	if err := an.Complete(context.Background(), result); err != nil {
		return exitTrouble, err
	}
	files, err := a.write(an, result)
	if err != nil {
		return exitTrouble, err
	}
	s := summary{app: a, result: result, results: results, files: files, dir: a.Show(dir), options: an.Meta.Options}
	code, err := s.print()
	a.openReport(dir, result, files)
	return code, err
}

// store returns the store in dir, or the one of the module around the working
// directory.
func (a *app) store(dir string) store.Store {
	if dir != "" {
		return store.Store{Dir: dir}
	}
	start, err := filepath.Abs(a.Chdir)
	if err != nil {
		start = a.Chdir
	}
	for d := start; ; d = filepath.Dir(d) {
		if info, err := os.Stat(filepath.Join(d, store.Name)); err == nil && info.IsDir() {
			return store.Store{Dir: filepath.Join(d, store.Name)}
		}
		if d == filepath.Dir(d) {
			return store.Store{Dir: filepath.Join(start, store.Name)}
		}
	}
}

func explainNoRun(err error) error {
	return advice.With(err, "fdebug run ./... -n 50 makes one; -o DIR says where it is if not in .fdebug")
}

func firstArg(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// readNote returns the content of the user's note.
func readNote(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", advice.Usagef("-note: %v", err)
	}
	return string(data), nil
}

// write writes the reports, and says which of their source could not be kept. It returns the
// names of the test pages.
func (a *app) write(an *analyze.Analyzer, r *finding.Result) (map[*finding.Test]string, error) {
	addEarlier(an, r)
	if _, err := report.WriteDir(an.Dir, r); err != nil {
		return nil, err
	}
	if err := an.KeepErr(); err != nil {
		a.Warnf("the source that the reports show is not kept for later: %v", err)
	}
	return report.FileNames(r), nil
}
