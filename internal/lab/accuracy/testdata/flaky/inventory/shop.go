// Package inventory sells articles until none are left.
package inventory

import (
	"errors"
	"fmt"
	"sync"
)

// ErrSoldOut says that an article is not in stock.
var ErrSoldOut = errors.New("sold out")

// A Stock counts articles.
type Stock struct {
	mu    sync.Mutex
	count map[string]int
}

// NewStock returns a stock with the given articles.
func NewStock(count map[string]int) *Stock {
	s := &Stock{count: make(map[string]int)}
	for name, n := range count {
		s.count[name] = n
	}
	return s
}

// Get returns how many there are of an article.
func (s *Stock) Get(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[name]
}

// Set sets how many there are of an article.
func (s *Stock) Set(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[name] = n
}

// A Shop sells what is in stock.
type Shop struct {
	Stock   *Stock
	Receipt func(article string) string

	mu   sync.Mutex
	sold []string
}

// Sell sells one article.
func (s *Shop) Sell(article string) (string, error) {
	left := s.Stock.Get(article)
	if left == 0 {
		return "", fmt.Errorf("%s: %w", article, ErrSoldOut)
	}
	receipt := s.Receipt(article)
	s.Stock.Set(article, left-1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sold = append(s.sold, receipt)
	return receipt, nil
}

// Sold returns how many articles were sold.
func (s *Shop) Sold() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sold)
}
