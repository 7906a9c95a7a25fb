package broker

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// store is what a subscriber does with an event.
func store(e Event) (n int) {
	json.Unmarshal([]byte(e.Body), &n)
	time.Sleep(rand.N(4 * time.Millisecond))
	return n
}

func TestSubscriberSeesAllEvents(t *testing.T) {
	b := New(2)
	sub := b.Subscribe("orders")

	var seen []int
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for e := range sub.C {
			seen = append(seen, store(e))
		}
	}()
	for i := range 12 {
		body, err := json.Marshal(i)
		if err != nil {
			t.Fatal(err)
		}
		b.Publish(Event{"orders", strings.TrimSpace(string(body))})
		time.Sleep(2 * time.Millisecond)
	}
	b.Close()
	wg.Wait()

	if len(seen) != 12 {
		t.Errorf("saw %d events, want 12", len(seen))
	}
}

func TestTopics(t *testing.T) {
	b := New(4)
	orders, all := b.Subscribe("orders"), b.Subscribe("")
	for i := range 3 {
		b.Publish(Event{"returns", fmt.Sprint(i)})
	}
	b.Publish(Event{"orders", "x"})
	b.Close()
	if n, m := len(orders.C), len(all.C); n != 1 || m != 4 {
		t.Errorf("%d and %d events, want 1 and 4", n, m)
	}
}

func TestUnsubscribe(t *testing.T) {
	b := New(1)
	s := b.Subscribe("orders")
	b.Unsubscribe(s)
	b.Publish(Event{"orders", "x"})
	if e, ok := <-s.C; ok {
		t.Errorf("got %v after Unsubscribe", e)
	}
}
