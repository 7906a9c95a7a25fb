package main

import (
	"context"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

// preysIn returns the tests of a package, after a run of all of them unless there was one.
func preysIn(ctx context.Context, l *session.Lab) ([]*prey, error) {
	if l.Seen.Tests == nil {
		if err := l.FirstRun(ctx); err != nil {
			return nil, err
		}
		l.Seen.Save()
	}
	var list []*prey
	for _, t := range l.Seen.Tests {
		list = append(list, &prey{lab: l, name: t.Name, usual: t.Usual, status: t.Status, threads: t.Threads, draws: t.Draws})
	}
	return list, nil
}

// namesOf returns the names of tests.
func namesOf(list []*prey) string {
	var names []string
	for _, p := range list {
		names = append(names, p.name)
	}
	return text.FewNames(names)
}
