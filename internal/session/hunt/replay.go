package hunt

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// writeReplays writes a replay file for each catch, beside its report and with the same name.
func (j *Hunt) writeReplays(list []*Catch, result *finding.Result, files map[*finding.Test]string) error {
	used := make(map[string]bool)
	for _, c := range list {
		for t, name := range files {
			if t.Package == c.Test.Lab.Target.ImportPath && (t.Name == c.Finding.Sig.Test || c.page == "" && trace.TopTest(t.Name) == c.Finding.Test) {
				c.page = name
			}
		}
		if c.Finding.Always {
			continue // it fails by itself
		}
		base := cmp.Or(c.page, text.DirName(path.Base(c.Test.Lab.Target.ImportPath)+"."+c.Finding.Test))
		name := base
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		used[name] = true
		c.Replay = name + proof.Suffix
		if err := c.Proof().WriteFile(filepath.Join(j.Dir, c.Replay)); err != nil {
			return err
		}
	}
	return nil
}

// Proof is the content of the replay file.
func (c *Catch) Proof() *proof.Proof {
	return c.Test.Lab.Proof(c.Test.Search, c.Finding)
}
