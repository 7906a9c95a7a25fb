package inventory

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// signed makes a receipt with a signature.
func signed(article string) string {
	sum := sha256.Sum256([]byte(article))
	for range 40 {
		sum = sha256.Sum256(sum[:])
	}
	return fmt.Sprintf("%s %x", article, sum[:4])
}

func TestManyTills(t *testing.T) {
	shop := &Shop{Stock: NewStock(map[string]int{"tea": 40}), Receipt: signed}
	var tills sync.WaitGroup
	for range 2 {
		tills.Add(1)
		go func() {
			defer tills.Done()
			for range 10 {
				if _, err := shop.Sell("tea"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	tills.Wait()
	if got := shop.Stock.Get("tea"); got != 20 {
		t.Errorf("%d left, want 20", got)
	}
}

func TestSoldOut(t *testing.T) {
	shop := &Shop{Stock: NewStock(map[string]int{"tea": 1}), Receipt: signed}
	if _, err := shop.Sell("tea"); err != nil {
		t.Fatal(err)
	}
	if _, err := shop.Sell("tea"); !errors.Is(err, ErrSoldOut) {
		t.Errorf("Sell: %v, want %v", err, ErrSoldOut)
	}
	if got := shop.Sold(); got != 1 {
		t.Errorf("%d sold, want 1", got)
	}
}
