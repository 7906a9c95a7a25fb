package draw

import (
	"math/rand/v2"
	"testing"
)

func TestDraw(t *testing.T) {
	noise := rand.IntN(1000)
	side := rand.IntN(2)
	t.Log(noise)
	if side == 0 {
		t.Errorf("side %d, want 1", side)
	}
}
