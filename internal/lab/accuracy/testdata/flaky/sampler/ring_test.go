package sampler

import (
	"errors"
	"fmt"
	"testing"
)

func TestKeysAreSpreadEvenly(t *testing.T) {
	r := New(40, "red", "green", "blue")
	count := make(map[string]int)
	for i := range 900 {
		server, err := r.Server(fmt.Sprintf("user/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		count[server]++
	}
	for server, n := range count {
		if n < 230 || n > 370 {
			t.Errorf("%s has %d of 900 keys", server, n)
		}
	}
}

func TestRemovedServerHasNoKeys(t *testing.T) {
	r := New(10, "red", "green")
	r.Remove("red")
	for i := range 50 {
		if server, _ := r.Server(fmt.Sprint(i)); server != "green" {
			t.Fatalf("key %d is on %s", i, server)
		}
	}
}

func TestEmptyRing(t *testing.T) {
	if _, err := New(10).Server("x"); !errors.Is(err, ErrEmpty) {
		t.Errorf("Server: %v, want %v", err, ErrEmpty)
	}
}
