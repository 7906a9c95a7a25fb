// Package uploads sends files side by side.
package uploads

import "sync"

// A Batch sends files and knows when all have been sent.
type Batch struct {
	Send func(name string) error

	wg   sync.WaitGroup
	mu   sync.Mutex
	sent []string
}

// Add sends one more file.
func (b *Batch) Add(name string) {
	go b.upload(name)
	b.log(name)
	b.wg.Add(1)
}

func (b *Batch) upload(name string) {
	defer b.wg.Done()
	if err := b.Send(name); err != nil {
		return
	}
	b.log("sent " + name)
}

func (b *Batch) log(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = append(b.sent, text)
}

// Wait waits for all, and returns what was done.
func (b *Batch) Wait() []string {
	b.wg.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sent
}
