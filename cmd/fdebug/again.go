package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
)

// options returns what a rerun under the same conditions needs.
func (j *runJob) options() report.Options {
	s := j.sel
	o := report.Options{
		C: j.app.dir, Out: j.out, Packages: j.patterns,
		Run: s.Run, Skip: s.Skip, Shuffle: s.Shuffle, Parallel: j.parallel, CPU: s.CPU, Args: s.Extra,
	}
	if dir := j.absDir(); !sameDir(dir, j.plan.Sites.Root) {
		o.Dir = dir
	}
	for _, flag := range j.build {
		o.Flags = append(o.Flags, strings.TrimSuffix(flag, "=true"))
	}
	text := func(name, value string) {
		if value != "" {
			o.Flags = append(o.Flags, "-"+name+"="+value)
		}
	}
	text("vet", j.vet)
	text("overlay", j.overlay)
	for _, p := range j.instrument {
		text("instrument", p)
	}
	if s.Timeout > 0 {
		text("timeout", s.Timeout.String())
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"parallel", s.Parallel}, {"count", s.Count}} {
		if f.value > 0 {
			text(f.name, strconv.Itoa(f.value))
		}
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"short", s.Short}, {"failfast", s.FailFast}, {"fullpath", s.FullPath}, {"generated", j.generated}} {
		if f.on {
			o.Flags = append(o.Flags, "-"+f.name)
		}
	}
	return o
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// alone returns a -run pattern with which a test was seen to fail: of it alone if
// no other test ran in the process, of its top-level test if only subtests of that
// did; "" if others ran each time, since it may need them to fail.
func alone(u *runner.Unit) string {
	if u.Test == "" {
		return ""
	}
	best := ""
	for _, r := range u.Runs {
		if !r.Status.Failing() {
			continue
		}
		switch only := onlyRan(r.Run, u.Test); {
		case only == u.Test:
			return report.RunPattern(u.Test)
		case only != "":
			best = report.RunPattern(only)
		}
	}
	return best
}

// onlyRan returns test if a run had no other tests but its own subtests and those
// it is part of, its top-level test if it had only subtests of that, else "".
func onlyRan(run *runner.Run, test string) string {
	only := test
	for _, o := range run.Outcomes {
		switch {
		case o.Test == "" || o.Test == test || strings.HasPrefix(o.Test, test+"/") || strings.HasPrefix(test, o.Test+"/"):
		case topOf(o.Test) == topOf(test):
			only = topOf(test)
		default:
			return ""
		}
	}
	return only
}

// failingSeed returns the seed of the first failure of the most frequent kind.
func failingSeed(u *runner.Unit) string {
	if len(u.Groups) == 0 {
		return ""
	}
	return u.Groups[0].Runs[0].Run.Shuffle
}
