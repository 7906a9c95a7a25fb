// Package feed sends news to those who have subscribed.
package feed

import (
	"sync"
	"time"
)

// A Subscription is one reader's queue.
type Subscription struct {
	News chan string
}

// A Feed has subscribers.
type Feed struct {
	Pace time.Duration // how long one delivery takes

	mu   sync.Mutex
	subs []*Subscription
}

// Subscribe adds a reader with room for some news.
func (f *Feed) Subscribe(room int) *Subscription {
	s := &Subscription{News: make(chan string, room)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subs = append(f.subs, s)
	return s
}

// Publish sends news to all readers, but to those whose queue is full.
func (f *Feed) Publish(text string) {
	f.mu.Lock()
	subs := f.subs
	f.mu.Unlock()
	for _, s := range subs {
		time.Sleep(f.Pace)
		deliver(s, text)
	}
}

func deliver(s *Subscription, text string) {
	select {
	case s.News <- text:
	default:
	}
}

// Cancel ends a subscription.
func (f *Feed) Cancel(s *Subscription) {
	f.mu.Lock()
	var rest []*Subscription
	for _, other := range f.subs {
		if other != s {
			rest = append(rest, other)
		}
	}
	f.subs = rest
	f.mu.Unlock()
	close(s.News)
}
