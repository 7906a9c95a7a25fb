package main

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// writeReplays writes a replay file for each catch, beside its report and with the same name.
func (j *huntJob) writeReplays(list []*catch, result *finding.Result, files map[*finding.Test]string) error {
	used := make(map[string]bool)
	for _, c := range list {
		for t, name := range files {
			if t.Package == c.prey.lab.Target.ImportPath && (t.Name == c.f.Sig.Test || c.page == "" && trace.TopTest(t.Name) == c.f.Test) {
				c.page = name
			}
		}
		if c.f.Always {
			continue // it fails by itself
		}
		base := cmp.Or(c.page, text.DirName(path.Base(c.prey.lab.Target.ImportPath)+"."+c.f.Test))
		name := base
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		used[name] = true
		c.replay = name + session.ReplaySuffix
		if err := j.describe(c).WriteFile(filepath.Join(j.Dir, c.replay)); err != nil {
			return err
		}
	}
	return nil
}

// describe makes the replay file's content.
func (j *huntJob) describe(c *catch) *proof.Proof {
	r := c.prey.exp.Proof(c.f)
	j.Complete(r, c.prey.lab)
	return r
}
