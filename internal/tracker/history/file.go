package history

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Name is the file of a history in the store directory.
const Name = "history.jsonl"

// busy is how long a writer waits for others.
const busy = time.Minute

var (
	errBusy     = errors.New("another process writes to it")
	errReadOnly = errors.New("it was opened to be read")
)

// A logFile is the [Log] in a file, to which every write appends one line. Whoever writes
// locks the file, and whoever reads does not. The lines are in log.go.
type logFile struct {
	name     string
	readOnly bool
}

// Open opens the history in a file, and makes it if there is none. It refuses a newer
// history ([IsNewer]) and a damaged one ([IsDamaged]).
func Open(ctx context.Context, file string) (*DB, error) {
	l := &logFile{name: file}
	db := NewDB(l)
	err := l.Change(ctx, &db.copy, false, func() (*Data, error) { return nil, nil })
	return db, db.failed("opening", err)
}

// OpenReadOnly opens a history to be read while others write to it. It makes none, and
// changes nothing.
func OpenReadOnly(ctx context.Context, file string) (*DB, error) {
	db := NewDB(&logFile{name: file, readOnly: true})
	return db, db.failed("opening", db.log.Read(ctx, &db.copy))
}

// begin makes the file if there is none.
func (l *logFile) begin() error {
	if _, err := os.Lstat(l.name); err == nil {
		return nil
	}
	return l.replace(&Data{})
}

// Explain implements [Log].
func (l *logFile) Explain(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", l.name, err)
}

func (l *logFile) Close() error { return nil }

// Stat implements [Log].
func (l *logFile) Stat(context.Context) (version string, bytes int64, err error) {
	info, err := os.Stat(l.name)
	if err != nil {
		return "", 0, err
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano()), info.Size(), nil
}

// Read implements [Log], without the lock: what is damaged may be a line that a killed process
// has begun and another one is about to replace.
func (l *logFile) Read(_ context.Context, c *Copy) error {
	err := l.follow(c)
	if IsDamaged(err) {
		time.Sleep(50 * time.Millisecond)
		err = l.follow(c)
	}
	return err
}

// Change implements [Log].
func (l *logFile) Change(ctx context.Context, c *Copy, replace bool, do func() (*Data, error)) error {
	if l.readOnly {
		return errReadOnly
	}
	unlock, err := l.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := l.change(c, replace, do); err != nil {
		c.Reset() // it may have what the file has not
		return err
	}
	return nil
}

// change is Change with the lock.
func (l *logFile) change(c *Copy, replace bool, do func() (*Data, error)) error {
	if err := l.begin(); err != nil {
		return err
	}
	if err := l.follow(c); err != nil {
		return err
	}
	rows, err := do()
	switch {
	case err != nil || rows == nil:
		return err
	case replace:
		return l.replace(rows)
	}
	return l.append(c, rows)
}

// follow reads what was added to the file since the last time, or all of it if it is
// another file.
func (l *logFile) follow(c *Copy) error {
	f, err := os.Open(l.name)
	if err != nil {
		return err
	}
	defer f.Close()
	id, err := readHeader(f)
	if err != nil {
		return err
	}
	if c.id != id {
		c.begin(id)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, c.End, math.MaxInt64-c.End))
	if err == nil {
		err = c.read(text)
	}
	if err != nil {
		c.Reset() // a part may be missing
	}
	return err
}

// lock waits for the lock, not for ever. It is on a file beside the history, which is
// replaced at times.
func (l *logFile) lock(ctx context.Context) (unlock func(), err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, busy, errBusy)
	defer cancel()
	got := make(chan error, 1)
	go func() {
		var err error
		unlock, err = lockedfile.MutexAt(l.name + ".lock").Lock()
		got <- err
	}()
	select {
	case err := <-got:
		return unlock, err
	case <-ctx.Done():
		go func() {
			if <-got == nil {
				unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// append adds a line to the file, after what was read: what stands behind that is of a
// process that was killed.
func (l *logFile) append(c *Copy, rows *Data) error {
	line, sum, err := rows.line(c.sum)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(c.End); err != nil {
		return err
	}
	_, err = f.WriteAt(line, c.End)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(c.End))
	}
	c.sum, c.End = sum, c.End+int64(len(line))
	return nil
}

// replace gives the file another content, as a whole.
func (l *logFile) replace(rows *Data) error {
	head := header(rand.Text())
	line, _, err := rows.line(sumOf(0, []byte(head)))
	if err != nil {
		return err
	}
	name := l.name + ".new" // nobody else writes it: see Change
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte(head), line...))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return os.Rename(name, l.name)
}

// SetAside gives a damaged file another name, and returns that.
func SetAside(file string, now time.Time) (string, error) {
	name := file + ".damaged-" + now.UTC().Format("20060102-150405")
	aside := name
	for i := 2; ; i++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(file, aside)
		}
		aside = fmt.Sprintf("%s-%d", name, i)
	}
}
