package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/internal/runner"
)

// Specs has the suites and files that make the specs of Ginkgo tests of their own.
type specs struct {
	suites map[string]ginkgo.Suite // by import path
	// The files that tell of specs, as runner.Build.Added has them: for a build without probes and
	// for one with them.
	plain, traced map[string]string
}

// findSuites finds the suites of Ginkgo among the packages.
func (j *Session) findSuites() error {
	j.specs.suites = make(map[string]ginkgo.Suite)
	built := make(map[string]bool) // files
	root := j.Plan.Sites.Root
	for _, f := range j.Plan.Sites.Files {
		built[j.Here(filepath.Join(root, filepath.FromSlash(f.Path)))] = true
	}
	for _, p := range j.Plan.Packages {
		s, err := ginkgo.Find(j.Here(p.Dir), func(file string) bool { return built[file] })
		switch {
		case errors.Is(err, ginkgo.ErrOld) && namesSpec(j.Sel.Run, s.Test):
			return advice.With(fmt.Errorf("%s: %w", p.ImportPath, err),
				"Ginkgo v2 has specs that run alone: https://onsi.github.io/ginkgo/MIGRATING_TO_V2",
				"-run '^"+s.Test+"$' runs the whole suite")
		case errors.Is(err, ginkgo.ErrOld):
			j.Warnf("%s: %v; with v2 each spec is a test", p.ImportPath, err)
		case err != nil:
			return err
		case s != ginkgo.Suite{}:
			j.specs.suites[p.ImportPath] = s
		}
	}
	return nil
}

// namesSpec reports whether a pattern of -run names a spec of a suite.
func namesSpec(pattern, suite string) bool {
	return strings.Contains(pattern, suite+":") ||
		strings.HasPrefix(strings.Replace(strings.TrimPrefix(pattern, "^"), "$", "", 1), suite+"/")
}

// addSpecs writes the files that tell of specs into a directory, for the builds. They have no
// probes.
func (j *Session) addSpecs(out string) error {
	j.specs.plain, j.specs.traced = make(map[string]string), make(map[string]string)
	for i, p := range j.Plan.Packages {
		s, ok := j.specs.suites[p.ImportPath]
		if !ok {
			continue
		}
		for probes, added := range map[bool]map[string]string{false: j.specs.plain, true: j.specs.traced} {
			for name, text := range s.Files(probes) {
				file := filepath.Join(out, fmt.Sprintf("%d-%v-%s", i, probes, name))
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					return err
				}
				added[filepath.Join(p.Dir, name)] = file
			}
		}
	}
	return nil
}

// withSpecs returns the names of tests, with the specs of a suite in its place. They are in the
// order of the source.
func (l *Lab) withSpecs(ctx context.Context, names []string) []string {
	suite, ok := l.Exec.Suites[l.Target.ImportPath]
	if !ok {
		return names
	}
	x := l.Exec
	x.Binary, x.Select = l.quickest(), runner.Selection{Run: "^" + suite.Test + "$", Extra: []string{"-ginkgo.dry-run"}}
	run, err := x.Run(ctx)
	if err != nil {
		return names
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == suite.Test })
	for _, o := range run.Outcomes {
		if ginkgo.SuiteOf(o.Test) == suite.Test && o.Nth == 0 {
			names = append(names, o.Test)
		}
	}
	return names
}
