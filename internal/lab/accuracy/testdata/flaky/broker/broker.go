// Package broker passes events on to those who have subscribed to their topic.
package broker

import (
	"slices"
	"sync"
)

// An Event is something that happened.
type Event struct {
	Topic string
	Body  string
}

// A Subscription is one subscriber's part of the events.
type Subscription struct {
	C <-chan Event

	topic string
	c     chan Event
}

// A Broker connects publishers and subscribers.
type Broker struct {
	backlog int

	mu     sync.Mutex
	subs   []*Subscription
	closed bool
}

// New returns a broker that keeps a few events for each subscriber.
func New(backlog int) *Broker { return &Broker{backlog: backlog} }

// Subscribe returns a subscription to a topic; "" is all of them.
func (b *Broker) Subscribe(topic string) *Subscription {
	c := make(chan Event, b.backlog)
	s := &Subscription{C: c, c: c, topic: topic}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = append(b.subs, s)
	return s
}

// Unsubscribe ends a subscription.
func (b *Broker) Unsubscribe(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.subs, s); i >= 0 {
		b.subs = slices.Delete(b.subs, i, i+1)
		close(s.c)
	}
}

// Publish passes an event on. It never waits for a subscriber.
func (b *Broker) Publish(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.subs {
		if s.topic != "" && s.topic != e.Topic {
			continue
		}
		select {
		case s.c <- e:
		default:
		}
	}
}

// Close ends all subscriptions.
func (b *Broker) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	for _, s := range b.subs {
		close(s.c)
	}
	b.subs = nil
}
