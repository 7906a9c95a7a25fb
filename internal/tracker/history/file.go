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
	"sync"
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

// A logFile is the [DB] in a file, to which every write appends one line. All of it is in
// memory, as far as it was read: whoever writes locks the file, reads what others have
// added, and adds to that. Whoever reads takes no lock. The lines are in log.go.
type logFile struct {
	name     string
	readOnly bool

	mu    sync.Mutex
	state *state // nil before anything is read
}

// Open opens the history in a file, and makes it if there is none. It refuses a newer
// history ([IsNewer]) and a damaged one ([IsDamaged]).
func Open(ctx context.Context, file string) (DB, error) {
	l := &logFile{name: file}
	if err := l.locked(ctx, l.begin, l.follow); err != nil {
		return nil, l.failed("opening", err)
	}
	return l, nil
}

// OpenReadOnly opens a history to be read while others write to it. It makes none, and
// changes nothing.
func OpenReadOnly(_ context.Context, file string) (DB, error) {
	l := &logFile{name: file, readOnly: true}
	if err := l.refresh(); err != nil {
		return nil, l.failed("opening", err)
	}
	return l, nil
}

// begin makes the file if there is none.
func (l *logFile) begin() error {
	if _, err := os.Lstat(l.name); err == nil {
		return nil
	}
	return l.replace(&Data{})
}

// failed says which file an error is about.
func (l *logFile) failed(doing string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s the history: %s: %w", doing, l.name, err)
}

func (l *logFile) Close() error { return nil }

// Add implements [DB].
func (l *logFile) Add(ctx context.Context, s *Session, runs []Run) (n int, err error) {
	err = l.write(ctx, func(b *batch) error {
		session := b.session(s.Stored())
		for i := range runs {
			if b.run(session, runs[i].Stored()) {
				n++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Conclude implements [DB].
func (l *logFile) Conclude(ctx context.Context, key string, verdicts []Verdict) error {
	return l.write(ctx, func(b *batch) error { return b.conclude(KeyOf(key), verdicts) })
}

// Complete implements [DB].
func (l *logFile) Complete(ctx context.Context, key string) (bool, error) {
	data, err := l.Data(ctx)
	if err != nil {
		return false, err
	}
	for _, s := range data.Sessions {
		if s.Key == KeyOf(key) {
			return s.Complete, nil
		}
	}
	return false, nil
}

// Data implements [DB].
func (l *logFile) Data(context.Context) (*Data, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(); err != nil {
		return nil, l.failed("reading", err)
	}
	return &l.state.Data, nil
}

// Size implements [DB].
func (l *logFile) Size(ctx context.Context) (Size, error) {
	data, err := l.Data(ctx)
	if err != nil {
		return Size{}, err
	}
	size := data.size()
	if info, err := os.Stat(l.name); err == nil {
		size.Bytes = info.Size()
	}
	return size, nil
}

// Version implements [DB].
func (l *logFile) Version(context.Context) (string, error) {
	info, err := os.Stat(l.name)
	if err != nil {
		return "", l.failed("reading", err)
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano()), nil
}

// Prune implements [DB]: it writes the file anew.
func (l *logFile) Prune(ctx context.Context, before time.Time) (removed int, err error) {
	err = l.change(ctx, func() error {
		kept := l.state.since(before)
		if removed = len(l.state.Sessions) - len(kept.Sessions); removed == 0 {
			return nil
		}
		return l.replace(kept)
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// refresh is follow without the lock: what is damaged may be a line that a killed process
// has begun and another one is about to replace.
func (l *logFile) refresh() error {
	err := l.follow()
	if IsDamaged(err) {
		time.Sleep(50 * time.Millisecond)
		err = l.follow()
	}
	return err
}

// follow reads what was added to the file since the last time, or all of it if it is
// another file.
func (l *logFile) follow() error {
	f, err := os.Open(l.name)
	if err != nil {
		return err
	}
	defer f.Close()
	id, err := readHeader(f)
	if err != nil {
		return err
	}
	if l.state == nil || l.state.id != id {
		l.state = newState(id)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, l.state.size, math.MaxInt64-l.state.size))
	if err == nil {
		err = l.state.read(text)
	}
	if err != nil {
		l.state = nil // a part may be missing
	}
	return err
}

// write appends what do puts into a batch, if it is anything.
func (l *logFile) write(ctx context.Context, do func(*batch) error) error {
	return l.change(ctx, func() error {
		b := newBatch(l.state)
		err := do(b)
		if err == nil && !b.isEmpty() {
			err = l.append(b.rows)
		}
		if err != nil {
			l.state = nil // which has what the file has not
		}
		return err
	})
}

// change calls do while no other process writes.
func (l *logFile) change(ctx context.Context, do func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := errReadOnly
	if !l.readOnly {
		err = l.locked(ctx, l.begin, l.follow, do)
	}
	if err != nil {
		return l.failed("writing to", err)
	}
	return nil
}

// locked takes steps with the lock.
func (l *logFile) locked(ctx context.Context, steps ...func() error) error {
	unlock, err := l.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// lock waits for the lock, not for ever. It is on a file beside the history, which is
// replaced at times.
func (l *logFile) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
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
func (l *logFile) append(rows *Data) error {
	line, sum, err := rows.line(l.state.sum)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(l.state.size); err != nil {
		return err
	}
	_, err = f.WriteAt(line, l.state.size)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(l.state.size))
	}
	l.state.sum, l.state.size = sum, l.state.size+int64(len(line))
	return nil
}

// replace gives the file another content, as a whole.
func (l *logFile) replace(rows *Data) error {
	head := header(rand.Text())
	line, _, err := rows.line(sumOf(0, []byte(head)))
	if err != nil {
		return err
	}
	name := l.name + ".new" // nobody else writes it: see locked
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
