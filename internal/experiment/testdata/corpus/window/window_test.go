package window

import (
	"sync"
	"testing"
	"time"
)

// both runs two functions, the second a little later.
func both(a, b func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); a() }()
	go func() { defer wg.Done(); time.Sleep(3 * time.Millisecond); b() }()
	wg.Wait()
}

func TestBalance(t *testing.T) {
	a := &Account{balance: 10}
	both(func() { a.Withdraw(8) }, func() { a.Withdraw(8) })
	if n := a.Balance(); n < 0 {
		t.Errorf("balance %d", n)
	}
}

func TestOnce(t *testing.T) {
	c := &Cache{vals: make(map[string]int)}
	both(func() { c.Get("k") }, func() { c.Get("k") })
	if c.loads != 1 {
		t.Errorf("loaded %d times", c.loads)
	}
}

func TestTwoLocks(t *testing.T) {
	p := &Pair{a: 100}
	sum := 0
	both(func() { p.Move(30) }, func() { sum = p.Sum() })
	if sum != 100 {
		t.Errorf("the sum is %d", sum)
	}
}

func TestFlag(t *testing.T) {
	j := &Job{}
	go j.Run()
	for {
		if r, done := j.Result(); done {
			if r != "ok" {
				t.Errorf("done, with result %q", r)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
}
