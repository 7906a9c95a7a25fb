// Package timeout keeps the accounts of a small bank. Each account has a lock of
// its own, so that transfers between different accounts do not wait for each
// other.
package timeout

import (
	"errors"
	"fmt"
	"sync"
)

// ErrFunds says that an account does not hold enough money.
var ErrFunds = errors.New("insufficient funds")

// An Account holds money, in cents.
type Account struct {
	Owner string

	mu      sync.Mutex
	balance int64
}

// NewAccount returns an account that holds balance.
func NewAccount(owner string, balance int64) *Account {
	return &Account{Owner: owner, balance: balance}
}

// Balance returns what the account holds.
func (a *Account) Balance() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// A Journal records each transfer before it is made.
type Journal interface {
	Record(from, to string, amount int64) error
}

// A Ledger makes transfers.
type Ledger struct {
	Journal Journal
}

// Transfer moves amount from one account to another. Either both balances change
// or, if there is an error, none.
func (l *Ledger) Transfer(from, to *Account, amount int64) error {
	if from == to {
		return nil
	}
	from.mu.Lock()
	defer from.mu.Unlock()
	if from.balance < amount {
		return fmt.Errorf("transfer of %d from %s: %w", amount, from.Owner, ErrFunds)
	}
	if err := l.Journal.Record(from.Owner, to.Owner, amount); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= amount
	to.balance += amount
	return nil
}
