package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/exit"
)

const (
	// oneSignal is how long further signals count as the first one: timeout(1) and some CI systems
	// signal the process and then its process group.
	oneSignal = 500 * time.Millisecond
	// lastMoment is how long after a signal the process ends, whatever it is doing.
	lastMoment = 5 * time.Second
)

// interruptible returns a context that ends at the first Ctrl-C, SIGTERM or SIGHUP: then what is known is written. A
// second signal ends the process at once.
func interruptible() (context.Context, context.CancelFunc) {
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
		cancel(&exit.InterruptError{At: time.Now()})
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
		os.Exit(exit.Interrupted)
	}()
	return ctx, func() {
		close(done)
		cancel(context.Canceled)
	}
}

// unlessInterrupted returns the result of a command, unless it failed because a signal ended it.
func unlessInterrupted(ctx context.Context, code int, err error) (int, error) {
	if err != nil && exit.IsInterrupted(ctx) {
		return exit.Interrupted, errors.New("interrupted")
	}
	return code, err
}
