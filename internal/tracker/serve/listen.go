package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/team"
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

// Run shows pages until ctx is done.
func Run(ctx context.Context, p team.Pages) error {
	ln, loopback, err := listenNear(ctx, p.Addr)
	if err != nil {
		return err
	}
	defer ln.Close()
	if !loopback && p.Token == "" {
		return team.ErrToken
	}
	s, err := New(ctx, Options{Pages: p, Loopback: loopback})
	if err != nil {
		return err
	}
	defer s.Close()
	p.Ready(urlOf(p.Addr, ln))
	return s.Serve(ctx, ln)
}

// listenNear opens an address, or near the default one where that is taken.
func listenNear(ctx context.Context, addr string) (net.Listener, bool, error) {
	if addr != "" {
		return Listen(ctx, addr)
	}
	if ln, loopback, err := Listen(ctx, team.DefaultAddr); err == nil {
		return ln, loopback, nil
	}
	return Listen(ctx, "localhost:0")
}

// urlOf is where a browser finds the pages.
func urlOf(addr string, ln net.Listener) string {
	at := ln.Addr().(*net.TCPAddr)
	host := "localhost"
	if addr != "" {
		host, _, _ = net.SplitHostPort(addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(at.Port)) + "/"
}

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
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
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
