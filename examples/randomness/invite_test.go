package randomness

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestEveryGuestGetsIn(t *testing.T) {
	var book Book
	var guests, codes []string
	for i := range 16 {
		guest := fmt.Sprintf("guest %d", i+1)
		guests = append(guests, guest)
		codes = append(codes, book.Invite(guest))
	}
	for i, code := range codes {
		got, err := book.Redeem(strings.ToLower(code))
		if err != nil {
			t.Fatalf("%s: %v", guests[i], err)
		}
		if got != guests[i] {
			t.Errorf("the code is of %s, want %s", got, guests[i])
		}
	}
}

func TestRedeemRefuses(t *testing.T) {
	for _, test := range []struct {
		code string
		want error
	}{
		{"", ErrMalformed},
		{"12-4", ErrMalformed},
		{"ABCDE", ErrMalformed},
		{"ABCD", ErrUnknown},
	} {
		var book Book
		if _, err := book.Redeem(test.code); !errors.Is(err, test.want) {
			t.Errorf("Redeem(%q): %v, want %v", test.code, err, test.want)
		}
	}
}
