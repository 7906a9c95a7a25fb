// Package leakyhub collects readings of sensors.
package leakyhub

import (
	"sync"
	"time"
)

// A Sensor measures something.
type Sensor interface {
	Read() float64
}

// Stats counts what all hubs of the process have done.
type Stats struct {
	mu    sync.Mutex
	reads int
	high  int
}

// Total is shared by all hubs.
var Total Stats

// Reset begins to count anew.
func (s *Stats) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads, s.high = 0, 0
}

// Reads returns how many readings were taken.
func (s *Stats) Reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

func (s *Stats) count(value, limit float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if value > limit {
		s.high++
	}
}

// A Hub reads a sensor again and again.
type Hub struct {
	sensor Sensor
	limit  float64
	stop   chan struct{}

	mu   sync.Mutex
	last float64
}

// NewHub returns a hub that warns above limit.
func NewHub(s Sensor, limit float64) *Hub {
	return &Hub{sensor: s, limit: limit, stop: make(chan struct{})}
}

// Poll takes one reading.
func (h *Hub) Poll() float64 {
	v := h.sensor.Read()
	h.mu.Lock()
	h.last = v
	h.mu.Unlock()
	Total.count(v, h.limit)
	return v
}

// Watch takes a reading at each interval until the hub is closed.
func (h *Hub) Watch(interval time.Duration) {
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				h.Poll()
			case <-h.stop:
				return
			}
		}
	}()
}

// Last returns the last reading.
func (h *Hub) Last() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// Close stops watching.
func (h *Hub) Close() { close(h.stop) }
