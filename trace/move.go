package trace

import "strings"

// CompactMoved returns a [Compact] for traces of binaries that were built
// where files of one directory appeared in another: a file below from is named
// as if it were below to.
func CompactMoved(from, to string) func(rawPath, dstPath string) error {
	return func(rawPath, dstPath string) error {
		t, err := ReadRaw(rawPath)
		if err != nil {
			return err
		}
		defer t.Close()
		t.move(from, to)
		return WriteFile(dstPath, t)
	}
}

// move renames the files below one directory.
func (t *Trace) move(from, to string) {
	rename := func(f *Frame) {
		if rest, ok := strings.CutPrefix(f.File, from); ok && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
			f.File = to + rest
		}
	}
	for _, g := range t.Goroutines {
		rename(&g.Spawn)
		rename(&g.Entry)
	}
	for _, stack := range t.Stacks {
		for i := range stack {
			rename(&stack[i])
		}
	}
}

// Move rewrites a kept trace so that files below one directory are named as if they
// were below another: it was recorded where the module lay elsewhere.
func Move(path, from, to string) error {
	t, err := Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	t.move(from, to)
	return WriteFile(path, t)
}
