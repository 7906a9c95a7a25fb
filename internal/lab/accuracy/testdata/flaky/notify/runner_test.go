package notify

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
)

func logger() *slog.Logger { return slog.New(slog.NewJSONHandler(io.Discard, nil)) }

func TestStartedTaskIsRunning(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	task := Start(ctx, "import", logger(), func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
	<-task.Started()
	if got := task.Status(); got != Running {
		t.Errorf("status = %s, want %s", got, Running)
	}
	cancel()
	if err := task.Wait(); err != nil {
		t.Error(err)
	}
}

func TestFailedTask(t *testing.T) {
	task := Start(context.Background(), "import", logger(), func(context.Context) error { return ErrStopped })
	if err := task.Wait(); !errors.Is(err, ErrStopped) {
		t.Errorf("Wait: %v, want %v", err, ErrStopped)
	}
	if got := task.Status(); got != Failed {
		t.Errorf("status = %s, want %s", got, Failed)
	}
}
