package history

import (
	"database/sql"
	"slices"
	"strings"
	"time"
)

// A batch is runs that are added in one transaction. What is asked and what is added is
// so for many at a time: a server may be far away, and others wait meanwhile.
type batch struct {
	*writer
	session int64
	known   map[string]*knownRun // by key: those that are there, and those to be added
	runs    []*Run               // to be added
	ids     map[string]int64     // of those, by key, once they are
}

type knownRun struct {
	id         int64 // 0 for one that is to be added
	at         int   // in runs then
	unfinished bool
}

// chunk is how many rows a statement has at most.
const chunk = 500

// addRuns adds those that are not known, and returns how many that were.
func (w *writer) addRuns(session int64, runs []Run) (int, error) {
	b := &batch{writer: w, session: session, known: make(map[string]*knownRun), ids: make(map[string]int64)}
	n := 0
	for part := range slices.Chunk(runs, chunk) {
		if err := b.lookUp(part); err != nil {
			return 0, err
		}
	}
	for i := range runs {
		fresh, err := b.choose(&runs[i])
		if err != nil {
			return 0, err
		}
		if fresh {
			n++
		}
	}
	for _, step := range []func() error{b.nameTests, b.insertRuns, b.insertFailures, b.insertNotes} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// lookUp finds out which of the runs are there.
func (b *batch) lookUp(runs []Run) error {
	keys := make([]any, len(runs))
	for i := range runs {
		keys[i] = keyOf(runs[i].Key)
	}
	return b.rows("SELECT key, id, unfinished FROM runs WHERE key IN "+row(len(keys)), keys, func(rows *sql.Rows) error {
		var key string
		k := new(knownRun)
		err := rows.Scan(&key, &k.id, &k.unfinished)
		b.known[key] = k
		return err
	})
}

// choose takes a run into the batch, and reports whether it is news. A run without its
// end is replaced.
func (b *batch) choose(r *Run) (bool, error) {
	key := keyOf(r.Key)
	k := b.known[key]
	if k != nil && (!k.unfinished || r.Unfinished) {
		return false, nil
	}
	if k != nil && k.id == 0 {
		b.runs[k.at], k.unfinished = r, false
		return true, nil
	}
	if k != nil {
		if err := b.forget(k.id); err != nil {
			return false, err
		}
	}
	b.known[key] = &knownRun{at: len(b.runs), unfinished: r.Unfinished}
	b.runs = append(b.runs, r)
	return true, nil
}

// nameTests gives ids to the tests of the batch.
func (b *batch) nameTests() error {
	wanted := make(map[testKey]time.Duration)
	for _, r := range b.runs {
		pkg, err := b.pkg(r.Package)
		if err != nil {
			return err
		}
		want := func(test string, passed time.Duration) {
			key := testKey{pkg, clean(test, maxName)}
			wanted[key] = max(wanted[key], passed)
		}
		want("", 0)
		for _, n := range r.Notes {
			want(n.Test, 0)
		}
		for i := range r.Results {
			res := &r.Results[i]
			passed := time.Duration(0)
			if res.Status == Passed {
				passed = res.Elapsed
			}
			want(res.Test, passed)
		}
	}
	return b.wantTests(wanted)
}

// wantTests gives ids to tests, and notes how long they took if that is news.
func (w *writer) wantTests(wanted map[testKey]time.Duration) error {
	unknown := make(map[int64][]any) // names, by package
	for key := range wanted {
		if w.names.tests[key] == nil {
			unknown[key.pkg] = append(unknown[key.pkg], key.name)
		}
	}
	for pkg, names := range unknown {
		for part := range slices.Chunk(names, chunk) {
			if err := w.findTests(pkg, part); err != nil {
				return err
			}
		}
	}
	var news []any // rows
	for _, key := range sortedKeys(wanted) {
		if e := w.names.tests[key]; e == nil || wanted[key] > e.slowest {
			news = append(news, key.pkg, key.name, int64(wanted[key]))
		}
	}
	return w.inRows(3, news, `INSERT INTO tests (package_id, name, slowest) VALUES `,
		` ON CONFLICT (package_id, name) DO UPDATE SET slowest = excluded.slowest RETURNING package_id, name, id, slowest`, w.takeTest)
}

// sortedKeys puts tests in an order, so that ids do not depend on chance.
func sortedKeys(tests map[testKey]time.Duration) []testKey {
	keys := make([]testKey, 0, len(tests))
	for key := range tests {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b testKey) int {
		if a.pkg != b.pkg {
			return int(a.pkg - b.pkg)
		}
		return strings.Compare(a.name, b.name)
	})
	return keys
}

