package history

import (
	"errors"
	"fmt"
)

// migrations bring a database from one version to the next. Times are milliseconds
// since 1970, durations nanoseconds. An old one is never changed: a new one follows. The
// types are those of SQLite, which other databases replace by theirs.
var migrations = []string{`
CREATE TABLE facts (
	name  TEXT PRIMARY KEY,
	value BIGINT NOT NULL
);
CREATE TABLE commits (
	id   INTEGER PRIMARY KEY,
	hash TEXT NOT NULL UNIQUE,
	time BIGINT NOT NULL
);
CREATE TABLE environments (
	id       INTEGER PRIMARY KEY,
	go       TEXT NOT NULL,
	platform TEXT NOT NULL,
	ci       TEXT NOT NULL,
	UNIQUE (go, platform, ci)
);
CREATE TABLE sessions (
	id             INTEGER PRIMARY KEY,
	key            TEXT NOT NULL UNIQUE,
	source         TEXT NOT NULL,
	started        BIGINT NOT NULL,
	commit_id      BIGINT NOT NULL,
	modified       BIGINT NOT NULL,
	branch         TEXT NOT NULL,
	job            TEXT NOT NULL,
	attempt        BIGINT NOT NULL,
	environment_id BIGINT NOT NULL,
	complete       BIGINT NOT NULL
);
CREATE TABLE packages (
	id   INTEGER PRIMARY KEY,
	path TEXT NOT NULL UNIQUE
);
CREATE TABLE tests (
	id         INTEGER PRIMARY KEY,
	package_id BIGINT NOT NULL,
	name       TEXT NOT NULL,
	slowest    BIGINT NOT NULL,
	UNIQUE (package_id, name)
);
CREATE TABLE sets (
	id      INTEGER PRIMARY KEY,
	hash    TEXT NOT NULL UNIQUE,
	content BLOB NOT NULL
);
CREATE TABLE runs (
	id         INTEGER PRIMARY KEY,
	key        TEXT NOT NULL UNIQUE,
	session_id BIGINT NOT NULL,
	package_id BIGINT NOT NULL,
	kind       TEXT NOT NULL,
	started    BIGINT NOT NULL,
	elapsed    BIGINT NOT NULL,
	unfinished BIGINT NOT NULL,
	set_id     BIGINT NOT NULL
);
CREATE INDEX runs_session ON runs (session_id);
CREATE TABLE signatures (
	id      INTEGER PRIMARY KEY,
	test_id BIGINT NOT NULL,
	text    TEXT NOT NULL,
	message TEXT NOT NULL,
	UNIQUE (test_id, text)
);
CREATE TABLE failures (
	run_id       BIGINT NOT NULL,
	nth          BIGINT NOT NULL,
	test_id      BIGINT NOT NULL,
	signature_id BIGINT NOT NULL,
	status       TEXT NOT NULL,
	elapsed      BIGINT NOT NULL,
	PRIMARY KEY (run_id, nth)
);
CREATE TABLE notes (
	test_id BIGINT NOT NULL,
	key     TEXT NOT NULL,
	value   TEXT NOT NULL,
	noted   BIGINT NOT NULL,
	PRIMARY KEY (test_id, key)
);
CREATE TABLE verdicts (
	session_id BIGINT NOT NULL,
	nth        BIGINT NOT NULL,
	test_id    BIGINT NOT NULL,
	class      TEXT NOT NULL,
	kind       TEXT NOT NULL,
	category   TEXT NOT NULL,
	signature  TEXT NOT NULL,
	place      TEXT NOT NULL,
	failed     BIGINT NOT NULL,
	runs       BIGINT NOT NULL,
	PRIMARY KEY (session_id, nth)
);
`, `
ALTER TABLE sessions ADD COLUMN reports TEXT NOT NULL DEFAULT '';
`}

// A newerError is about a database that a newer fdebug has written.
type newerError struct{ Version, Known int }

func (e *newerError) Error() string {
	return fmt.Sprintf("its format is version %d, and this fdebug knows %d", e.Version, e.Known)
}

// An OlderError is about a database that is not up to date, and that may not be changed.
// Version is 0 if it is empty.
type OlderError struct{ Version, known int }

func (e *OlderError) Error() string {
	return fmt.Sprintf("its format is version %d, and this fdebug reads %d", e.Version, e.known)
}

// IsNewer reports whether a database was written by a newer fdebug.
func IsNewer(err error) bool {
	var newer *newerError
	return errors.As(err, &newer)
}
