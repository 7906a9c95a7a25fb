// Package fleet divides a run among machines. A [Shard] makes a part of it and leaves a blob, a [Merge]
// puts blobs together, and a [Bundle] has the tests for machines that can't build them.
package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/text"
)

// A Shard is the part of a run that is made here. Set the fields of the first part and call Check, then Run.
type Shard struct {
	*session.Session
	Text string // -shard as typed; "" for the whole
	Blob string // -blob: file, or directory, for what the shard leaves; "" for one in the store

	// Found out on the way.
	Part shard.Part
	run  string // of the executor
	// attempt is the executor's; 0 if it does not say.
	attempt int
	common  []shard.Fact // what all shards have in common, once it is known
}

// shardDir is where blobs go by default, below the output directory.
const shardDir = "shards"

// Check finds out which shard this is, and refuses what can't be divided.
func (s *Shard) Check() error {
	if s.Text == "" {
		if s.Blob != "" {
			return advice.With(advice.Usagef("-blob without -shard"),
				"a blob is what one of several shards leaves: -shard 3/20")
		}
		return nil
	}
	part, executor, err := shard.Parse(s.Text, s.Getenv)
	var total *shard.TotalError
	switch {
	case errors.As(err, &total):
		return advice.With(advice.Usagef("-shard auto: %v", err), "say how many there are: -shard auto/20")
	case errors.Is(err, shard.ErrNoExecutor):
		return advice.With(advice.Usagef("-shard %s: %v", s.Text, err),
			"in a matrix of GitHub Actions: -shard ${{ matrix.shard }}/20", "fdebug help shards lists the variables")
	case err != nil:
		return advice.Usagef("-shard %v", err)
	case part.Count(s.N) == 0:
		return advice.With(advice.Usagef("-shard %v of %s: there is none for it", part, text.Plural(s.N, "run")),
			"runs are divided: there can be as many shards as runs (-n)")
	}
	if executor != nil {
		s.Progressf("shard %v, by %s of %s", part, executor.Index, executor.Name)
	}
	s.Part = part
	if err := s.checkBlob(); err != nil {
		return err
	}
	s.Has = part.Has
	s.run, s.attempt = shard.Run(s.Getenv)
	return nil
}

// checkBlob refuses to replace a file with a blob, unless it is that of this shard.
func (s *Shard) checkBlob() error {
	if !s.taken() {
		return nil
	}
	what := "and is no blob"
	if part, ok := shard.PartIn(s.Blob); ok {
		what = fmt.Sprintf("and is that of shard %v", part)
	}
	return advice.With(advice.Usagef("-blob %s: the file is there already, %s", s.Blob, what),
		"-blob "+filepath.ToSlash(filepath.Dir(s.Blob))+
			"/ names a directory, in which each shard has a file of its own", "or give each shard another name")
}

// taken reports whether the file of -blob exists and is not an earlier one of this shard.
func (s *Shard) taken() bool {
	info, err := os.Stat(s.Blob)
	if s.Blob == "" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	part, ok := shard.PartIn(s.Blob)
	return !ok || part != s.Part
}

// facts are what all shards of one run have in common.
func (s *Shard) facts() ([]shard.Fact, error) {
	if s.common != nil {
		return s.common, nil
	}
	sites, err := shard.SitesHash(s.Plan.Sites)
	if err != nil {
		return nil, err
	}
	o, tc := s.Options(), s.Plan.Toolchain
	list := []shard.Fact{
		{Name: "fdebug", Value: s.Version}, {Name: "go", Value: tc.GOVERSION},
		{Name: "platform", Value: tc.GOOS + "/" + tc.GOARCH},
		{Name: "module", Value: s.Plan.Sites.Module}, {Name: "commit", Value: s.Origin.Commit},
		{Name: sourceFact, Value: shard.SourcesHash(s.Plan.Sites, s.Source)},
		{Name: "sites", Value: sites}, {Name: "flags", Value: short(s.flags())},
		{Name: "tests", Value: short([]string{fmt.Sprintf("-run=%q -skip=%q -shuffle=%q -cpu=%q %q", o.Run, o.Skip,
			o.Shuffle, o.CPU, o.Args)})},
		{Name: "packages", Value: short(s.importPaths())},
		{Name: "-n", Value: fmt.Sprint(s.N)}, {Name: "-plain", Value: fmt.Sprint(s.Plain)},
	}
	if s.Seed == 0 {
		s.Seed = shard.SeedFor(s.run, list, s.Part.Of)
	}
	s.common = append(list, shard.Fact{Name: "-seed", Value: fmt.Sprint(s.Seed)})
	return s.common, nil
}

