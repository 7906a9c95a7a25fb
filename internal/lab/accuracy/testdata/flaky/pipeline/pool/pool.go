// Package pool runs a function over many inputs on a fixed number of workers.
package pool

import (
	"fmt"
	"sync"
)

// An Error says which input could not be processed.
type Error struct {
	Index int
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("input %d: %v", e.Index, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

type task[T any] struct {
	index int
	in    T
}

type outcome[R any] struct {
	index int
	out   R
	err   error
}

// Map applies f to every input and returns what it made of them. It stops at the
// first error.
func Map[T, R any](workers int, inputs []T, f func(T) (R, error)) ([]R, error) {
	tasks := make(chan task[T])
	outcomes := make(chan outcome[R], len(inputs))

	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for t := range tasks {
				out, err := f(t.in)
				outcomes <- outcome[R]{t.index, out, err}
			}
		}()
	}
	for i, in := range inputs {
		tasks <- task[T]{i, in}
	}
	close(tasks)
	wg.Wait()
	close(outcomes)

	list := make([]R, 0, len(inputs))
	for o := range outcomes {
		if o.err != nil {
			return nil, &Error{o.index, o.err}
		}
		list = append(list, o.out)
	}
	return list, nil
}
