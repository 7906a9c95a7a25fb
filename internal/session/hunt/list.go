package hunt

import (
	"context"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

// preysIn returns the tests of a package, after a run of all of them unless there was one.
func preysIn(ctx context.Context, l *session.Lab) ([]*Test, error) {
	if l.Seen.Tests == nil {
		if err := l.FirstRun(ctx); err != nil {
			return nil, err
		}
		l.Seen.Save()
	}
	var list []*Test
	for _, t := range l.Seen.Tests {
		list = append(list, &Test{Lab: l, Name: t.Name, Usual: t.Usual, Status: t.Status, threads: t.Threads, draws: t.Draws})
	}
	return list, nil
}

// namesOf returns the names of tests.
func namesOf(list []*Test) string {
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return text.FewNames(names)
}
