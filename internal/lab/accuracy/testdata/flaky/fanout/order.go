// Package fanout accepts orders of a shop if all departments agree.
package fanout

import (
	"context"
	"errors"
	"fmt"

	"example.com/fanout/errgroup"
)

var (
	// ErrStock says that an article is sold out.
	ErrStock = errors.New("out of stock")
	// ErrCredit says that the customer can't pay that much.
	ErrCredit = errors.New("credit limit exceeded")
)

// An Order is what a customer wants.
type Order struct {
	Customer string
	Articles map[string]int
	Cents    int
}

// A Warehouse reserves articles.
type Warehouse interface {
	Reserve(ctx context.Context, articles map[string]int) error
}

// A Bank reserves money.
type Bank interface {
	Authorize(ctx context.Context, customer string, cents int) error
}

// A Desk checks orders.
type Desk struct {
	Warehouse Warehouse
	Bank      Bank
}

// Check returns why an order can't be accepted, nil if it can.
func (d *Desk) Check(ctx context.Context, o Order) error {
	if len(o.Articles) == 0 {
		return errors.New("empty order")
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := d.Warehouse.Reserve(ctx, o.Articles); err != nil {
			return fmt.Errorf("warehouse: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		if err := d.Bank.Authorize(ctx, o.Customer, o.Cents); err != nil {
			return fmt.Errorf("bank: %w", err)
		}
		return nil
	})
	return g.Wait()
}