// flags returns those that the tests are built and run with. Where a bundle lies is no matter.
func (s *Shard) flags() []string {
	flags := s.Options().Flags
	if !s.Builds() {
		return append(s.BuiltWith(), flags...)
	}
	return flags
}

// short joins a list, and replaces the end of a long one with a hash.
func short(list []string) string {
	const most = 4000
	if text := strings.Join(list, " "); len(text) <= most {
		return text
	}
	return fmt.Sprintf("%d, %s", len(list), hashText(list))
}

// sourceFact is the name of the fact that identifies the source of shards.
const sourceFact = "source"

func (s *Shard) importPaths() (list []string) {
	for _, p := range s.Plan.Packages {
		list = append(list, p.ImportPath)
	}
	return list
}

// Run makes the runs of one shard and writes its blob. Only a merge of all shards can say
// what they mean.
func (s *Shard) Run(ctx context.Context, screen *terminal.Screen, event func(runner.Event)) (int, error) {
	h, err := s.header()
	if err != nil {
		return exit.Trouble, err
	}
	results, err := s.Execute(ctx, event)
	if results == nil {
		return exit.Trouble, s.ExplainRun(err)
	}
	h.Count(results)
	file, werr := s.writeBlob(h, results)
	if werr != nil {
		return exit.Trouble, errors.Join(err, werr)
	}
	os.RemoveAll(s.Dir) // the blob has everything
	sum := &terminal.Summary{Screen: screen, Results: results}
	broken := sum.PrintBroken()
	sum.PrintWarnings(s.Stdout)
	fmt.Fprintf(s.Stdout, "shard %v: %s of %s, %d failed; seed %d\n%s\n", s.Part, text.Plural(h.Runs, "run"),
		text.Plural(len(results.Packages), "package"), h.Failed, s.Seed, s.Show(file))
	switch {
	case results.Interrupted:
		return exit.Interrupted, nil
	case err != nil:
		return exit.Trouble, s.ExplainRun(err)
	case broken != nil:
		return exit.Trouble, broken
	}
	return exit.OK, nil
}

// header says which shard this is, and of what whole.
func (s *Shard) header() (*shard.Header, error) {
	facts, err := s.facts()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	return &shard.Header{
		Part: s.Part, Facts: facts, Attempt: max(s.attempt, 1), Key: rand.Text(), Command: s.Command,
		Host: host, CPUs: runtime.NumCPU(), Started: time.Now(), N: s.N, Controls: s.Plain, Root: s.Plan.Sites.Root,
		Origin: s.Origin, Bundle: s.Packed.ID, Notes: s.Packed.Notes,
	}, nil
}

// writeBlob writes the blob and returns its name.
func (s *Shard) writeBlob(h *shard.Header, results *runner.Results) (string, error) {
	file := s.blobName(h)
	return file, shard.Write(file, h, s.Dir, results, s.Plan.Sites, s.Source)
}

// blobName returns the path of the blob. An earlier attempt at the same shard is kept.
func (s *Shard) blobName(h *shard.Header) string {
	dir := filepath.Join(s.Store.Dir, shardDir)
	if name := s.Blob; name != "" {
		info, err := os.Stat(name)
		isDir := err == nil && info.IsDir() || os.IsPathSeparator(name[len(name)-1])
		switch {
		case isDir:
			dir = name
		case !s.taken():
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

// WholeCommand returns a command line without what makes it a shard.
func WholeCommand(args []string) []string {
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
		if f.Name == "-seed" && !slices.ContainsFunc(e.Command, func(arg string) bool {
			return strings.HasPrefix(strings.TrimLeft(arg, "-"), "seed")
		}) {
			seed = " -seed " + f.Value
		}
	}
	return fmt.Sprintf("%s%s -shard %v", strings.Join(e.Command, " "), seed, shard.Part{I: i, Of: cmp.Or(e.Part.Of, 1)})
}

// hashText identifies a list of texts.
func hashText(list []string) string {
	sum := sha256.Sum256([]byte(strings.Join(list, "\x00")))
	return hex.EncodeToString(sum[:8])
}
