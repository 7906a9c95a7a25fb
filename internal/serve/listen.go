package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Limits of a connection. A client that is slower has gone, or means ill.
const (
	headerTime  = 5 * time.Second
	readTime    = 10 * time.Second
	writeTime   = 2 * time.Minute // of a page of some megabytes
	idleTime    = 2 * time.Minute
	headerBytes = 16 << 10
	graceTime   = 5 * time.Second
)

// Listen opens an address, and reports whether only this machine reaches it.
func Listen(ctx context.Context, addr string) (ln net.Listener, loopback bool, err error) {
	var config net.ListenConfig
	if ln, err = config.Listen(ctx, "tcp", addr); err != nil {
		return nil, false, err
	}
	at, ok := ln.Addr().(*net.TCPAddr)
	return ln, ok && at.IP.IsLoopback(), nil
}

// Serve answers requests until ctx is done, and then ends those that are under way.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	watching, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.watch(watching)
	}()
	defer func() { stop(); <-done }()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return server.Close()
}
