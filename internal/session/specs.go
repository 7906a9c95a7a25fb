package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace/instrument"
)

// Specs is what makes the specs of Ginkgo tests of their own.
type specs struct {
	suites  map[string]ginkgo.Suite // by import path
	overlay string                  // adds their files to the plain build; "" without suites
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
			return advice.With(fmt.Errorf("%s: %w", p.ImportPath, err), "Ginkgo v2 has specs that run alone: https://onsi.github.io/ginkgo/MIGRATING_TO_V2",
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
	return strings.Contains(pattern, suite+":") || strings.HasPrefix(strings.Replace(strings.TrimPrefix(pattern, "^"), "$", "", 1), suite+"/")
}

// addSpecs adds the files that tell of specs to a build with probes and to the plain one. They
// have no probes, so nothing was instrumented for them. out is a directory for them.
func (j *Session) addSpecs(plan *instrument.Plan, out string) error {
	plain, traced := make(map[string]string), make(map[string]string)
	for i, p := range plan.Packages {
		s, ok := j.specs.suites[p.ImportPath]
		if !ok {
			continue
		}
		for _, b := range []struct {
			probes bool
			added  map[string]string
		}{{false, plain}, {plan.Shadow != nil, traced}} {
			for name, text := range s.Files(b.probes) {
				file := filepath.Join(out, fmt.Sprintf("%d-%v-%s", i, b.probes, name))
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					return err
				}
				b.added[filepath.Join(p.Dir, name)] = file
			}
		}
	}
	if len(plain) == 0 {
		return nil
	}
	j.specs.overlay = filepath.Join(out, "specs.json")
	if err := j.addTo(j.ownOverlay(), j.specs.overlay, plain); err != nil {
		return err
	}
	return j.addTo(plan.Overlay, plan.Overlay, traced)
}

// ownOverlay returns the user's overlay, from a flag or from GOFLAGS; "" for none.
func (j *Session) ownOverlay() string {
	own := ""
	for _, flag := range strings.Fields(j.Plan.Toolchain.GOFLAGS) {
		if name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "="); name == "overlay" {
			own = value
		}
	}
	return cmp.Or(j.Overlay, own)
}

// addTo writes an overlay with more files than another one, "" for none.
func (j *Session) addTo(from, to string, files map[string]string) error {
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	if from != "" {
		if !filepath.IsAbs(from) {
			from = filepath.Join(j.AbsDir(), from)
		}
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &overlay); err != nil {
			return fmt.Errorf("overlay %s: %w", from, err)
		}
	}
	maps.Copy(overlay.Replace, files)
	data, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// flags returns the flag for the plain build.
func (s *specs) flags() []string {
	if s.overlay == "" {
		return nil
	}
	return []string{"-overlay=" + s.overlay}
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
	var list []string
	for _, name := range names {
		if name != suite.Test {
			list = append(list, name)
		}
	}
	for _, o := range run.Outcomes {
		if ginkgo.SuiteOf(o.Test) == suite.Test && o.Nth == 0 {
			list = append(list, o.Test)
		}
	}
	return list
}
