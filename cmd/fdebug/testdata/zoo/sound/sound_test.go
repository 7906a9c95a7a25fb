package sound

import "testing"

func TestOK(t *testing.T) {}
