package fanout

import (
	"context"
	"errors"
	"testing"
	"time"
)

type stock struct {
	left map[string]int
	took time.Duration
}

func (s stock) Reserve(ctx context.Context, articles map[string]int) error {
	time.Sleep(s.took)
	for name, n := range articles {
		if s.left[name] < n {
			return ErrStock
		}
	}
	return nil
}

type credit struct {
	limit int
	took  time.Duration
}

func (c credit) Authorize(ctx context.Context, customer string, cents int) error {
	time.Sleep(c.took)
	if cents > c.limit {
		return ErrCredit
	}
	return nil
}

func TestOrderIsAccepted(t *testing.T) {
	d := &Desk{stock{left: map[string]int{"lamp": 3, "rug": 1}}, credit{limit: 100_00}}
	if err := d.Check(context.Background(), Order{"ada", map[string]int{"lamp": 2, "rug": 1}, 80_00}); err != nil {
		t.Error(err)
	}
}

func TestSoldOut(t *testing.T) {
	d := &Desk{
		Warehouse: stock{left: map[string]int{"lamp": 3}, took: 2 * time.Millisecond},
		Bank:      credit{limit: 50_00, took: 2 * time.Millisecond},
	}
	err := d.Check(context.Background(), Order{"ada", map[string]int{"rug": 1}, 99_00})
	if !errors.Is(err, ErrStock) {
		t.Errorf("Check: %v, want %v", err, ErrStock)
	}
}

func TestEmptyOrder(t *testing.T) {
	if err := new(Desk).Check(context.Background(), Order{Customer: "bob"}); err == nil {
		t.Error("an empty order was accepted")
	}
}
