package start

import "testing"

func TestStart(t *testing.T) {
	if first == 0 || second == "" {
		t.Error("not initialised")
	}
}
