package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/testlog"
)

// An importJob is `fdebug import`.
type importJob struct {
	app       *app
	out       string
	origin    provenance.Origin // from flags, then completed from the environment
	at        timeFlag          // -time
	goVersion string            // -go
	on        string            // -platform

	store store.Store
	db    history.DB
	now   time.Time
}

func (a *app) importCmd(args []string) (int, error) {
	j := &importJob{app: a, now: time.Now()}
	fs := newFlagSet("import")
	fs.StringVar(&j.out, "o", "", "")
	a.dbFlag(fs)
	fs.StringVar(&j.origin.Commit, "commit", "", "")
	fs.StringVar(&j.origin.Branch, "branch", "", "")
	fs.StringVar(&j.origin.Job, "job", "", "")
	fs.IntVar(&j.origin.Attempt, "attempt", 0, "")
	fs.StringVar(&j.goVersion, "go", "", "")
	fs.StringVar(&j.on, "platform", "", "")
	fs.Var(&j.at, "time", "")
	files, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if len(files) == 0 {
		return exitUsage, advice.With(advice.Usagef("import needs a file of results"), "- reads standard input: go test -json ./... | fdebug import -")
	}
	if j.origin.Attempt < 0 {
		return exitUsage, advice.Usagef("-attempt %d: want 1 or more", j.origin.Attempt)
	}
	if err := a.checkDB(); err != nil {
		return exitUsage, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return j.run(ctx, files)
}

func (j *importJob) run(ctx context.Context, files []string) (int, error) {
	j.complete(ctx)
	j.store = j.app.store(j.out)
	var err error
	if j.db, err = j.app.openHistory(ctx, j.store); err != nil {
		return exitTrouble, err
	}
	defer j.db.Close()
	if j.app.db == "" {
		if err := j.app.catchUp(ctx, j.db, j.store, ""); err != nil {
			j.app.warnHistory(err)
		}
	}
	var failed error
	for _, name := range files {
		if err := j.file(ctx, name); err != nil {
			if ctx.Err() != nil {
				return exitInterrupted, advice.With(errors.New("interrupted"), "the same command goes on: what is imported already counts once")
			}
			if failed != nil {
				j.app.printError(failed)
			}
			failed = err
		}
	}
	if failed != nil {
		return exitTrouble, failed
	}
	return exitOK, nil
}

// complete adds to the origin what the environment says, and when the commit was made, if the
// repository here has it.
func (j *importJob) complete(ctx context.Context) {
	env := provenance.FromEnv(j.app.Getenv)
	if j.origin.Commit != "" && env.Commit != "" && j.origin.Commit != env.Commit {
		env = provenance.Origin{} // the results are from another job than this one
	}
	j.origin = j.origin.Or(env)
	if j.origin.CommitTime.IsZero() {
		dir := cmp.Or(j.app.Chdir, ".")
		j.origin.CommitTime = provenance.CommitTime(ctx, dir, j.origin.Commit)
	}
}

// file imports one file, or standard input for "-".
func (j *importJob) file(ctx context.Context, name string) error {
	in, at := io.ReadCloser(os.Stdin), j.now
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		in = f
		if info, err := f.Stat(); err == nil && info.ModTime().Before(j.now) {
			at = info.ModTime()
		}
	}
	defer in.Close()
	if !time.Time(j.at).IsZero() {
		at = time.Time(j.at)
	}
	b := &importBatch{ctx: ctx, db: j.db}
	b.session = history.Session{Source: history.FromImport, Env: history.Environment{Go: j.goVersion, Platform: j.on}}
	setOrigin(&b.session, j.origin)
	o := testlog.Options{Time: at, Now: j.now, Identity: fmt.Sprintf("%q %q %d", j.origin.Commit, j.origin.Job, j.origin.Attempt)}
	report, err := testlog.Read(in, o, b.add)
	if err == nil || report != nil && report.Runs > 0 {
		err = errors.Join(err, b.end())
	}
	if err != nil {
		return explainImport(fmt.Errorf("%s: %w", name, err))
	}
	j.tell(name, report, b.fresh)
	return nil
}

func explainImport(err error) error {
	if isAway(err) {
		return withAgain(err)
	}
	if errors.Is(err, testlog.ErrFormat) {
		return advice.With(err, "go test -json ./... >FILE writes one, and so does gotestsum --junitfile FILE")
	}
	return err
}

// tell says what was imported, and what could not be.
func (j *importJob) tell(name string, r *testlog.Report, fresh int) {
	said := fmt.Sprintf("%s: %s of %s", name, text.Plural(r.Results, "result"), text.Plural(r.Runs, "run"))
	switch known := r.Runs - fresh; {
	case r.Runs == 0:
	case known == r.Runs:
		said += ", all known already"
	case known > 0:
		said += fmt.Sprintf(", %d of them known already", known)
	}
	if r.Cached > 0 {
		said += fmt.Sprintf("; %s from go test's cache left out", text.Plural(r.Cached, "package"))
	}
	if r.NotBuilt > 0 {
		said += fmt.Sprintf("; %s did not build", text.Plural(r.NotBuilt, "package"))
	}
	fmt.Fprintln(j.app.Stdout, said)
	for _, p := range r.Problems {
		fmt.Fprintf(j.app.Stderr, "%s:%v\n", name, p)
	}
	if r.More > 0 {
		fmt.Fprintf(j.app.Stderr, "%s: and %d more\n", name, r.More)
	}
}

// An importBatch adds the runs of a file, many in one transaction.
type importBatch struct {
	ctx     context.Context
	db      history.DB
	session history.Session
	runs    []history.Run
	results int
	fresh   int
}

// Others wait for a transaction, so it must not be long.
const (
	batchRuns    = 500
	batchResults = 50_000
)

func (b *importBatch) add(run *history.Run) error {
	if b.session.Key == "" {
		b.session.Key, b.session.Started = "import "+run.Key, run.Started
	}
	b.runs = append(b.runs, *run)
	b.results += len(run.Results)
	if len(b.runs) < batchRuns && b.results < batchResults {
		return nil
	}
	return b.flush()
}

func (b *importBatch) flush() error {
	n, err := b.db.Add(b.ctx, &b.session, b.runs)
	b.fresh += n
	b.runs, b.results = b.runs[:0], 0
	return err
}

func (b *importBatch) end() error {
	if b.session.Key == "" {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	return b.db.Conclude(b.ctx, b.session.Key, nil)
}

// A timeFlag is a time in RFC 3339, or a date.
type timeFlag time.Time

func (t *timeFlag) String() string { return time.Time(*t).Format(time.RFC3339) }

func (t *timeFlag) Set(s string) error {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if v, err := time.Parse(layout, s); err == nil {
			*t = timeFlag(v)
			return nil
		}
	}
	return errors.New("not a time")
}

func (t *timeFlag) want() string { return "a time such as 2026-11-22T08:00:00Z" }
