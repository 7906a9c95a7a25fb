package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/ciout"
	"github.com/fdebug/fdebug/trace"
)

// A Merge puts together what shards have left. Set the fields of the first part, and call Run.
type Merge struct {
	*session.Console
	Screen  *terminal.Screen
	Out     string   // directory for results; "" for the store of the module
	Keep    int      // how many runs the store keeps
	Partial bool     // merge what there is
	Note    string   // file with the user's note; "" for none
	Args    []string // blobs, or directories with blobs
	CI      ciout.Job
	// Remember adds a run directory with these runs to the history, and reports whether old runs may
	// be removed.
	Remember func(ctx context.Context, s store.Store, dir string, runs *runner.Results) bool

	store store.Store
	set   *shard.Set
	dir   string // of the new run
	meta  analyze.Meta
	sites *trace.Sites
}

// gcMerging is how much garbage may pile up, in percent of the memory in use. With very many runs
// that is much, and nothing else is waiting for a processor.
const gcMerging = 20

func (j *Merge) Run(ctx context.Context) (int, error) {
	debug.SetGCPercent(gcMerging)
	notes, err := session.ReadNote(j.Note)
	if err != nil {
		return exit.Usage, err
	}
	if err := j.CI.Begin(); err != nil {
		return exit.Usage, err
	}
	j.store = j.StoreIn(j.Out)
	j.store.Keep = j.Keep
	if err := j.choose(); err != nil {
		return exit.Trouble, err
	}
	return j.mergeRuns(ctx, notes)
}

// mergeRuns makes the run directory, and reports on it.
func (j *Merge) mergeRuns(ctx context.Context, notes string) (int, error) {
	lock, err := j.merge(ctx)
	if lock != nil {
		defer lock.Release()
	}
	if err != nil {
		return exit.Trouble, err
	}
	return j.report(ctx, notes)
}

// choose finds the blobs that make up the whole, and says what is wrong with others.
func (j *Merge) choose() error {
	args := j.Args
	if len(args) == 0 {
		args = []string{filepath.Join(j.store.Dir, shardDir)}
	}
	files, err := shard.Files(args)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return advice.With(fmt.Errorf("no blobs in %s", j.Show(strings.Join(args, ", "))),
			"each shard leaves one: fdebug run ./... -n 2000 -shard 3/20",
			"name the files, or a directory that they are in or below")
	} else if err != nil {
		return err
	}
	j.set = shard.Choose(files)
	list := j.complaints()
	for _, text := range list {
		fmt.Fprintf(j.Stderr, "fdebug: %s\n", text)
	}
	switch {
	case len(j.set.Entries) == 0:
		return fmt.Errorf("none of %s is a blob that can be merged", text.Plural(len(files), "file"))
	case j.set.Whole() || j.Partial:
		return nil
	}
	hints := []string{"-partial merges what there is"}
	if len(j.set.Missing) > 0 {
		hints = append(hints, "a shard can be made again, on any machine: "+again(j.set.First(), j.set.Missing[0]))
	}
	return advice.With(fmt.Errorf("not merged: %d of %d shards are here and complete",
		len(j.set.Entries)-len(j.set.Interrupted()), j.set.Of), hints...)
}

// complaints lists what is missing, and why files are not merged.
func (j *Merge) complaints() (list []string) {
	for _, p := range j.set.Problems {
		list = append(list, fmt.Sprintf("%s: %s", j.Show(p.File), p.What))
	}
	if n := len(j.set.Missing); n > 0 {
		list = append(list, fmt.Sprintf("missing: %s of %d: %s", text.Plural(n, "shard"), j.set.Of,
			ranges(j.set.Missing)))
	}
	for _, e := range j.set.Interrupted() {
		list = append(list, fmt.Sprintf("%s: %s was interrupted after %s", j.Show(e.File), e.Describe(),
			text.Plural(e.Runs, "run")))
	}
	return list
}

