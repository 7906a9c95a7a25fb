// Package notify runs tasks in the background and tells how they stand.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// A Status says how a task stands.
type Status string

const (
	Waiting Status = "waiting"
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
)

// A Task is a function that runs in the background.
type Task struct {
	name    string
	started chan struct{}
	ended   chan struct{}

	mu     sync.Mutex
	status Status
	err    error
}

// Start starts a task.
func Start(ctx context.Context, name string, log *slog.Logger, f func(context.Context) error) *Task {
	t := &Task{name: name, started: make(chan struct{}), ended: make(chan struct{}), status: Waiting}
	go t.run(ctx, log, f)
	return t
}

func (t *Task) run(ctx context.Context, log *slog.Logger, f func(context.Context) error) {
	defer close(t.ended)
	close(t.started)
	log.Info("task begins", "name", t.name)
	t.set(Running, nil)
	err := f(ctx)
	if err != nil {
		log.Error("task failed", "name", t.name, "err", err)
		t.set(Failed, fmt.Errorf("%s: %w", t.name, err))
		return
	}
	t.set(Done, nil)
}

func (t *Task) set(s Status, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status, t.err = s, err
}

// Started is closed when the task has begun.
func (t *Task) Started() <-chan struct{} { return t.started }

// Wait waits for the end of the task.
func (t *Task) Wait() error {
	<-t.ended
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Status returns how the task stands.
func (t *Task) Status() Status {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status
}

// ErrStopped is for tasks that end because they were told to.
var ErrStopped = errors.New("stopped")
