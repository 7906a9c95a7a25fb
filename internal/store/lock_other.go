//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"io/fs"
	"os"
)

// Windows does not remove a file that a process has open, so the open file is the lock. Elsewhere
// there is no lock, and nothing is ever in use.

func lockFile(*os.File) error { return nil }

func isLocked(name string) bool { return os.Remove(name) != nil }

func ours(fs.FileInfo) bool { return true }
