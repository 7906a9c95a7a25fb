package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/report"
	"golang.org/x/tools/cover"
)

// A diffJob is `fdebug diff`.
type diffJob struct {
	app        *app
	pass, fail listFlag // globs
	out        string
}

func (a *app) diffCmd(args []string) (int, error) {
	j := &diffJob{app: a}
	fs := newFlagSet("diff")
	fs.Var(&j.pass, "pass", "")
	fs.Var(&j.fail, "fail", "")
	fs.StringVar(&j.out, "o", "diff.html", "")
	fs.StringVar(&a.Chdir, "C", a.Chdir, "")
	args, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) > 0 || len(j.pass) == 0 || len(j.fail) == 0 {
		return exitUsage, advice.With(advice.Usagef("diff needs -pass and -fail, and nothing else"),
			"fdebug diff -pass 'ci/pass-*.out' -fail 'ci/fail-*.out' (with the quotes)")
	}
	if err := j.run(); err != nil {
		return exitTrouble, err
	}
	return exitOK, nil
}

func (j *diffJob) run() error {
	pass, err := readProfiles("-pass", j.pass)
	if err != nil {
		return err
	}
	fail, err := readProfiles("-fail", j.fail)
	if err != nil {
		return err
	}
	diff, err := divergence.Diff(pass, fail)
	if err != nil {
		return err
	}
	dirs := j.packageDirs(diff)
	d := &report.CoverageDiff{
		Diff: diff, Command: j.app.command(), Version: version(),
		Source: func(name string) ([]byte, error) {
			dir, ok := dirs[path.Dir(name)]
			if !ok {
				return nil, os.ErrNotExist
			}
			return analyze.ReadSource(filepath.Join(dir, path.Base(name)))
		},
	}
	d.Home, _ = os.UserHomeDir()
	d.Environ = os.Environ()
	if len(fail) == 1 {
		d.Warnings = append(d.Warnings, "only 1 failing run")
	}
	if len(pass) == 1 {
		d.Warnings = append(d.Warnings, "only 1 passing run")
	}
	if err := j.write(d); err != nil {
		return err
	}
	j.print(diff)
	return nil
}

// readProfiles reads the profiles that the globs match, one set for each file.
func readProfiles(flag string, globs []string) ([][]*cover.Profile, error) {
	var sets [][]*cover.Profile
	for _, g := range globs {
		names, err := filepath.Glob(g)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", flag, g, err)
		}
		if len(names) == 0 {
			return nil, advice.With(fmt.Errorf("%s %s: no such files", flag, g), "profiles are what go test -coverprofile=FILE writes")
		}
		for _, name := range names {
			profiles, err := cover.ParseProfiles(name)
			if err == nil {
				err = divergence.CheckProfiles(profiles)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: not a coverage profile: %w", name, err)
			}
			sets = append(sets, profiles)
		}
	}
	return sets, nil
}

// packageDirs asks the go command where the packages are. Those it does not know are shown
// without source.
func (j *diffJob) packageDirs(d *divergence.CoverDiff) map[string]string {
	dirs := make(map[string]string)
	args := []string{"list", "-e", "-json=ImportPath,Dir", "--"}
	for _, f := range d.Files {
		if p := path.Dir(f.Name); !slices.Contains(args, p) {
			args = append(args, p)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = j.app.Chdir
	out, err := cmd.Output()
	if err != nil {
		j.app.Warnf("the source is not shown: go list: %v", err)
		return dirs
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Dir string }
		if err := dec.Decode(&p); err != nil {
			if !errors.Is(err, io.EOF) {
				j.app.Warnf("go list: %v", err)
			}
			return dirs
		}
		if p.Dir != "" {
			dirs[p.ImportPath] = p.Dir
		}
	}
}

func (j *diffJob) write(d *report.CoverageDiff) error {
	f, err := os.Create(j.out)
	if err != nil {
		return err
	}
	if err := report.DiffHTML(f, d); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// print writes the lines that correlate best with failure to stdout.
func (j *diffJob) print(d *divergence.CoverDiff) {
	fmt.Fprintf(j.app.Stdout, "%d passing and %d failing runs\n", d.Pass, d.Fail)
	for _, f := range d.Suspects(10) {
		for _, l := range f.Lines {
			fmt.Fprintf(j.app.Stdout, "%.2f  %s:%d  in %d failing and %d passing runs\n", l.Ochiai, f.Name, l.Line, l.Fail, l.Pass)
		}
	}
	fmt.Fprintln(j.app.Stdout, j.out)
}
