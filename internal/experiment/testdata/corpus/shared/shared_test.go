package shared

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestPut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	os.WriteFile(name, []byte("old"), 0o666)
	var wg sync.WaitGroup
	wg.Go(func() { Put(name, "new") })
	wg.Go(func() {
		time.Sleep(3 * time.Millisecond)
		if data, _ := os.ReadFile(name); len(data) == 0 {
			t.Error("the file is empty")
		}
	})
	wg.Wait()
}

func TestLease(t *testing.T) {
	l := Lease{t.TempDir()}
	var wg sync.WaitGroup
	var mu sync.Mutex
	held := 0
	for i, who := range []string{"a", "b", "c"} {
		wg.Go(func() {
			time.Sleep(time.Duration(3*i) * time.Millisecond)
			if l.Take(who) == nil {
				mu.Lock()
				held++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if held != 1 {
		t.Errorf("%d hold the lease", held)
	}
}

func TestPool(t *testing.T) {
	p := &Pool{free: []int{7}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(3*i) * time.Millisecond)
			defer func() {
				if recover() != nil {
					t.Error("a number was taken twice")
				}
			}()
			p.Get()
		})
	}
	wg.Wait()
}

func TestTally(t *testing.T) {
	x := &Tally{}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			time.Sleep(time.Duration(2*i) * time.Millisecond)
			x.Add(1)
		})
	}
	wg.Wait()
	if n := x.get(); n != 4 {
		t.Errorf("the sum is %d", n)
	}
}
