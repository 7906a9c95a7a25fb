package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/shard"
)

// shardFlags say which part of the runs is made here.
type shardFlags struct {
	text string // -shard as typed; "" for the whole
	blob string // -blob

	hunt bool // trials of a hunt are divided instead of runs
	part shard.Part
	run  string // of the executor
	// attempt is the executor's; 0 if it does not say.
	attempt int
	facts   []shard.Fact // once they are known
}

// shardDir is where blobs go by default, below the output directory.
const shardDir = "shards"

func (s *shardFlags) flags(fs *flagSet) {
	fs.StringVar(&s.text, "shard", "", "")
	fs.StringVar(&s.blob, "blob", "", "")

}

// divideRuns makes the session make the runs of this shard.
func (j *runJob) divideRuns() {
	s := &j.shard
	if s.part.Of == 0 {
		return
	}
	j.Has = s.part.Has
	// Control runs need binaries without probes, and so does a second stage, to list the tests.
	j.NoPlain = j.next == "" && (s.hunt || s.part.Count(j.Plain) == 0)
}

// checkShard finds out which shard this is, and refuses what can't be divided.
func (j *runJob) checkShard() error {
	s := &j.shard
	s.hunt = s.hunt || j.next != "" // runs have no numbers then
	if s.text == "" {
		if s.blob != "" {
			return advice.With(advice.Usagef("-blob without -shard"), "a blob is what one of several shards leaves: -shard 3/20")
		}
		return nil
	}
	part, executor, err := shard.Parse(s.text, j.app.Getenv)
	var total *shard.TotalError
	switch {
	case errors.As(err, &total):
		return advice.With(advice.Usagef("-shard auto: %v", err), "say how many there are: -shard auto/20")
	case errors.Is(err, shard.ErrNoExecutor):
		return advice.With(advice.Usagef("-shard %s: %v", s.text, err), "in a matrix of GitHub Actions: -shard ${{ matrix.shard }}/20", "fdebug help shards lists the variables")
	case err != nil:
		return advice.Usagef("-shard %v", err)
	case !s.hunt && part.Count(j.N) == 0:
		return advice.With(advice.Usagef("-shard %v of %s: there is none for it", part, text.Plural(j.N, "run")), "runs are divided: there can be as many shards as runs (-n)")
	case j.flaky:
		return advice.With(advice.Usagef("-flaky and -shard exclude each other"), "each shard would choose tests from a history of its own")
	}
	for _, o := range j.ci.outputs {
		if o.name != "" {
			return advice.With(advice.Usagef("-%s and -shard exclude each other", o.flag), "fdebug merge -"+o.flag+" writes it of all shards")
		}
	}
	if executor != nil {
		j.app.Progressf("shard %v, by %s of %s", part, executor.Index, executor.Name)
	}
	s.part = part
	if err := s.checkBlob(); err != nil {
		return err
	}
	j.divideRuns()
	s.run, s.attempt = shard.Run(j.app.Getenv)
	return nil
}

// checkBlob refuses to replace a file with a blob, unless it is that of this shard.
func (s *shardFlags) checkBlob() error {
	if !s.taken() {
		return nil
	}
	what := "and is no blob"
	if part, ok := shard.PartIn(s.blob); ok {
		what = fmt.Sprintf("and is that of shard %v", part)
	}
	return advice.With(advice.Usagef("-blob %s: the file is there already, %s", s.blob, what),
		"-blob "+filepath.ToSlash(filepath.Dir(s.blob))+"/ names a directory, in which each shard has a file of its own", "or give each shard another name")
}

// taken reports whether the file of -blob exists and is not an earlier one of this shard.
func (s *shardFlags) taken() bool {
	info, err := os.Stat(s.blob)
	if s.blob == "" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	part, ok := shard.PartIn(s.blob)
	return !ok || part != s.part
}

// facts are what all shards of one run have in common.
func (j *runJob) facts() ([]shard.Fact, error) {
	if j.shard.facts != nil {
		return j.shard.facts, nil
	}
	sites, err := shard.SitesHash(j.Plan.Sites)
	if err != nil {
		return nil, err
	}
	o, tc := j.Options(), j.Plan.Toolchain
	list := []shard.Fact{
		{Name: "fdebug", Value: version()}, {Name: "go", Value: tc.GOVERSION}, {Name: "platform", Value: tc.GOOS + "/" + tc.GOARCH},
		{Name: "module", Value: j.Plan.Sites.Module}, {Name: "commit", Value: j.Origin.Commit}, {Name: sourceFact, Value: shard.SourcesHash(j.Plan.Sites, j.Source)},
		{Name: "sites", Value: sites}, {Name: "flags", Value: short(o.Flags)},
		{Name: "tests", Value: short([]string{fmt.Sprintf("-run=%q -skip=%q -shuffle=%q -cpu=%q %q", o.Run, o.Skip, o.Shuffle, o.CPU, o.Args)})},
		{Name: "packages", Value: short(j.importPaths())},
		{Name: "-n", Value: fmt.Sprint(j.N)}, {Name: "-plain", Value: fmt.Sprint(j.Plain)},
	}
	if j.Seed == 0 {
		j.Seed = shard.SeedFor(j.shard.run, list, j.shard.part.Of)
	}
	if j.shard.hunt {
		list = append(list, shard.Fact{Name: "command", Value: "hunt"})
	}
	j.shard.facts = append(list, shard.Fact{Name: "-seed", Value: fmt.Sprint(j.Seed)})
	return j.shard.facts, nil
}

