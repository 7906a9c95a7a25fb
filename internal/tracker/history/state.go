package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
)

// A Copy is what a log says, as far as it was read.
type Copy struct {
	Data
	End  int64  // of what was read, as the log counts
	id   string // of a file
	sum  uint32 // of its last line
	last int64  // the highest id
	// ids are those of rows by their keys, of whatever type; nil before somebody writes.
	ids map[any]int64
}

// What rows say, by which they are found.
type (
	testKey      struct{ pkg, name string }
	signatureKey struct {
		test int64
		text string
	}
	setKey     string
	sessionKey string
	runKey     string // keyOfRun
)

// keyOfRun returns the part of a run's key that is kept.
func keyOfRun(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawStdEncoding.EncodeToString(sum[:12])
}

// Reset forgets everything.
func (c *Copy) Reset() { *c = Copy{Data: *NewData()} }

// begin is a copy that stands at the beginning of a file.
func (c *Copy) begin(id string) {
	c.Reset()
	h := header(id)
	c.id, c.End, c.sum = id, int64(len(h)), sumOf(0, []byte(h))
}

// Apply takes in rows, new ones and such as replace others.
func (c *Copy) Apply(rows *Data) {
	take(c, c.Tests, rows.Tests)
	take(c, c.Signatures, rows.Signatures)
	take(c, c.Sets, rows.Sets)
	take(c, c.Sessions, rows.Sessions)
	take(c, c.Runs, rows.Runs)
	if c.ids != nil {
		c.index(rows)
	}
}

func take[T any](c *Copy, to, from map[int64]T) {
	maps.Copy(to, from)
	for id := range from {
		c.last = max(c.last, id)
	}
}

// index notes the ids of rows.
func (c *Copy) index(rows *Data) {
	for id, t := range rows.Tests {
		c.ids[testKey{t.Package, t.Name}] = id
	}
	for id, s := range rows.Signatures {
		c.ids[signatureKey{s.Test, s.Text}] = id
	}
	for id, set := range rows.Sets {
		c.ids[setKey(set)] = id
	}
	for id, s := range rows.Sessions {
		c.ids[sessionKey(s.Key)] = id
	}
	for id, r := range rows.Runs {
		c.ids[runKey(r.Key)] = id
	}
}

// A batch adds rows to a state, and remembers which.
type batch struct {
	*Copy
	rows *Data
}

func newBatch(c *Copy) *batch {
	if c.ids == nil {
		c.ids = make(map[any]int64)
		c.index(&c.Data)
	}
	return &batch{c, NewData()}
}

func (b *batch) isEmpty() bool {
	return len(b.rows.Tests)+len(b.rows.Signatures)+len(b.rows.Sets)+len(b.rows.Sessions)+len(b.rows.Runs) == 0
}

// put adds a row, and replaces the one that has its id.
func put[T any](all, rows map[int64]T, id int64, row T) {
	all[id], rows[id] = row, row
}

// idOf returns the id of what has a key, and whether that is new.
func (b *batch) idOf(key any) (id int64, fresh bool) {
	if id, ok := b.ids[key]; ok {
		return id, false
	}
	b.last++
	b.ids[key] = b.last
	return b.last, true
}

// session returns the id of a session, and fills in what was unknown of it.
func (b *batch) session(s Session) int64 {
	id, fresh := b.idOf(sessionKey(s.Key))
	row := b.Sessions[id]
	known := row.Session
	if fresh {
		row.Session = s
	}
	row.fillIn(&s)
	if fresh || row.Session != known {
		put(b.Sessions, b.rows.Sessions, id, row)
	}
	return id
}

// fillIn takes what was unknown of a session when it was added.
func (s *Session) fillIn(more *Session) {
	if s.Commit.Hash == "" {
		s.Commit = more.Commit
	}
	if s.Commit.Hash == more.Commit.Hash && s.Commit.Time.IsZero() {
		s.Commit.Time = more.Commit.Time
	}
	s.Branch, s.Job, s.Reports = cmp.Or(s.Branch, more.Branch), cmp.Or(s.Job, more.Job), cmp.Or(s.Reports, more.Reports)
	s.Attempt = cmp.Or(s.Attempt, more.Attempt)
}

// conclude adds those of the verdicts on a session that are not there yet, and that it is
// complete.
func (b *batch) conclude(key string, verdicts []Verdict) error {
	id, ok := b.ids[sessionKey(key)]
	if !ok {
		return fmt.Errorf("there is no session %q", key)
	}
	row := b.Sessions[id]
	known := len(row.Verdicts)
	if row.Complete && known >= len(verdicts) {
		return nil
	}
	row.Complete, row.Verdicts = true, row.Verdicts[:known:known]
	for _, v := range verdicts[min(known, len(verdicts)):] {
		row.Verdicts = append(row.Verdicts, v.stored())
	}
	put(b.Sessions, b.rows.Sessions, id, row)
	return nil
}

// run adds a run, and reports whether it is news. One without its end is replaced.
func (b *batch) run(session int64, r Run) bool {
	key := keyOfRun(r.Key)
	id, fresh := b.idOf(runKey(key))
	if !fresh && (!b.Runs[id].Unfinished || r.Unfinished) {
		return false
	}
	row := RunRow{Key: key, Session: session, Started: Millis(r.Started), Kind: r.Kind, Unfinished: r.Unfinished}
	for i := range r.Results {
		res := &r.Results[i]
		test := b.test(r.Package, res.Test, res)
		if res.Status.Failing() {
			row.Failures = append(row.Failures, FailureRow{b.signature(test, res), res.Status})
		}
	}
	row.Set = b.set(setOf(r.Results, func(name string) int64 { return b.ids[testKey{r.Package, name}] }))
	for _, n := range r.Notes {
		b.note(r.Package, n, row.Started)
	}
	put(b.Runs, b.rows.Runs, id, row)
	return true
}

// test returns the id of a test, and notes how long it took.
func (b *batch) test(pkg, name string, r *Result) int64 {
	id, fresh := b.idOf(testKey{pkg, name})
	row := b.Tests[id]
	slower := r.Status == Passed && r.Elapsed > row.Slowest
	if slower {
		row.Slowest = r.Elapsed
	}
	if fresh || slower {
		row.Package, row.Name = pkg, name
		put(b.Tests, b.rows.Tests, id, row)
	}
	return id
}

// note keeps the latest of what a test says of itself.
func (b *batch) note(pkg string, n Note, noted int64) {
	id := b.test(pkg, n.Test, &Result{})
	row := b.Tests[id]
	if old, ok := row.Notes[n.Key]; ok && old.Noted > noted {
		return
	}
	row.Notes = maps.Clone(row.Notes)
	if row.Notes == nil {
		row.Notes = make(map[string]NoteRow)
	}
	row.Notes[n.Key] = NoteRow{n.Value, noted}
	put(b.Tests, b.rows.Tests, id, row)
}

func (b *batch) signature(test int64, r *Result) int64 {
	id, fresh := b.idOf(signatureKey{test, r.Signature})
	if fresh {
		put(b.Signatures, b.rows.Signatures, id, SignatureRow{test, r.Signature, r.Message})
	}
	return id
}

func (b *batch) set(content []byte) int64 {
	id, fresh := b.idOf(setKey(content))
	if fresh {
		put(b.Sets, b.rows.Sets, id, content)
	}
	return id
}
