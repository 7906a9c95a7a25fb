// Package scheduler runs jobs at intervals.
package scheduler

import (
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"example.com/scheduler/queue"
)

// A Scheduler runs the jobs of its queue, one after the other.
type Scheduler struct {
	queue queue.Queue
	run   func(queue.Job)
	stop  chan struct{}
	done  chan struct{}

	mu      sync.Mutex
	history map[uint32]string
	spent   map[string]time.Duration
}

// New returns a scheduler that calls run for each job.
func New(run func(queue.Job)) *Scheduler {
	return &Scheduler{
		run: run, stop: make(chan struct{}), done: make(chan struct{}),
		history: make(map[uint32]string), spent: make(map[string]time.Duration),
	}
}

// Submit adds a job and returns its number.
func (s *Scheduler) Submit(name string, priority int) uint32 {
	id := rand.Uint32()
	s.queue.Put(queue.Job{ID: id, Name: name, Priority: priority})
	return id
}

// Start begins to run jobs.
func (s *Scheduler) Start() { go s.loop() }

func (s *Scheduler) loop() {
	defer close(s.done)
	for {
		select {
		case <-s.stop:
			return
		default:
		}
		j, ok := s.queue.Take()
		if !ok {
			time.Sleep(200 * time.Microsecond)
			continue
		}
		began := time.Now()
		s.run(j)
		s.finish(j, time.Since(began))
	}
}

func (s *Scheduler) finish(j queue.Job, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history[j.ID] = j.Name
	s.spent[j.Name] += d
}

// Idle reports whether there is nothing left to take.
func (s *Scheduler) Idle() bool { return s.queue.Len() == 0 }

// Wait waits until nothing is left to do.
func (s *Scheduler) Wait() {
	for !s.Idle() {
		time.Sleep(100 * time.Microsecond)
	}
}

// Summary lists the names of the jobs that have run.
func (s *Scheduler) Summary() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := make(map[string]int)
	for _, name := range s.history {
		count[strings.ToLower(name)]++
	}
	return count
}

// Spent returns how long all jobs took together.
func (s *Scheduler) Spent() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum time.Duration
	for _, d := range s.spent {
		sum += d
	}
	return sum
}

// Close stops the scheduler.
func (s *Scheduler) Close() {
	close(s.stop)
	<-s.done
}
