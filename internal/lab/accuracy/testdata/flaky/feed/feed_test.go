package feed

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestReaderLeaves(t *testing.T) {
	f := &Feed{Pace: 500 * time.Microsecond}
	stays, leaves := f.Subscribe(8), f.Subscribe(8)
	f.Cancel(f.Subscribe(1)) // somebody who has changed his mind
	sent := make(chan bool)
	go func() {
		f.Publish("rain in Bern")
		close(sent)
	}()
	time.Sleep(time.Duration(rand.IntN(4000)) * time.Microsecond)
	f.Cancel(leaves)
	<-sent
	if len(stays.News) != 1 {
		t.Errorf("%d of 1", len(stays.News))
	}
}
