package uploads

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

func pause(n int) { time.Sleep(time.Duration(rand.IntN(n)) * time.Microsecond) }

func TestBatch(t *testing.T) {
	b := &Batch{Send: func(string) error { pause(700); return errors.New("refused") }}
	b.mu.Lock() // somebody reads the log
	go func() {
		pause(400)
		b.mu.Unlock()
	}()
	b.Add("a.txt")
	if got := b.Wait(); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
