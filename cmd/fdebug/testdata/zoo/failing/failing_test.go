package failing

import "testing"

func TestBad(t *testing.T) { t.Error("want peace") }
