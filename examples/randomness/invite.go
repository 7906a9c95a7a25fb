// Package randomness hands out invitations to a private beta. An invitation is a
// short code that is easy to read out on the phone.
package randomness

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
)

const (
	codeLen   = 4
	codeCount = 36 * 36 * 36 * 36 // codes of that length
)

var (
	// ErrMalformed says that a code can't be one of ours.
	ErrMalformed = errors.New("malformed code")
	// ErrUnknown says that a code was not handed out, or was used before.
	ErrUnknown = errors.New("unknown code")
)

// A Book remembers which codes were handed out, and to whom. The zero Book is
// ready for use.
type Book struct {
	mu    sync.Mutex
	guest map[string]string
}

// Invite returns a new code for a guest.
func (b *Book) Invite(guest string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.guest == nil {
		b.guest = make(map[string]string)
	}
	for {
		code := newCode()
		if _, taken := b.guest[code]; !taken {
			b.guest[code] = guest
			return code
		}
	}
}

// Redeem returns the guest to whom a code was given, and makes it invalid. Case
// and surrounding space do not matter.
func (b *Book) Redeem(code string) (guest string, err error) {
	code, err = parse(code)
	if err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	guest, ok := b.guest[code]
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrUnknown, code)
	}
	delete(b.guest, code)
	return guest, nil
}

func newCode() string {
	n := rand.Int64N(codeCount)
	return strings.ToUpper(strconv.FormatInt(n, 36))
}

func parse(code string) (string, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	if len(code) != codeLen {
		return "", fmt.Errorf("%w: %d characters, want %d", ErrMalformed, len(code), codeLen)
	}
	if _, err := strconv.ParseInt(code, 36, 64); err != nil {
		return "", fmt.Errorf("%w: %q", ErrMalformed, code)
	}
	return code, nil
}
