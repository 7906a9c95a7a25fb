package main

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
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/shard"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace"
)

// A mergeJob is `fdebug merge` from its flags to its reports.
type mergeJob struct {
	app     *app
	out     string
	keep    int
	partial bool
	note    string
	next    string // -next: the file for what to confirm
	ci      ciJob
	args    []string

	store store.Store
	set   *shard.Set
	dir   string // of the new run
	meta  analyze.Meta
	sites *trace.Sites
}

// gcMerging is how much garbage may pile up, in percent of the memory in use. With very many runs
// that is much, and nothing else is waiting for a processor.
const gcMerging = 20

func (a *app) mergeCmd(args []string) (int, error) {
	j := &mergeJob{app: a}
	fs := newFlagSet("merge")
	fs.StringVar(&j.out, "o", "", "")
	fs.IntVar(&j.keep, "keep", store.Keep, "")
	fs.BoolVar(&j.partial, "partial", false, "")
	fs.StringVar(&j.note, "note", "", "")
	fs.StringVar(&j.next, "next", "", "")
	fs.StringVar(&a.Chdir, "C", a.Chdir, "")
	a.dbFlag(fs)
	j.ci.app = a
	j.ci.flags(fs)
	var err error
	if j.args, err = fs.parse(args); err != nil {
		return exitUsage, err
	}
	if j.keep < 1 {
		return exitUsage, keepError(j.keep)
	}
	if err := a.checkDB(); err != nil {
		return exitUsage, err
	}
	return j.run()
}

func (j *mergeJob) run() (int, error) {
	debug.SetGCPercent(gcMerging)
	notes, err := readNote(j.note)
	if err != nil {
		return exitUsage, err
	}
	if err := j.ci.begin(); err != nil {
		return exitUsage, err
	}
	j.store = j.app.store(j.out)
	j.store.Keep = j.keep
	if err := j.choose(); err != nil {
		return exitTrouble, err
	}
	switch first := j.set.First(); {
	case first.Hunt:
		return j.mergeHunt()
	case first.Next != "":
		return j.mergeConfirmed(notes)
	}
	return j.mergeRuns(notes)
}

// mergeRuns makes the run directory, and reports on it.
func (j *mergeJob) mergeRuns(notes string) (int, error) {
	lock, err := j.merge()
	if lock != nil {
		defer lock.Release()
	}
	if err != nil {
		return exitTrouble, err
	}
	return j.report(notes)
}

// choose finds the blobs that make up the whole, and says what is wrong with others.
func (j *mergeJob) choose() error {
	args := j.args
	if len(args) == 0 {
		args = []string{filepath.Join(j.store.Dir, shardDir)}
	}
	files, err := shard.Files(args)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return advice.With(fmt.Errorf("no blobs in %s", j.app.Show(strings.Join(args, ", "))), "each shard leaves one: fdebug run ./... -n 2000 -shard 3/20",
			"name the files, or a directory that they are in or below")
	} else if err != nil {
		return err
	}
	j.set = shard.Choose(files)
	list := j.complaints()
	for _, text := range list {
		fmt.Fprintf(j.app.Stderr, "fdebug: %s\n", text)
	}
	switch {
	case len(j.set.Entries) == 0:
		return fmt.Errorf("none of %s is a blob that can be merged", text.Plural(len(files), "file"))
	case j.set.Whole() || j.partial:
		return nil
	}
	hints := []string{"-partial merges what there is"}
	if len(j.set.Missing) > 0 {
		hints = append(hints, "a shard can be made again, on any machine: "+again(j.set.First(), j.set.Missing[0]))
	}
	return advice.With(fmt.Errorf("not merged: %d of %d shards are here and complete", len(j.set.Entries)-len(j.set.Interrupted()), j.set.Of), hints...)
}

