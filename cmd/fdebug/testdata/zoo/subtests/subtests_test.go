package subtests

import (
	"os"
	"testing"
)

func TestAll(t *testing.T) {
	name := os.Getenv("COUNTER")
	old, _ := os.ReadFile(name)
	os.WriteFile(name, append(old, 'x'), 0o666)
	n := len(old)
	t.Run("first", func(t *testing.T) {
		if n%2 == 1 {
			t.Error("odd")
		}
	})
	t.Run("second", func(t *testing.T) {
		if n%3 == 1 {
			t.Error("third")
		}
	})
	t.Run("third", func(t *testing.T) {
		if n%2 == 1 {
			t.Error("odd as well")
		}
	})
}
