// Package queue holds jobs in the order of their priority.
package queue

import (
	"container/heap"
	"sync"
)

// A Job is something to do.
type Job struct {
	ID       uint32
	Name     string
	Priority int
}

type jobs []Job

func (j jobs) Len() int           { return len(j) }
func (j jobs) Less(a, b int) bool { return j[a].Priority > j[b].Priority }
func (j jobs) Swap(a, b int)      { j[a], j[b] = j[b], j[a] }
func (j *jobs) Push(x any)        { *j = append(*j, x.(Job)) }
func (j *jobs) Pop() any {
	old := *j
	last := old[len(old)-1]
	*j = old[:len(old)-1]
	return last
}

// A Queue is safe for concurrent use.
type Queue struct {
	mu   sync.Mutex
	jobs jobs
}

// Put adds a job.
func (q *Queue) Put(j Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	heap.Push(&q.jobs, j)
}

// Take returns the job with the highest priority.
func (q *Queue) Take() (Job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return Job{}, false
	}
	return heap.Pop(&q.jobs).(Job), true
}

// Len returns the number of jobs.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}
