package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long a second signal is taken for the first one: timeout(1) and some CI systems
// send theirs to the process and then to its group.
const oneSignal = 500 * time.Millisecond

// interruptible returns a context that ends at the first Ctrl-C. A second one ends the process at
// once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(oneSignal, stop) })
	return ctx, stop
}