// ranges formats sorted numbers as "3, 7-9".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		part := fmt.Sprint(list[i])
		if k > i {
			part = fmt.Sprintf("%d-%d", list[i], list[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	return strings.Join(parts, ", ")
}

// merge makes the run directory.
func (j *Merge) merge(ctx context.Context) (*store.Lock, error) {
	j.store.Sweep()
	dir, err := j.store.Create(time.Now())
	if err != nil {
		return nil, err
	}
	j.dir = dir
	lock, _ := store.LockDir(dir) // not all file systems have locks
	if err = j.fill(ctx); err != nil {
		os.RemoveAll(dir) // otherwise it would look like the newest run
	}
	return lock, err
}

func (j *Merge) fill(ctx context.Context) error {
	parallel, err := j.readMeta()
	if err != nil {
		return err
	}
	m := &shard.Merger{Set: j.set, Dir: j.dir, Warnings: append(j.warnings(), j.set.First().Notes...)}
	j.Progressf("merging %s", text.Plural(len(j.set.Entries), "blob"))
	if err := m.Merge(ctx, parallel); err != nil {
		return err
	}
	if j.sites, err = trace.ReadSites(filepath.Join(j.dir, "sites.json")); err != nil {
		return err
	}
	j.meta.Module = j.moduleHere()
	return j.meta.WriteFile(j.dir)
}

// readMeta makes the meta data of the whole from those of a shard.
func (j *Merge) readMeta() (parallel int, err error) {
	data, err := j.set.Meta()
	if err == nil {
		err = json.Unmarshal(data, &j.meta)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: meta.json: %w", j.set.First().File, err)
	}
	first := j.set.First()
	j.meta.Command, j.meta.Key, j.meta.Origin, j.meta.Elsewhere = first.Command, j.set.Key(), &first.Origin, true
	j.meta.Options.Out = j.Out
	names, least, most := j.set.Hosts()
	if len(names) > 1 || least != most {
		system, _, _ := strings.Cut(j.meta.Platform, ",")
		cpus := text.Plural(most, "CPU")
		if least != most {
			cpus = fmt.Sprintf("%d to %d CPUs", least, most)
		}
		j.meta.Platform = fmt.Sprintf("%s, %s of %s each", system, text.Plural(len(names), "machine"), cpus)
	}
	return max(j.meta.Options.Parallel, 1), nil
}

// warnings are what a reader of the report must know about what is missing.
func (j *Merge) warnings() []string {
	if j.set.Whole() {
		return nil
	}
	var list []string
	if n := len(j.set.Missing); n > 0 {
		list = append(list, fmt.Sprintf("%s of %d missing: %s", text.Plural(n, "shard"), j.set.Of,
			ranges(j.set.Missing)))
	}
	for _, e := range j.set.Interrupted() {
		list = append(list, fmt.Sprintf("shard %v was interrupted after %s", e.Part, text.Plural(e.Runs, "run")))
	}
	return list
}

// moduleHere returns the directory of the module that the shards were built from, if the module
// around the working directory has the same source; else "".
func (j *Merge) moduleHere() string {
	want := ""
	for _, f := range j.set.First().Facts {
		if f.Name == sourceFact {
			want = f.Value
		}
	}
	start, err := filepath.Abs(j.Chdir)
	if err != nil {
		return ""
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "go.mod")) {
			got := shard.SourcesHash(j.sites, func(name string) ([]byte, error) {
				return analyze.ReadSource(filepath.Join(dir, filepath.FromSlash(name)))
			})
			if got == want {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// report compares the runs and writes what one machine would have written.
func (j *Merge) report(ctx context.Context, notes string) (int, error) {
	an := &analyze.Analyzer{Dir: j.dir, Notes: notes, Warnf: j.Warnf}
	j.Progressf("comparing")
	result, results, err := an.Read(ctx)
	if err != nil {
		return exit.Trouble, err
	}
	s := terminal.Summary{
		Screen: j.Screen, Result: result, Results: results, Dir: j.Show(filepath.Join(j.store.Dir, "latest")),
		Options: j.meta.Options, Interrupted: ctx.Err() != nil,
	}
	code, err := s.Report(ctx, an, func() error {
		j.publish(ctx, results)
		for _, w := range j.warnings() {
			fmt.Fprintln(j.Stdout, w)
		}
		return nil
	})
	report := ciout.New(result, ciout.Suites(result, results), s.Nothing(result.Executions))
	return j.CI.Finish(report, code, err)
}

// publish makes the merged run the latest one, and adds it to the history.
func (j *Merge) publish(ctx context.Context, results *runner.Results) {
	if err := j.store.SetLatest(j.dir); err != nil {
		j.Warnf("%v", err)
	}
	if !j.Remember(ctx, j.store, j.dir, results) {
		return
	}
	if err := j.store.Prune(); err != nil {
		j.Warnf("%v", err)
	}
}
