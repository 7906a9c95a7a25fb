package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// oneSignal is how long further signals count as the first one: timeout(1) and some CI systems
	// signal the process and then its process group.
	oneSignal = 500 * time.Millisecond
	// lastMoment is how long after a signal the process ends, whatever it is doing.
	lastMoment = 5 * time.Second
)

// Interruptible returns a context that ends at the first Ctrl-C, SIGTERM or SIGHUP: then what is known is written. A
// second signal ends the process at once.
func Interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(heard, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		defer signal.Stop(heard)
		select {
		case <-heard:
		case <-done:
			return
		}
		cancel(&InterruptError{At: time.Now()})
		last := time.After(lastMoment)
		for _, wait := range []<-chan time.Time{time.After(oneSignal), last} {
			select {
			case <-wait:
				signal.Stop(heard)
			case <-done:
				return
			}
		}
		fmt.Fprintf(os.Stderr, "fdebug: ended %v after the signal: not all that is known is written\n", lastMoment)
		os.Exit(Interrupted)
	}()
	return ctx, func() {
		close(done)
		cancel(context.Canceled)
	}
}

// Command runs a command until it ends, or a signal does. If it fails then, that is why.
func Command(run func(context.Context) (int, error)) (int, error) {
	ctx, stop := Interruptible()
	defer stop()
	code, err := run(ctx)
	if err != nil && IsInterrupted(ctx) {
		return Interrupted, errors.New("interrupted")
	}
	return code, err
}
