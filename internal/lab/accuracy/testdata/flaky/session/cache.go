// Package session keeps the tokens of people who have logged in.
package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

// Errors of Check.
var (
	ErrUnknown = errors.New("unknown token")
	ErrExpired = errors.New("token has expired")
)

type entry struct {
	user    string
	expires time.Time
}

// A Cache holds tokens.
type Cache struct {
	key []byte
	ttl time.Duration

	mu      sync.Mutex
	entries map[string]entry
}

// New returns a cache of tokens that are valid for ttl.
func New(key string, ttl time.Duration) *Cache {
	return &Cache{key: []byte(key), ttl: ttl, entries: make(map[string]entry)}
}

// Login returns a token for a user.
func (c *Cache) Login(user string) string {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(user))
	token := hex.EncodeToString(mac.Sum(nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[token] = entry{user, time.Now().Add(c.ttl)}
	return token
}

// Check returns whose token it is.
func (c *Cache) Check(token string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[token]
	if !ok {
		return "", ErrUnknown
	}
	if time.Now().After(e.expires) {
		delete(c.entries, token)
		return "", ErrExpired
	}
	return e.user, nil
}

// Len returns the number of tokens.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}
