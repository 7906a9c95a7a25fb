// Package order has a test that fails after another one.
package order

import "testing"

var limit = 10

func TestPolluter(t *testing.T) { limit = 0 }

func TestVictim(t *testing.T) {
	if !testing.Short() {
		t.Skip()
	}
	if limit != 10 {
		t.Errorf("limit is %d", limit)
	}
}
