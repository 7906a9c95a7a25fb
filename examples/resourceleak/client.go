// Package resourceleak is the client of a replicated key-value server, with a
// pool of connections.
package resourceleak

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
)

var (
	// ErrExhausted says that all connections of the pool are in use.
	ErrExhausted = errors.New("connection pool exhausted")
	// ErrStale says that the replica is too far behind to answer.
	ErrStale = errors.New("replica is stale")
)

// A Pool keeps up to max connections to one address.
type Pool struct {
	addr string
	max  int

	mu   sync.Mutex
	open int
	idle []net.Conn
}

// NewPool returns a pool of at most max connections to addr.
func NewPool(addr string, max int) *Pool {
	return &Pool{addr: addr, max: max}
}

// Get returns an idle connection, or a new one.
func (p *Pool) Get() (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	if p.open == p.max {
		return nil, ErrExhausted
	}
	c, err := net.Dial("tcp", p.addr)
	if err != nil {
		return nil, err
	}
	p.open++
	return c, nil
}

// Put gives a connection back.
func (p *Pool) Put(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
}

// Discard closes a connection that is of no more use.
func (p *Pool) Discard(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

// A Client looks up keys.
type Client struct {
	Pool *Pool
}

// Lookup returns the value of key.
func (c *Client) Lookup(key string) (string, error) {
	conn, err := c.Pool.Get()
	if err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(conn, "GET %s\n", key); err != nil {
		c.Pool.Discard(conn)
		return "", err
	}
	reply, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		c.Pool.Discard(conn)
		return "", err
	}
	status, value, _ := strings.Cut(strings.TrimSpace(reply), " ")
	switch status {
	case "STALE":
		return "", ErrStale
	case "OK":
		c.Pool.Put(conn)
		return value, nil
	default:
		c.Pool.Discard(conn)
		return "", fmt.Errorf("unexpected reply %q", reply)
	}
}

// Warm looks up all keys. Keys for which the replica is stale are left out:
// they are looked up again when they are needed.
func (c *Client) Warm(keys []string) (map[string]string, error) {
	cache := make(map[string]string)
	for _, key := range keys {
		value, err := c.Lookup(key)
		if errors.Is(err, ErrStale) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		cache[key] = value
	}
	return cache, nil
}
