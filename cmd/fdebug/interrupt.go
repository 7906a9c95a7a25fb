package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is how long further signals count as the first one: timeout(1) and some CI systems
// signal the process and then its process group.
const oneSignal = 500 * time.Millisecond

// interruptible returns a context that is canceled at the first Ctrl-C or SIGTERM. A second signal
// ends the process at once.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(oneSignal, stop) })
	return ctx, stop
}
