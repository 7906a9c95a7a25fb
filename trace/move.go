package trace

import "strings"

// move renames the files below from.
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

// Move rewrites a kept trace that was recorded while the module lay elsewhere. It names files
// below from as if they were below to.
func Move(path, from, to string) error {
	t, err := Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	t.move(from, to)
	return WriteFile(path, t)
}
