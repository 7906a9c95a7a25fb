// Package quiet hands out work to workers that come and go.
package quiet

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Ticket is a piece of work.
type Ticket struct {
	ID   uint64
	Text string
}

// A Desk hands out tickets.
type Desk struct {
	mu      sync.Mutex
	open    map[uint64]Ticket
	done    map[uint64]string
	pending atomic.Int64
}

// NewDesk returns a desk without tickets.
func NewDesk() *Desk {
	return &Desk{open: make(map[uint64]Ticket), done: make(map[uint64]string)}
}

// Add adds a ticket under a random number.
func (d *Desk) Add(text string) uint64 {
	t := Ticket{rand.Uint64(), text}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[t.ID] = t
	d.pending.Add(1)
	return t.ID
}

// take returns some open ticket.
func (d *Desk) take() (Ticket, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, t := range d.open {
		delete(d.open, id)
		return t, true
	}
	return Ticket{}, false
}

func (d *Desk) finish(t Ticket, worker string) {
	d.mu.Lock()
	d.done[t.ID] = worker
	d.mu.Unlock()
	d.pending.Add(-1)
}

// Work works until no ticket is left.
func (d *Desk) Work(worker string) {
	for {
		t, ok := d.take()
		if !ok {
			return
		}
		time.Sleep(rand.N(300 * time.Microsecond))
		d.finish(t, worker)
	}
}

// Wait polls until all tickets are done.
func (d *Desk) Wait() (polls int) {
	for d.pending.Load() > 0 {
		polls++
		time.Sleep(50 * time.Microsecond)
	}
	return polls
}

// Done returns the numbers of the tickets that are done, sorted.
func (d *Desk) Done() []uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []uint64
	for id := range d.done {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Announce tells the time to whoever connects.
func Announce() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintln(c, time.Now().Format(time.RFC3339Nano))
			c.Close()
		}
	}()
	return l, nil
}