// complaints lists what is missing, and why files are not merged.
func (j *mergeJob) complaints() (list []string) {
	for _, p := range j.set.Problems {
		list = append(list, fmt.Sprintf("%s: %s", j.app.Show(p.File), p.What))
	}
	if n := len(j.set.Missing); n > 0 {
		list = append(list, fmt.Sprintf("missing: %s of %d: %s", text.Plural(n, "shard"), j.set.Of, ranges(j.set.Missing)))
	}
	for _, e := range j.set.Interrupted() {
		list = append(list, fmt.Sprintf("%s: %s was interrupted after %s", j.app.Show(e.File), e.Describe(), text.Plural(e.Runs, "run")))
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
func (j *mergeJob) merge() (*store.Lock, error) {
	j.store.Sweep()
	dir, err := j.store.Create(time.Now())
	if err != nil {
		return nil, err
	}
	j.dir = dir
	lock, _ := store.LockDir(dir) // not all file systems have locks
	if err = j.fill(); err != nil {
		os.RemoveAll(dir) // otherwise it would look like the newest run
	}
	return lock, err
}

func (j *mergeJob) fill() error {
	parallel, err := j.readMeta()
	if err != nil {
		return err
	}
	m := &shard.Merger{Set: j.set, Dir: j.dir, Warnings: append(j.warnings(), j.set.First().Notes...)}
	j.app.Progressf("merging %s", text.Plural(len(j.set.Entries), "blob"))
	if err := m.Merge(parallel); err != nil {
		return err
	}
	if err := j.keepVerdicts(m); err != nil {
		return err
	}
	if j.sites, err = trace.ReadSites(filepath.Join(j.dir, "sites.json")); err != nil {
		return err
	}
	j.meta.Module = j.moduleHere()
	return j.meta.WriteFile(j.dir)
}

// readMeta makes the meta data of the whole from those of a shard.
func (j *mergeJob) readMeta() (parallel int, err error) {
	data, err := j.set.Meta()
	if err == nil {
		err = json.Unmarshal(data, &j.meta)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: meta.json: %w", j.set.First().File, err)
	}
	first := j.set.First()
	j.meta.Command, j.meta.Key, j.meta.Origin, j.meta.Elsewhere = first.Command, j.set.Key(), &first.Origin, true
	j.meta.Options.Out = j.out
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
func (j *mergeJob) warnings() []string {
	if j.set.Whole() {
		return nil
	}
	var list []string
	if n := len(j.set.Missing); n > 0 {
		list = append(list, fmt.Sprintf("%s of %d missing: %s", text.Plural(n, "shard"), j.set.Of, ranges(j.set.Missing)))
	}
	for _, e := range j.set.Interrupted() {
		list = append(list, fmt.Sprintf("shard %v was interrupted after %s", e.Part, text.Plural(e.Runs, "run")))
	}
	return list
}

// moduleHere returns the directory of the module that the shards were built from, if the module
// around the working directory has the same source; else "".
func (j *mergeJob) moduleHere() string {
	want := ""
	for _, f := range j.set.First().Facts {
		if f.Name == sourceFact {
			want = f.Value
		}
	}
	start, err := filepath.Abs(j.app.Chdir)
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
func (j *mergeJob) report(notes string) (int, error) {
	results, err := runner.Load(j.dir)
	if err != nil {
		return exitTrouble, err
	}
	an := &analyze.Analyzer{Dir: j.dir, Sites: j.sites, Meta: j.meta, Notes: notes, Warnf: j.app.Warnf}
	j.app.Progressf("comparing")
	result, err := j.compare(an, results)
	if err != nil {
		return exitTrouble, err
	}
	s := summary{
		app: j.app, result: result, results: results, dir: j.app.Show(filepath.Join(j.store.Dir, "latest")), options: j.meta.Options,
	}
	if s.files, err = j.app.write(an, result); err != nil {
		s.print()
		return j.ci.finish(ciout.New(result, results), exitTrouble, err)
	}
	j.publish(results)
	if err := j.writeTask(itemsOf(an, result, results)); err != nil {
		return exitTrouble, err
	}
	for _, w := range j.warnings() {
		fmt.Fprintln(j.app.Stdout, w)
	}
	code, err := s.print()
	report := ciout.New(result, results)
	report.Nothing = s.nothing(result.Executions)
	return j.ci.finish(report, code, err)
}

func (j *mergeJob) compare(an *analyze.Analyzer, results *runner.Results) (*finding.Result, error) {
	ctx := context.Background()
	result, err := an.Result(ctx, results)
	if err != nil {
		return nil, err
	}
	return result, an.Complete(ctx, result)
}

// publish makes the merged run the latest one, and adds it to the history.
func (j *mergeJob) publish(results *runner.Results) {
	if err := j.store.SetLatest(j.dir); err != nil {
		j.app.Warnf("%v", err)
	}
	if !j.app.rememberRuns(j.store, j.dir, results) {
		return
	}
	if err := j.store.Prune(); err != nil {
		j.app.Warnf("%v", err)
	}
}
