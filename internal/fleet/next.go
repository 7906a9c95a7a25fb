package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

// itemsOf returns the items to confirm: the flaky tests of runs, with the hints that comparing these
// gave.
func itemsOf(an *analyze.Analyzer, result *finding.Result, runs *runner.Results) []experiment.Item {
	var items []experiment.Item
	for _, t := range session.FlakyTests(runs) {
		items = append(items, experiment.Item{
			Package: t.Pkg.ImportPath, Test: t.Name, Natural: t.Fail,
			Hints: an.Hints(result, t.Pkg.ImportPath, t.Name), Recorded: analyze.Recorded(t.Pkg, t.Name),
		})
	}
	return items
}

// writeTask writes what to confirm, for -next, and says how to do that.
func (j *Merge) writeTask(items []experiment.Item) error {
	first := j.set.First()
	if j.Next == "" || first.Next != "" {
		return nil
	}
	t := &shard.Task{Bundle: first.Bundle, Build: make(map[string]string), Command: first.Command, Items: items}
	if t.Items == nil {
		t.Items = []experiment.Item{}
	}
	for _, f := range first.Facts {
		if slices.Contains(stages, f.Name) {
			t.Build[f.Name] = f.Value
		}
	}
	if err := t.WriteFile(j.Next); err != nil {
		return err
	}
	w := j.Stdout
	if len(items) == 0 {
		fmt.Fprintf(w, "nothing is to be confirmed, as %s says\n", j.Next)
		return nil
	}
	fmt.Fprintf(w, "%s to be confirmed: %s\n    %s -next %s -shard 1/%d\n", text.Plural(len(items), "failure"), j.Next,
		strings.Join(first.Command, " "), j.Next, min(len(items), j.set.Of))
	return nil
}

// mergeConfirmed merges what shards have confirmed.
func (j *Merge) mergeConfirmed(ctx context.Context, notes string) (int, error) {
	if j.Next != "" {
		return exit.Usage, advice.With(advice.Usagef("-next: these shards have confirmed already what was to be"),
			"fdebug merge without -next reports on it")
	}
	tests, complete, runs, failed := 0, 0, 0, 0
	for _, e := range j.set.Entries {
		tests, complete, runs, failed = tests+e.Tests, complete+e.Complete, runs+e.Runs, failed+e.Failed
	}
	w := j.Stdout
	fmt.Fprintf(w, "%s looked into in %s of %s\n", text.Plural(tests, "failure"), text.Plural(runs, "run"),
		text.Plural(len(j.set.Entries), "shard"))
	if complete < tests {
		fmt.Fprintf(w, "Not everything was tried for %d of them: -budget gives more time.\n", tests-complete)
	}
	if failed == 0 {
		for _, text := range j.warnings() {
			fmt.Fprintln(w, text)
		}
		fmt.Fprintln(w, "none was confirmed: what failed did so by chance, or does so rarely")
		return exit.OK, nil
	}
	return j.mergeRuns(ctx, notes)
}

// keepVerdicts keeps what the experiments of shards have shown, with the replay files of the run
// directory.
func (j *Merge) keepVerdicts(m *shard.Merger) error {
	if len(m.Verdicts) == 0 {
		return nil
	}
	list := make([]analyze.TestVerdict, len(m.Verdicts))
	for i, data := range m.Verdicts {
		if err := json.Unmarshal(data, &list[i]); err != nil {
			return fmt.Errorf("%s of a shard: %w", analyze.VerdictsName, err)
		}
		for k := range list[i].Verdicts {
			v := &list[i].Verdicts[k]
			name := path.Base(filepath.ToSlash(v.Proof.Replay))
			if v.Proof.Replay = ""; slices.Contains(m.Replays, name) {
				v.Proof.Replay = j.Show(filepath.Join(j.store.Dir, "latest", name))
			}
		}
	}
	for _, name := range m.Replays {
		if _, err := proof.Read(filepath.Join(j.dir, name)); err != nil {
			return errors.Join(errors.New("of a shard"), err)
		}
	}
	return analyze.WriteVerdicts(j.dir, list)
}
