package processes

import (
	"os"
	"testing"
)

func TestWrapped(t *testing.T) {
	if w := os.Getenv("WRAPPED"); w != "yes" {
		t.Errorf("started by %q", w)
	}
}
