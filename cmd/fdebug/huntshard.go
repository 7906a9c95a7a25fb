package main

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
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/shard"
	"github.com/fdebug/fdebug/internal/store"
)

// share returns which trials of a hunt are made here, or nil for all.
func (s *shardFlags) share() func(hash uint64) bool {
	if s.part.Of == 0 {
		return nil
	}
	return func(hash uint64) bool { return s.part.Has(int(hash%uint64(s.part.Of)) + 1) }
}

// prepareShard makes a directory for the results of this shard, and a seed that all shards share.
func (j *huntJob) prepareShard(ctx context.Context) error {
	j.Origin = j.OriginHere(ctx).Or(provenance.FromEnv(j.Getenv))
	if err := j.makeKnown(); err != nil {
		return err
	}
	var err error
	j.head, err = j.header()
	return err
}

// makeKnown makes a directory for results that lasts as long as this process.
func (j *huntJob) makeKnown() error {
	j.known = filepath.Join(j.Work, "hunt")
	return os.MkdirAll(j.known, 0o777)
}

// huntPart is hunt within the budget, for a blob. An interrupt is not an error.
func (j *huntJob) huntPart(ctx context.Context, began time.Time) error {
	j.show = &session.HuntProgress{Console: j.Console}
	j.deadline = began.Add(j.Budget.Whole)
	err := j.hunt(ctx)
	j.show.Clear()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// huntShard makes this shard's part of the trials and writes its blob.
func (j *huntJob) huntShard(ctx context.Context) (int, error) {
	began := time.Now()
	if err := j.huntPart(ctx, began); err != nil {
		return exitTrouble, err
	}
	h := j.head
	h.Started, h.Ended, h.Interrupted = began, time.Now(), ctx.Err() != nil
	h.Facts = append(h.Facts, shard.Fact{Name: "binaries", Value: j.binaries()})
	for _, p := range j.preys {
		h.Tests++
		h.Runs += p.exp.Runs()
		if p.res != nil {
			h.Failed += p.res.Failed + p.res.Plain.Failed
		}
		if p.res != nil && (p.res.Complete || p.res.NotRun) {
			h.Complete++
		}
	}
	file := j.blobName(h)
	if err := shard.WriteHunt(file, &h.Header, j.known); err != nil {
		return exitTrouble, err
	}
	fmt.Fprintf(j.Stdout, "shard %v: %s of %s, %d failed; seed %d\n", h.Part, text.Plural(h.Runs, "run"), text.Plural(h.Tests, "test"), h.Failed, j.Seed)
	if h.Complete < h.Tests {
		fmt.Fprintf(j.Stdout, "Not everything was tried for %d of them within %v: -budget gives more time.\n", h.Tests-h.Complete, j.Budget.Whole)
	}
	fmt.Fprintln(j.Stdout, j.app.Show(file))
	switch {
	case h.Interrupted:
		return exitInterrupted, nil
	case len(j.untested) > 0:
		return exitTrouble, fmt.Errorf("%s could not be tested", text.Plural(len(j.untested), "package"))
	}
	return exitOK, nil
}

// binaries identifies builds, because what is known about one is not true for another.
func (j *huntJob) binaries() string {
	var list []string
	seen := make(map[*session.Lab]bool)
	for _, p := range j.preys {
		if !seen[p.lab] {
			seen[p.lab] = true
			list = append(list, p.lab.Build+" "+p.lab.Flags())
		}
	}
	slices.Sort(list) // each shard has its own order of tests, the quick ones first
	return session.HashText(list)
}

// mergeHunt merges what the shards of a hunt know, for a hunt to continue with.
func (j *mergeJob) mergeHunt() (int, error) {
	known := filepath.Join(j.store.Dir, "hunt")
	if err := j.store.Make(); err != nil {
		return exitTrouble, err
	}
	lock, err := store.Exclusive(known)
	if errors.Is(err, store.ErrInUse) {
		return exitTrouble, advice.With(fmt.Errorf("a hunt is under way in %s", j.app.Show(j.store.Dir)), "-o DIR takes another place")
	} else if err != nil {
		return exitTrouble, err
	}
	defer lock.Release()
	var logs []*experiment.LogMerger
	err = j.set.MergeHunt(known, func(file string, header []byte) (shard.Logs, error) {
		var h experiment.Header
		if err := json.Unmarshal(header, &h); err != nil {
			return nil, err
		}
		m, err := experiment.NewLogMerger(file, h)
		logs = append(logs, m)
		return m, err
	})
	if err != nil {
		return exitTrouble, err
	}
	runs, failed := 0, 0
	var items []experiment.Item
	for _, m := range logs {
		runs, failed = runs+m.Runs, failed+m.Failed
		items = append(items, m.Items()...)
	}
	code, err := j.concludeHunt(runs, failed)
	return code, errors.Join(err, j.writeTask(items))
}

// concludeHunt says what the merged logs contain, and which command examines it.
func (j *mergeJob) concludeHunt(runs, failed int) (int, error) {
	w := j.app.Stdout
	for _, text := range j.warnings() {
		fmt.Fprintln(w, text)
	}
	partly := 0
	for _, e := range j.set.Entries {
		if e.Complete < e.Tests {
			partly++
		}
	}
	fmt.Fprintf(w, "%s of %s, %d failed: nothing is proved by that.\n", text.Plural(runs, "run"), text.Plural(len(j.set.Entries), "shard"), failed)
	if partly > 0 {
		fmt.Fprintf(w, "%s did not come to all of their part: -budget gives more time.\n", text.Plural(partly, "shard"))
	}
	if j.next == "" {
		fmt.Fprintf(w, "To look into them, on a machine with the same build: %s\n", strings.Join(j.set.First().Command, " "))
	}
	if failed > 0 {
		return exitFlaky, nil
	}
	return exitOK, nil
}
