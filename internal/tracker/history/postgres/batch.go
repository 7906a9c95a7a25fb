package postgres

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// What is asked and what is added is so for many rows at a time, which travel as JSON: a
// server may be far away, and others wait meanwhile.

// A key names a row of a table, below one of another table if it has that.
type key struct {
	Of   int64
	Name string
}

// A row is one that is to be there.
type row struct {
	key
	Slowest int64  `json:",omitzero"` // of a test
	Message string `json:",omitzero"` // of a signature
	Content []byte `json:",omitzero"` // of a set
}

// A table has rows with keys.
type table struct{ insert, find string }

const fromRows = ` FROM json_to_recordset($1::json) AS r ("Of" bigint, "Name" text, "Slowest" bigint, "Message" text, "Content" text) `

var (
	packages = table{`INSERT INTO packages (path) SELECT "Name"` + fromRows + `ON CONFLICT DO NOTHING`,
		`SELECT 0, path, id` + fromRows + `JOIN packages ON path = "Name"`}
	tests = table{`INSERT INTO tests (package_id, name, slowest) SELECT "Of", "Name", coalesce("Slowest", 0)` + fromRows +
		`ON CONFLICT (package_id, name) DO UPDATE SET slowest = excluded.slowest WHERE excluded.slowest > tests.slowest`,
		`SELECT package_id, name, id` + fromRows + `JOIN tests ON package_id = "Of" AND name = "Name"`}
	signatures = table{`INSERT INTO signatures (test_id, text, message) SELECT "Of", "Name", coalesce("Message", '')` + fromRows + `ON CONFLICT DO NOTHING`,
		`SELECT test_id, text, id` + fromRows + `JOIN signatures ON test_id = "Of" AND text = "Name"`}
	sets = table{`INSERT INTO sets (hash, content) SELECT "Name", decode(coalesce("Content", ''), 'base64')` + fromRows + `ON CONFLICT DO NOTHING`,
		`SELECT 0, hash, id` + fromRows + `JOIN sets ON hash = "Name"`}
)

// ids returns the ids of rows, and inserts those that are not there. No two have one key.
func (w *writer) ids(t table, rows []row) map[key]int64 {
	ids := make(map[key]int64, len(rows))
	arg := w.json(rows)
	w.exec(t.insert, arg)
	w.each(t.find, []any{arg}, func(rows *sql.Rows) error {
		var k key
		var id int64
		err := rows.Scan(&k.Of, &k.Name, &id)
		ids[k] = id
		return err
	})
	return ids
}

// json makes an argument of a list of rows.
func (w *writer) json(rows any) string {
	text, err := json.Marshal(rows)
	if w.err == nil {
		w.err = err
	}
	if string(text) == "null" {
		return "[]"
	}
	return string(text)
}

// A batch is runs that are added in one transaction.
type batch struct {
	*writer
	runs            []*history.Run // those that are news
	packages, tests map[key]int64
}

// addRuns adds those that are not known, and returns how many that were.
func (w *writer) addRuns(session int64, runs []history.Run) int {
	news, n := w.choose(runs)
	b := &batch{writer: w, runs: news}
	b.nameTests()
	b.insertFailures(b.insertRuns(session))
	b.insertNotes()
	return n
}

// choose returns the runs that are news, and removes those that they replace: runs
// without their end. n counts such as are replaced by another one of the same list, too.
func (w *writer) choose(runs []history.Run) (news []*history.Run, n int) {
	type state struct {
		id         int64 // 0 for one that is to be added
		at         int   // in news then
		unfinished bool
	}
	known := make(map[string]state)
	keys := make([]key, len(runs))
	for i := range runs {
		keys[i].Name = runs[i].Key
	}
	w.each(`SELECT key, id, unfinished`+fromRows+`JOIN runs ON key = "Name"`, []any{w.json(keys)}, func(rows *sql.Rows) error {
		var key string
		var s state
		err := rows.Scan(&key, &s.id, &s.unfinished)
		known[key] = s
		return err
	})
	for i := range runs {
		r := &runs[i]
		s, ok := known[r.Key]
		switch {
		case ok && (!s.unfinished || r.Unfinished):
			continue
		case ok && s.id == 0:
			news[s.at] = r
		case ok:
			w.exec("DELETE FROM failures WHERE run_id = $1", s.id)
			w.exec("DELETE FROM runs WHERE id = $1", s.id)
			fallthrough
		default:
			s.at, news = len(news), append(news, r)
		}
		known[r.Key] = state{at: s.at, unfinished: r.Unfinished}
		n++
	}
	return news, n
}

