package stored

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
	"github.com/fdebug/fdebug/internal/session"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/report"
	"golang.org/x/tools/cover"
)

// A Diff compares coverage profiles of passing and failing runs. Set the fields, and call Run.
type Diff struct {
	*session.Console
	Command    []string // as typed, for the report
	Version    string   // of fdebug
	Pass, Fail []string // globs
	Out        string   // the file of the report
}

func (j *Diff) Run() error {
	pass, err := readProfiles("-pass", j.Pass)
	if err != nil {
		return err
	}
	fail, err := readProfiles("-fail", j.Fail)
	if err != nil {
		return err
	}
	diff, err := divergence.Diff(pass, fail)
	if err != nil {
		return err
	}
	dirs := j.packageDirs(diff)
	d := &report.CoverageDiff{
		Diff: diff, Command: j.Command, Version: j.Version,
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
	if err := createFile(j.Out, func(w io.Writer) error { return report.DiffHTML(w, d) }); err != nil {
		return err
	}
	j.print(diff)
	return nil
}

// readProfiles reads the profiles that the globs match, one set for each file.
func readProfiles(flag string, globs []string) ([][]*cover.Profile, error) {
	var sets [][]*cover.Profile
	for _, g := range globs {
		names, err := []string{g}, error(nil)
		if _, gone := os.Stat(g); gone != nil { // a name that is no file's is a pattern
			names, err = filepath.Glob(g)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", flag, g, err)
		}
		if len(names) == 0 {
			return nil, advice.With(fmt.Errorf("%s %s: no such files", flag, g),
				"profiles are what go test -coverprofile=FILE writes")
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
func (j *Diff) packageDirs(d *divergence.CoverDiff) map[string]string {
	dirs := make(map[string]string)
	args := []string{"list", "-e", "-json=ImportPath,Dir", "--"}
	for _, f := range d.Files {
		if p := path.Dir(f.Name); !slices.Contains(args, p) {
			args = append(args, p)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = j.Chdir
	out, err := cmd.Output()
	if err != nil {
		j.Warnf("the source is not shown: go list: %v", err)
		return dirs
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Dir string }
		if err := dec.Decode(&p); err != nil {
			if !errors.Is(err, io.EOF) {
				j.Warnf("go list: %v", err)
			}
			return dirs
		}
		if p.Dir != "" {
			dirs[p.ImportPath] = p.Dir
		}
	}
}

// print writes the lines that correlate best with failure to stdout.
func (j *Diff) print(d *divergence.CoverDiff) {
	fmt.Fprintf(j.Stdout, "%d passing and %d failing runs\n", d.Pass, d.Fail)
	for _, f := range d.Suspects(10) {
		for _, l := range f.Lines {
			fmt.Fprintf(j.Stdout, "%.2f  %s:%d  in %d failing and %d passing runs\n", l.Ochiai, f.Name,
				l.Line, l.Fail, l.Pass)
		}
	}
	fmt.Fprintln(j.Stdout, j.Out)
}
