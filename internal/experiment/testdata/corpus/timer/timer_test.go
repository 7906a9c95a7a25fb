// Package timer has tests that count on timers that fire in time.
package timer

import (
	"context"
	"io"
	"net"
	"testing"
	"time"
)

// An entry of a cache is gone some time after it was made.
func TestExpiry(t *testing.T) {
	var c cache
	c.put("a", 5*time.Millisecond)    // cause expiry
	time.Sleep(20 * time.Millisecond) // cause expiry
	if c.has("a") {
		t.Error("a is there still")
	}
}

// A context is over before something else is.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Millisecond) // cause context
	defer cancel()
	select {
	case <-ctx.Done():
	case <-time.After(18 * time.Millisecond): // cause context
		t.Error("the context is not done")
	}
}

// A read gives up.
func TestDeadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		time.Sleep(25 * time.Millisecond) // cause reading
		io.WriteString(c, "hello")
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(5 * time.Millisecond)) // cause reading
	if n, err := c.Read(make([]byte, 10)); err == nil {
		t.Errorf("read %d bytes", n)
	}
}

// It is sound: it waits for as long as it takes.
func TestWaits(t *testing.T) {
	done := make(chan bool)
	time.AfterFunc(2*time.Millisecond, func() { close(done) })
	<-done
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 3 {
		<-tick.C
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
}
