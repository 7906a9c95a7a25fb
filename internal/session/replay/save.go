package replay

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/proof"
)

// saved is the directory of replay files that are committed, in that of a package.
const saved = "testdata/fdebug"

// save writes the replay file beside the test, to be committed: without what only its run knew.
func (j *Job) save() error {
	p := *j.r
	p.Message, p.Replay, p.Report = p.Signature.Message, "", ""
	p.Found, p.Runs, p.Kept, p.Took = 0, 0, 0, 0
	for _, flag := range slices.Concat(p.Build.Flags, p.Tests.Args) {
		if filepath.IsAbs(flag[strings.LastIndexByte(flag, '=')+1:]) {
			return fmt.Errorf("%s is a path of this machine: the replay file is not saved", flag)
		}
	}
	name := filepath.Join(j.target().Dir, filepath.FromSlash(saved), filepath.Base(j.file))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if err := p.WriteFile(name); err != nil {
		return err
	}
	fmt.Fprintf(j.Stdout, "saved: %s\n", j.Show(name))
	return nil
}

// IsCommitted reports whether a replay file lies where they are committed.
func IsCommitted(name string) bool {
	return strings.HasSuffix(filepath.ToSlash(filepath.Dir(name)), "/"+saved) && strings.HasSuffix(name, proof.Suffix)
}

// Committed returns the replay files that are committed in a directory of packages or, with a pattern that ends in ...,
// below it.
func Committed(dir, pattern string) (files []string, err error) {
	top, all := strings.CutSuffix(pattern, "...")
	top = filepath.Join(dir, top)
	err = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err == nil && IsCommitted(name) && (all || filepath.Dir(name) == filepath.Join(top, saved)) {
			files = append(files, name)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = advice.With(fmt.Errorf("no replay file in %s of %s", saved, pattern), "fdebug replay -save TEST writes one")
	}
	return files, err
}

// WithoutEdit leaves out of a judgement what could only be said of an edit: the code before it is not kept with the
// proof.
func (g *Judgement) WithoutEdit() {
	g.Conditions = slices.DeleteFunc(g.Conditions, func(c Condition) bool {
		return c.Is == Open && (c.Name == "bites" || c.Name == "edit")
	})
}
