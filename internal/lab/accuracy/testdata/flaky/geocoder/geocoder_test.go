package geocoder

import (
	"testing"
	"time"
)

func TestBern(t *testing.T) {
	g := Start()
	time.Sleep(time.Millisecond)
	if where := g.Where("Bern"); where != "46.9 N" {
		t.Errorf("Bern is at %s", where)
	}
	if g.Misses != 0 {
		t.Error("missed")
	}
}
