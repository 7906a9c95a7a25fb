package history

import (
	"context"
	"os"
)

// A Versioned is a [DB] that says, without being read, whether anything was written to
// it: the version is another one then.
type Versioned interface {
	Version(ctx context.Context) (string, error)
}

// OpenLive opens a history to be read while others write to it. It does not make one, or
// change it in any way, and so refuses one that is to be brought up to date.
func OpenLive(ctx context.Context, file string) (DB, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	db, err := open(ctx, file, "ro")
	if err != nil && !IsDamaged(err) && !IsNewer(err) { // a directory in which SQLite can't make the file that readers share
		if still, err := OpenReadOnly(ctx, file); err == nil {
			return still, nil
		}
	}
	return db, err
}
