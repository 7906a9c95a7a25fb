package concurrency

import (
	"errors"
	"sync"
	"testing"
	"time"

	"example.com/examples/internal/latency"
)

var errUnknown = errors.New("unknown customer")

// database takes a few milliseconds for each query.
func database(customer string) (Profile, error) {
	latency.Wait(2*time.Millisecond, 4*time.Millisecond)
	if customer != "ada" {
		return Profile{}, errUnknown
	}
	return Profile{Name: "Ada", Currency: "GBP"}, nil
}

func TestTwoTabsFillOneCart(t *testing.T) {
	st := NewStore(database)

	var tabs sync.WaitGroup
	for _, article := range []string{"lamp", "rug"} {
		tabs.Go(func() {
			latency.Wait(0, 15*time.Millisecond) // the customer looks around
			s, err := st.Session("ada")
			if err != nil {
				t.Error(err)
				return
			}
			s.Put(article)
		})
	}
	tabs.Wait()

	s, err := st.Session("ada")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.Cart()); got != 2 {
		t.Errorf("%d articles in the cart, want 2", got)
	}
}

func TestUnknownCustomer(t *testing.T) {
	st := NewStore(database)
	if _, err := st.Session("bob"); !errors.Is(err, errUnknown) {
		t.Errorf("Session(bob): %v, want %v", err, errUnknown)
	}
}

func TestEnd(t *testing.T) {
	st := NewStore(database)
	first, err := st.Session("ada")
	if err != nil {
		t.Fatal(err)
	}
	st.End("ada")
	second, err := st.Session("ada")
	if err != nil {
		t.Fatal(err)
	}
	if first == second {
		t.Error("the session outlived End")
	}
}
