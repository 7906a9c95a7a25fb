// Package parallel formats amounts of money.
package parallel

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// A Locale says how amounts are written.
type Locale struct {
	Decimal, Group string
	Symbol         string
	SymbolFirst    bool
}

var locales = map[string]Locale{
	"en": {".", ",", "$", true},
	"de": {",", ".", "€", false},
	"ch": {".", "’", "CHF ", true},
}

var current atomic.Pointer[Locale]

func init() { SetLocale("en") }

// ErrLocale says that a locale is not known.
var ErrLocale = errors.New("unknown locale")

// SetLocale chooses how amounts are written from now on.
func SetLocale(name string) error {
	l, ok := locales[name]
	if !ok {
		return fmt.Errorf("%w %q", ErrLocale, name)
	}
	current.Store(&l)
	return nil
}

// Format writes an amount.
func Format(cents int64) string {
	l := current.Load()
	var b strings.Builder
	if cents < 0 {
		b.WriteString("-")
		cents = -cents
	}
	if l.SymbolFirst {
		b.WriteString(l.Symbol)
	}
	b.WriteString(group(cents/100, l.Group))
	b.WriteString(l.Decimal)
	fmt.Fprintf(&b, "%02d", cents%100)
	if !l.SymbolFirst {
		b.WriteString(" " + l.Symbol)
	}
	return b.String()
}

func group(n int64, sep string) string {
	digits := strconv.FormatInt(n, 10)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, parts...), sep)
}

// Invoice writes the lines of an invoice.
func Invoice(items map[string]int64, order []string) string {
	var b strings.Builder
	var sum int64
	for _, name := range order {
		fmt.Fprintf(&b, "%-10s %12s\n", name, Format(items[name]))
		sum += items[name]
	}
	fmt.Fprintf(&b, "%-10s %12s\n", "total", Format(sum))
	return b.String()
}
