package timeout

import (
	"errors"
	"sync"
	"testing"
	"time"

	"example.com/examples/internal/latency"
)

// diskJournal needs a few milliseconds for each entry.
type diskJournal struct{}

func (diskJournal) Record(from, to string, amount int64) error {
	latency.Wait(2*time.Millisecond, 4*time.Millisecond)
	return nil
}

func TestMutualTransfers(t *testing.T) {
	ledger := &Ledger{Journal: diskJournal{}}
	ada, bob := NewAccount("ada", 100_00), NewAccount("bob", 100_00)

	var transfers sync.WaitGroup
	transfer := func(from, to *Account, amount int64) {
		latency.Wait(0, 16*time.Millisecond) // the orders come in when they come
		if err := ledger.Transfer(from, to, amount); err != nil {
			t.Error(err)
		}
	}
	transfers.Go(func() { transfer(ada, bob, 30_00) })
	transfers.Go(func() { transfer(bob, ada, 10_00) })

	done := make(chan struct{})
	go func() {
		transfers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(200 * time.Millisecond):
		t.Fatal("the transfers have not ended after 200ms")
	}

	if a, b := ada.Balance(), bob.Balance(); a != 80_00 || b != 120_00 {
		t.Errorf("balances are %d and %d, want 8000 and 12000", a, b)
	}
}

func TestInsufficientFunds(t *testing.T) {
	ledger := &Ledger{Journal: diskJournal{}}
	ada, bob := NewAccount("ada", 5), NewAccount("bob", 0)
	if err := ledger.Transfer(ada, bob, 6); !errors.Is(err, ErrFunds) {
		t.Errorf("Transfer: %v, want %v", err, ErrFunds)
	}
}
