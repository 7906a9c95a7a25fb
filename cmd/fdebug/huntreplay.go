package main

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

const replaySuffix = ".replay.json"

// writeReplays writes a replay file for each catch, beside its report and named as that.
func (j *huntJob) writeReplays(list []*catch, result *finding.Result, files map[*finding.Test]string) error {
	used := make(map[string]bool)
	for _, c := range list {
		for t, name := range files {
			if t.Package == c.prey.lab.target.ImportPath && (t.Name == c.f.Signature.Test || c.page == "" && trace.TopTest(t.Name) == c.f.Test) {
				c.page = name
			}
		}
		if c.f.Always {
			continue // it fails by itself
		}
		base := cmp.Or(c.page, dirName(path.Base(c.prey.lab.target.ImportPath)+"."+c.f.Test))
		name := base
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		used[name] = true
		c.replay = name + replaySuffix
		if err := j.describe(c).WriteFile(filepath.Join(j.dir, c.replay)); err != nil {
			return err
		}
	}
	return nil
}

// describe makes the replay file's content.
func (j *huntJob) describe(c *catch) *proof.Proof {
	r := c.prey.exp.Proof(c.f)
	j.complete(r, c.prey.lab)
	return r
}

// complete sets what the experimenter does not know of a replay.
func (j *runJob) complete(r *proof.Proof, l *lab) {
	m := j.meta()
	r.Fdebug, r.Go, r.Platform = m.Version, m.Go, j.plan.Toolchain.GOOS+"/"+j.plan.Toolchain.GOARCH
	r.Module, r.Package = j.plan.Sites.Module, l.target.ImportPath
	r.Logs = l.exec.Logs()
	r.Build = proof.BuildInfo{
		Flags: append(j.userFlags(), j.addedFlags()...), Patterns: j.importPatterns(), Instrument: j.instrument, Generated: j.generated, Hash: l.build,
	}
}

// importPatterns returns the patterns of packages as import paths, which mean the same
// in any directory. Blocks are numbered over all of them.
func (j *runJob) importPatterns() []string {
	rel, err := filepath.Rel(j.plan.Sites.Root, j.absDir())
	if err != nil {
		return nil
	}
	var list []string
	for _, p := range j.patterns {
		if p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
			p = path.Join(j.plan.Sites.Module, filepath.ToSlash(rel), p)
		}
		list = append(list, p)
	}
	return list
}
