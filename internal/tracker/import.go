package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/testlog"
)

// An Import adds results of other tools to the history.
type Import struct {
	*Keeper
	Out    string
	Origin provenance.Origin // from flags, then completed from the environment

	store store.Store
	db    *history.DB
	Now   time.Time
}

func (j *Import) Run(ctx context.Context, files []string) (int, error) {
	j.complete(ctx)
	j.store = j.StoreIn(j.Out)
	var err error
	if j.db, err = j.openHistory(ctx, j.store); err != nil {
		return exit.Trouble, err
	}
	defer j.db.Close()
	if j.URL == "" {
		if err := j.catchUp(ctx, j.db, j.store, ""); err != nil {
			j.warnHistory(err)
		}
	}
	return j.each(ctx, files, j.file)
}

// complete adds to the origin what the environment says, and when the commit was made, if the
// repository here has it.
func (j *Import) complete(ctx context.Context) {
	env := provenance.FromEnv(j.Getenv)
	if j.Origin.Commit != "" && env.Commit != "" && j.Origin.Commit != env.Commit {
		env = provenance.Origin{} // the results are from another job than this one
	}
	j.Origin = j.Origin.Or(env)
	if j.Origin.CommitTime.IsZero() {
		dir := cmp.Or(j.Chdir, ".")
		j.Origin.CommitTime = provenance.CommitTime(ctx, dir, j.Origin.Commit)
	}
}

// file imports one file, or standard input for "-".
func (j *Import) file(ctx context.Context, name string) error {
	in, at := io.ReadCloser(os.Stdin), j.Now
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		in = f
		if info, err := f.Stat(); err == nil && info.ModTime().Before(j.Now) {
			at = info.ModTime()
		}
	}
	defer in.Close()
	b := &adder{ctx: ctx, db: j.db}
	b.session.Source = history.FromImport
	setOrigin(&b.session, j.Origin)
	o := testlog.Options{Time: at, Now: j.Now,
		Identity: fmt.Sprintf("%q %q %d", j.Origin.Commit, j.Origin.Job, j.Origin.Attempt)}
	report, err := testlog.Read(in, o, func(run *history.Run) error {
		if b.session.Key == "" {
			b.session.Key, b.session.Started = "import "+run.Key, run.Started
		}
		return b.add(*run)
	})
	if b.session.Key != "" {
		err = errors.Join(err, b.end(nil))
	}
	switch {
	case errors.Is(err, testlog.ErrFormat):
		return advice.With(fmt.Errorf("%s: %w", name, err),
			"go test -json ./... >FILE writes one, and so does gotestsum --junitfile FILE")
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	j.tell(name, report, b.fresh)
	return nil
}

// tell says what was imported, and what could not be.
func (j *Import) tell(name string, r *testlog.Report, fresh int) {
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
	fmt.Fprintln(j.Stdout, said)
	for _, p := range r.Problems {
		fmt.Fprintf(j.Stderr, "%s:%v\n", name, p)
	}
	if r.More > 0 {
		fmt.Fprintf(j.Stderr, "%s: and %d more\n", name, r.More)
	}
}
