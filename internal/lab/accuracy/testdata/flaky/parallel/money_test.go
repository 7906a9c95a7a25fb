package parallel

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestInvoice(t *testing.T) {
	items := make(map[string]int64)
	var order []string
	for i := range 400 {
		name := fmt.Sprintf("item %d", i)
		items[name] = int64(i * 101)
		order = append(order, name)
	}
	for _, test := range []struct {
		locale, total string
	}{
		{"de", "80.598,00 €"},
		{"ch", "CHF 80’598.00"},
	} {
		t.Run(test.locale, func(t *testing.T) {
			t.Parallel()
			if err := SetLocale(test.locale); err != nil {
				t.Fatal(err)
			}
			got := Invoice(items, order)
			if !strings.HasSuffix(strings.TrimSpace(got), test.total) {
				t.Errorf("the invoice ends with %q, want %q", got[len(got)-30:], test.total)
			}
		})
	}
}

func TestUnknownLocale(t *testing.T) {
	if err := SetLocale("xx"); !errors.Is(err, ErrLocale) {
		t.Errorf("SetLocale(xx): %v, want %v", err, ErrLocale)
	}
}

func TestGroup(t *testing.T) {
	for n, want := range map[int64]string{7: "7", 1000: "1 000", 1234567: "1 234 567"} {
		if got := group(n, " "); got != want {
			t.Errorf("group(%d) = %q, want %q", n, got, want)
		}
	}
}