func (w *writer) findTests(pkg int64, names []any) error {
	return w.rows("SELECT package_id, name, id, slowest FROM tests WHERE package_id = ? AND name IN "+row(len(names)),
		append([]any{pkg}, names...), w.takeTest)
}

func (w *writer) takeTest(rows *sql.Rows) error {
	var key testKey
	e := new(testEntry)
	err := rows.Scan(&key.pkg, &key.name, &e.id, &e.slowest)
	w.names.tests[key] = e
	return err
}

func (b *batch) insertRuns() error {
	var list []any
	for _, r := range b.runs {
		pkg, err := b.pkg(r.Package)
		if err != nil {
			return err
		}
		set, err := b.set(pkg, r.Results)
		if err != nil {
			return err
		}
		list = append(list, keyOf(r.Key), b.session, pkg, string(r.Kind), millis(r.Started), int64(r.Elapsed), boolInt(r.Unfinished), set)
	}
	return b.inRows(8, list, `INSERT INTO runs (key, session_id, package_id, kind, started, elapsed, unfinished, set_id) VALUES `,
		` RETURNING key, id`, func(rows *sql.Rows) error {
			var key string
			var id int64
			err := rows.Scan(&key, &id)
			b.ids[key] = id
			return err
		})
}

func (b *batch) insertFailures() error {
	var list []any
	for _, r := range b.runs {
		pkg, err := b.pkg(r.Package)
		if err != nil {
			return err
		}
		nth := 0
		for i := range r.Results {
			res := &r.Results[i]
			if !res.Status.Failing() {
				continue
			}
			test, err := b.test(pkg, res.Test)
			if err != nil {
				return err
			}
			sign, err := b.signature(test, res)
			if err != nil {
				return err
			}
			list = append(list, b.ids[keyOf(r.Key)], nth, test, sign, string(res.Status), int64(res.Elapsed))
			nth++
		}
	}
	return b.inRows(6, list, "INSERT INTO failures (run_id, nth, test_id, signature_id, status, elapsed) VALUES ", "", nil)
}

// insertNotes keeps the latest of what tests say of themselves.
func (b *batch) insertNotes() error {
	for _, r := range b.runs {
		for _, n := range r.Notes {
			pkg, err := b.pkg(r.Package)
			if err != nil {
				return err
			}
			test, err := b.test(pkg, n.Test)
			if err != nil {
				return err
			}
			if _, err := b.exec(`INSERT INTO notes (test_id, key, value, noted) VALUES (?, ?, ?, ?)
				ON CONFLICT (test_id, key) DO UPDATE SET value = excluded.value, noted = excluded.noted WHERE excluded.noted >= notes.noted`,
				test, clean(n.Key, maxName), clean(n.Value, maxName), millis(r.Started)); err != nil {
				return err
			}
		}
	}
	return nil
}

// row is a list of so many arguments: "(?, ?)".
func row(n int) string { return "(" + strings.Repeat("?, ", n-1) + "?)" }

// inRows runs a statement on rows of so many columns, many at a time.
func (w *writer) inRows(columns int, values []any, before, after string, take func(*sql.Rows) error) error {
	one := row(columns)
	for part := range slices.Chunk(values, chunk*columns) {
		query := before + strings.Repeat(one+", ", len(part)/columns-1) + one + after
		if take == nil {
			if _, err := w.tx.ExecContext(w.ctx, w.dialect.bind(query), part...); err != nil {
				return err
			}
		} else if err := w.rows(query, part, take); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) rows(query string, args []any, take func(*sql.Rows) error) error {
	rows, err := w.tx.QueryContext(w.ctx, w.dialect.bind(query), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
