package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"
)

// page is what a user looks at between two clicks.
func page(size int) [32]byte { return sha256.Sum256(make([]byte, size)) }

func TestTokensAreValid(t *testing.T) {
	c := New("k3y", 6*time.Millisecond)
	users := []string{"ada", "bob", "eve"}
	tokens := make(map[string]string)
	for _, user := range users {
		tokens[user] = c.Login(user)
		page(1_000_000)
	}
	for _, user := range users {
		got, err := c.Check(tokens[user])
		if err != nil {
			t.Fatalf("%s: %v", user, err)
		}
		if got != user {
			t.Errorf("the token of %s is that of %s", user, got)
		}
	}
}

func TestExpired(t *testing.T) {
	c := New("k3y", -time.Second)
	if _, err := c.Check(c.Login("ada")); !errors.Is(err, ErrExpired) {
		t.Errorf("Check: %v, want %v", err, ErrExpired)
	}
	if got := c.Len(); got != 0 {
		t.Errorf("%d tokens are left", got)
	}
}

func TestUnknown(t *testing.T) {
	if _, err := New("k3y", time.Hour).Check(fmt.Sprint("x")); !errors.Is(err, ErrUnknown) {
		t.Errorf("Check: %v, want %v", err, ErrUnknown)
	}
}
