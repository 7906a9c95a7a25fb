package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/text"
)

// A hunt with -next is the second stage of a hunt whose trials, or of a run whose runs, were
// divided. It only examines what failed there. Now the failures are divided instead of the runs
// of a confirmation, which are made in turn, on one machine.

// ReadTask reads the file of -next.
func (s *Shard) ReadTask() (err error) {
	if s.Next == "" {
		return nil
	}
	s.task, err = shard.ReadTask(s.Next)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, shard.ErrNotTask),
		errors.Is(err, shard.ErrTaskDamaged):
		return advice.With(err, "fdebug merge -next "+s.Next+" writes it, of what shards have left")
	case err != nil:
		return err
	}
	if s.task.Bundle != "" && s.BundleFile == "" {
		return advice.With(fmt.Errorf("%s is of a bundle, %.12s", s.Next, s.task.Bundle),
			"-bundle FILE says which file that is")
	}
	return nil
}

// itemsOf returns the items of a package that are confirmed here.
func (s *Shard) itemsOf(importPath string) (mine []*experiment.Item) {
	for i := range s.task.Items {
		if x := &s.task.Items[i]; x.Package == importPath && s.Part.Has(i+1) {
			mine = append(mine, x)
		}
	}
	return mine
}

// stages are the facts that both stages have in common.
var stages = []string{"fdebug", "go", "platform", "module", sourceFact, "sites", "flags", "tests"}

// checkTask refuses a task from another build, because its positions would differ.
func (s *Shard) checkTask(ctx context.Context) error {
	if s.task == nil {
		return nil
	}
	if s.Packed.ID != s.task.Bundle {
		return fmt.Errorf("%s is of bundle %s, and this is %s", s.Next, orNone(s.task.Bundle), orNone(s.Packed.ID))
	}
	s.Origin = s.OriginHere(ctx).Or(provenance.FromEnv(s.Getenv))
	facts, err := s.facts()
	if err != nil {
		return err
	}
	for _, f := range facts {
		if want := s.task.Build[f.Name]; slices.Contains(stages, f.Name) && f.Value != want {
			return advice.With(fmt.Errorf("%s is of another build: %s is %s there, and %s here", s.Next, f.Name,
				orNone(text.Clip(want, 80)), orNone(text.Clip(f.Value, 80))),
				"both stages want the same source, Go, fdebug and flags")
		}
	}
	for _, x := range s.task.Items {
		if !slices.Contains(s.importPaths(), x.Package) {
			return advice.With(fmt.Errorf("%s has a failure of package %s, which is not among those here", s.Next,
				x.Package), "name the same packages as in the first stage")
		}
	}
	hash, err := session.HashFile(s.Next)
	s.common = append(facts, shard.Fact{Name: "-next", Value: hash})
	return err
}

func orNone(text string) string { return cmp.Or(text, "none") }

// cameTo is the phrase for the number of failures with a verdict.
func cameTo(n int) string {
	if n == 1 {
		return "1 came to a verdict"
	}
	return fmt.Sprintf("%d came to a verdict", n)
}

// writeConfirmed writes the blob with the confirmations, and says how many there are. It has a run
// directory of their runs, with verdicts and replay files. Runs are numbered as parts of a whole.
func (s *Shard) writeConfirmed(ctx context.Context, x *hunt.Hunt) error {
	if err := s.MakeRunDir(ctx); err != nil {
		return err
	}
	defer os.RemoveAll(s.Dir) // the blob has everything
	list := slices.DeleteFunc(x.Catches(), func(c *hunt.Catch) bool { return c.Finding.Always })
	results, err := x.Results(x.Dir, list, nil)
	if err != nil {
		return err
	}
	if err := runner.Save(s.Dir, results); err != nil {
		return err
	}
	h := s.head
	h.Next, h.N, h.Controls = s.common[len(s.common)-1].Value, 1, 0
	h.Tests, h.Complete, h.Runs = x.Tally()
	for _, p := range results.Packages {
		for _, run := range p.Runs {
			h.N = max(h.N, run.N)
			if run.Failed() {
				h.Failed++
			}
		}
	}
	an := s.Analyzer("")
	result, err := an.Result(ctx, results) // after that it knows the source
	if err != nil {
		return err
	}
	var kept []analyze.TestVerdict
	for i, c := range list {
		v := c.Told(result)
		name := fmt.Sprintf("%s-%d%s", text.TestFile(v.Package, v.Test), s.Part.Nth(i+1), proof.Suffix)
		if err := s.KeepProof(ctx, an, v, name, name); err != nil {
			return err
		}
		kept = append(kept, *v)
	}
	if err := analyze.WriteVerdicts(s.Dir, kept); err != nil {
		return err
	}
	file, err := s.writeBlob(h, results)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "shard %v: %s looked into in %s, %s\n%s\n", h.Part, text.Plural(h.Tests, "failure"),
		text.Plural(h.Runs, "run"), cameTo(len(list)), s.Show(file))
	return nil
}