// short joins a list, and replaces the end of a long one with a hash.
func short(list []string) string {
	const most = 4000
	if text := strings.Join(list, " "); len(text) <= most {
		return text
	}
	return fmt.Sprintf("%d, %s", len(list), session.HashText(list))
}

// sourceFact is the name of the fact that identifies the source of shards.
const sourceFact = "source"

func (j *runJob) importPaths() (list []string) {
	for _, p := range j.Plan.Packages {
		list = append(list, p.ImportPath)
	}
	return list
}

// runShard makes the runs of one shard and writes its blob. Only a merge of all shards can say
// what they mean.
func (j *runJob) runShard(ctx context.Context) (int, error) {
	h, err := j.header()
	if err != nil {
		return exitTrouble, err
	}
	results, err := j.Execute(ctx, j.ci.event)
	if results == nil {
		return exitTrouble, j.ExplainRun(err)
	}
	h.count(results)
	file, werr := j.writeBlob(h, results)
	if werr != nil {
		return exitTrouble, errors.Join(err, werr)
	}
	os.RemoveAll(j.Dir) // the blob has everything
	s := &summary{app: j.app, results: results}
	broken := s.printBroken()
	s.printWarnings(j.app.Stdout)
	fmt.Fprintf(j.app.Stdout, "shard %v: %s of %s, %d failed; seed %d\n%s\n", j.shard.part, text.Plural(h.Runs, "run"), text.Plural(len(results.Packages), "package"), h.Failed, j.Seed, j.app.Show(file))
	switch {
	case results.Interrupted:
		return exitInterrupted, nil
	case err != nil:
		return exitTrouble, j.ExplainRun(err)
	case broken != nil:
		return exitTrouble, broken
	}
	return exitOK, nil
}

// A shardHeader is filled in as more is known.
type shardHeader struct{ shard.Header }

// header says which shard this is, and of what whole.
func (j *runJob) header() (*shardHeader, error) {
	facts, err := j.facts()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	return &shardHeader{shard.Header{
		Part: j.shard.part, Facts: facts, Attempt: max(j.shard.attempt, 1), Key: rand.Text(), Command: wholeCommand(j.app.command()),
		Host: host, CPUs: runtime.NumCPU(), Started: time.Now(), N: j.N, Controls: j.Plain, Root: j.Plan.Sites.Root, Modules: j.Plan.Modules, Origin: j.Origin, Bundle: j.BundleID, Notes: j.Notes(),
	}}, nil
}

func (h *shardHeader) count(results *runner.Results) {
	h.Started, h.Ended, h.Interrupted = results.Started, results.Started.Add(results.Elapsed), results.Interrupted
	for _, p := range results.Packages {
		for _, run := range slices.Concat(p.Runs, p.Controls) {
			h.Runs++
			if run.Failed() {
				h.Failed++
			}
		}
	}
}

// writeBlob writes the blob and returns its name.
func (j *runJob) writeBlob(h *shardHeader, results *runner.Results) (string, error) {
	file := j.blobName(h)
	return file, shard.Write(file, &h.Header, j.Dir, results, j.Plan.Sites, j.Source)
}

// blobName returns the path of the blob. An earlier attempt at the same shard is kept.
func (j *runJob) blobName(h *shardHeader) string {
	dir := filepath.Join(j.Store.Dir, shardDir)
	if name := j.shard.blob; name != "" {
		info, err := os.Stat(name)
		isDir := err == nil && info.IsDir() || os.IsPathSeparator(name[len(name)-1])
		switch {
		case isDir:
			dir = name
		case !j.shard.taken():
			return name
		default: // another shard has written it since this one began
			dir = filepath.Dir(name)
		}
	}
	for ; ; h.Attempt++ {
		if name := filepath.Join(dir, h.FileName()); !exists(name) {
			return name
		}
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// wholeCommand returns a command line without what makes it a shard.
func wholeCommand(args []string) []string {
	var list []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(list, args[i:]...)
		}
		name, _, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !strings.HasPrefix(args[i], "-") || name != "shard" && name != "blob" {
			list = append(list, args[i])
		} else if !joined {
			i++
		}
	}
	return list
}

// again is the command that makes one shard of a whole.
func again(e *shard.Entry, i int) string {
	seed := ""
	for _, f := range e.Facts {
		if f.Name == "-seed" && !slices.ContainsFunc(e.Command, func(arg string) bool { return strings.HasPrefix(strings.TrimLeft(arg, "-"), "seed") }) {
			seed = " -seed " + f.Value
		}
	}
	return fmt.Sprintf("%s%s -shard %v", strings.Join(e.Command, " "), seed, shard.Part{I: i, Of: cmp.Or(e.Part.Of, 1)})
}
