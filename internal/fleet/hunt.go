package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
)

// PrepareHunt makes a hunt that is prepared the part of this shard. It reports whether it is one, for which what earlier
// hunts have found out does not count.
func (s *Shard) PrepareHunt(ctx context.Context, x *hunt.Hunt) (part bool, err error) {
	if s.Part.Of == 0 {
		return false, nil
	}
	x.Share = func(hash uint64) bool { return s.Part.Has(int(hash%uint64(s.Part.Of)) + 1) }
	s.Origin = s.OriginHere(ctx).Or(provenance.FromEnv(s.Getenv))
	x.Known = filepath.Join(x.Work, "hunt") // that lasts as long as this process
	if err := os.MkdirAll(x.Known, 0o777); err != nil {
		return true, err
	}
	s.head, err = s.header()
	return true, err
}

// Hunt makes this shard's part of the trials, and writes its blob.
func (s *Shard) Hunt(ctx context.Context, x *hunt.Hunt) (int, error) {
	s.head.Started = time.Now()
	if err := x.Within(ctx); err != nil && ctx.Err() == nil {
		return exit.Trouble, err
	}
	s.head.Ended, s.head.Interrupted = time.Now(), exit.IsInterrupted(ctx)
	if err := s.writeTrials(x); err != nil {
		return exit.Trouble, err
	}
	switch {
	case s.head.Interrupted:
		return exit.Interrupted, nil
	case len(x.Untested) > 0:
		return exit.Trouble, fmt.Errorf("%s could not be tested", text.Plural(len(x.Untested), "package"))
	}
	return exit.OK, nil
}

// writeTrials writes the blob with the trials of a hunt, and says what is in it.
func (s *Shard) writeTrials(x *hunt.Hunt) error {
	h := s.head
	h.Facts = append(h.Facts, shard.Fact{Name: "binaries", Value: binaries(x)})
	for _, p := range x.Tests {
		h.Tests++
		h.Runs += p.Search.Runs()
		if p.Result != nil {
			h.Failed += p.Result.Failed + p.Result.Plain.Failed
		}
		if p.Result.Done() {
			h.Complete++
		}
	}
	file := s.blobName(h)
	if err := shard.WriteHunt(file, h, x.Known); err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "shard %v: %s of %s, %d failed; seed %d\n", h.Part, text.Plural(h.Runs, "run"),
		text.Plural(h.Tests, "test"), h.Failed, s.Seed)
	if h.Complete < h.Tests {
		fmt.Fprintf(s.Stdout, "Not everything was tried for %d of them within %v: -budget gives more time.\n",
			h.Tests-h.Complete, s.Budget.Whole)
	}
	fmt.Fprintln(s.Stdout, s.Show(file))
	return nil
}

// binaries identifies builds, because what is known about one is not true for another.
func binaries(x *hunt.Hunt) string {
	var list []string
	seen := make(map[*session.Lab]bool)
	for _, p := range x.Tests {
		if !seen[p.Lab] {
			seen[p.Lab] = true
			list = append(list, p.Lab.Build+" "+p.Lab.Flags())
		}
	}
	slices.Sort(list) // each shard has its own order of tests, the quick ones first
	return hashText(list)
}

// mergeHunt merges what the shards of a hunt know, for a hunt to continue with.
func (j *Merge) mergeHunt() (int, error) {
	known := filepath.Join(j.store.Dir, "hunt")
	if err := j.store.Make(); err != nil {
		return exit.Trouble, err
	}
	lock, err := store.Exclusive(known)
	if errors.Is(err, store.ErrInUse) {
		return exit.Trouble, advice.With(fmt.Errorf("a hunt is under way in %s", j.Show(j.store.Dir)),
			"-o DIR takes another place")
	} else if err != nil {
		return exit.Trouble, err
	}
	defer lock.Release()
	var logs []*shard.LogMerger
	err = j.set.MergeHunt(known, func(file string, header []byte) (shard.Logs, error) {
		var h experiment.Header
		if err := json.Unmarshal(header, &h); err != nil {
			return nil, err
		}
		m, err := shard.NewLogMerger(file, h)
		logs = append(logs, m)
		return m, err
	})
	if err != nil {
		return exit.Trouble, err
	}
	runs, failed, plain := 0, 0, 0
	for _, m := range logs {
		runs, failed, plain = runs+m.Runs, failed+m.Failed, plain+m.Plain
	}
	j.concludeHunt(runs, failed)
	return exit.Of(exit.If(plain > 0, exit.Flaky)), nil
}

// concludeHunt says what the merged logs contain, and which command examines it.
func (j *Merge) concludeHunt(runs, failed int) {
	w := j.Stdout
	for _, text := range j.warnings() {
		fmt.Fprintln(w, text)
	}
	partly := 0
	for _, e := range j.set.Entries {
		if e.Complete < e.Tests {
			partly++
		}
	}
	fmt.Fprintf(w, "%s of %s, %d failed: nothing is proved by that.\n", text.Plural(runs, "run"),
		text.Plural(len(j.set.Entries), "shard"), failed)
	if partly > 0 {
		fmt.Fprintf(w, "%s did not come to all of their part: -budget gives more time.\n", text.Plural(partly, "shard"))
	}
	fmt.Fprintf(w, "To look into them, on a machine with the same build: %s\n", strings.Join(j.set.First().Command, " "))
}