// nameTests gives ids to the packages and tests of the batch.
func (b *batch) nameTests() {
	paths := make(map[key]row)
	for _, r := range b.runs {
		k := key{Name: r.Package}
		paths[k] = row{key: k}
	}
	b.packages = b.ids(packages, inOrder(paths))
	wanted := make(map[key]row)
	for _, r := range b.runs {
		want := func(test string, passed time.Duration) {
			k := b.test(r, test)
			wanted[k] = row{key: k, Slowest: max(wanted[k].Slowest, int64(passed))}
		}
		for _, n := range r.Notes {
			want(n.Test, 0)
		}
		for i := range r.Results {
			if res := &r.Results[i]; res.Status == history.Passed {
				want(res.Test, res.Elapsed)
			} else {
				want(res.Test, 0)
			}
		}
	}
	b.tests = b.ids(tests, inOrder(wanted))
}

func (b *batch) test(r *history.Run, name string) key {
	return key{b.packages[key{Name: r.Package}], name}
}

// inOrder returns rows so that ids do not depend on chance.
func inOrder(rows map[key]row) []row {
	return slices.SortedFunc(maps.Values(rows), func(a, b row) int {
		if a.Of != b.Of {
			return int(a.Of - b.Of)
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// insertRuns adds the runs with the sets of what passed in them, and returns the ids of the
// runs by their keys.
func (b *batch) insertRuns(session int64) map[string]int64 {
	setOf := make([]key, len(b.runs))
	wanted := make(map[key]row)
	for i, r := range b.runs {
		content := history.SetOf(r.Results, func(name string) int64 { return b.tests[b.test(r, name)] })
		sum := sha256.Sum256(content)
		setOf[i] = key{Name: hex.EncodeToString(sum[:16])}
		wanted[setOf[i]] = row{key: setOf[i], Content: content}
	}
	known := b.ids(sets, inOrder(wanted))
	type runRow struct {
		Key                   string
		Kind                  history.Kind
		Package, Set, Started int64
		Elapsed               time.Duration
		Unfinished            int
	}
	rows := make([]runRow, len(b.runs))
	for i, r := range b.runs {
		rows[i] = runRow{r.Key, r.Kind, b.packages[key{Name: r.Package}], known[setOf[i]], history.Millis(r.Started), r.Elapsed, boolInt(r.Unfinished)}
	}
	ids := make(map[string]int64, len(rows))
	b.each(`INSERT INTO runs (key, session_id, package_id, kind, started, elapsed, unfinished, set_id)
		SELECT "Key", $2::bigint, "Package", "Kind", "Started", "Elapsed", "Unfinished", "Set" FROM json_to_recordset($1::json) AS r
		("Key" text, "Kind" text, "Package" bigint, "Set" bigint, "Started" bigint, "Elapsed" bigint, "Unfinished" bigint)
		RETURNING key, id`, []any{b.json(rows), session}, func(rows *sql.Rows) error {
		var key string
		var id int64
		err := rows.Scan(&key, &id)
		ids[key] = id
		return err
	})
	return ids
}

// insertFailures adds the failures of the runs, which have these ids.
func (b *batch) insertFailures(runs map[string]int64) {
	type failureRow struct {
		signature                 key
		Run, Nth, Test, Signature int64
		Status                    history.Status
		Elapsed                   time.Duration
	}
	var rows []failureRow
	wanted := make(map[key]row)
	for _, r := range b.runs {
		nth := int64(0)
		for i := range r.Results {
			res := &r.Results[i]
			if !res.Status.Failing() {
				continue
			}
			sign := key{b.tests[b.test(r, res.Test)], res.Signature}
			if _, ok := wanted[sign]; !ok {
				wanted[sign] = row{key: sign, Message: res.Message}
			}
			rows = append(rows, failureRow{signature: sign, Run: runs[r.Key], Nth: nth, Test: sign.Of, Status: res.Status, Elapsed: res.Elapsed})
			nth++
		}
	}
	ids := b.ids(signatures, inOrder(wanted))
	for i := range rows {
		rows[i].Signature = ids[rows[i].signature]
	}
	b.exec(`INSERT INTO failures (run_id, nth, test_id, signature_id, status, elapsed)
		SELECT "Run", "Nth", "Test", "Signature", "Status", "Elapsed" FROM json_to_recordset($1::json) AS r
		("Run" bigint, "Nth" bigint, "Test" bigint, "Signature" bigint, "Status" text, "Elapsed" bigint)`, b.json(rows))
}

// insertNotes keeps the latest of what tests say of themselves.
func (b *batch) insertNotes() {
	for _, r := range b.runs {
		for _, n := range r.Notes {
			b.exec(`INSERT INTO notes (test_id, key, value, noted) VALUES ($1, $2, $3, $4)
				ON CONFLICT (test_id, key) DO UPDATE SET value = excluded.value, noted = excluded.noted WHERE excluded.noted >= notes.noted`,
				b.tests[b.test(r, n.Test)], n.Key, n.Value, history.Millis(r.Started))
		}
	}
}
