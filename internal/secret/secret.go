// Package secret keeps the values of environment variables that are named like secrets out of
// reports, annotations and summaries. The recorder has the same rule for the values that it
// records (trace/instrument/_shadow/fdebugval/secret.go).
package secret

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Hidden replaces what is not shown.
const Hidden = "***"

// least is the minimal length of a secret value. A shorter one may be part of ordinary words.
const least = 8

var names = regexp.MustCompile(
	`(?i)(TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_KEY$|_PAT$|_PWD$|AUTH(_|$))`)

// Named reports whether the value of an environment variable with that name must not be shown.
func Named(name string) bool { return names.MatchString(name) }

// A Hider replaces secrets in texts.
type Hider struct{ replacer *strings.Replacer }

// Values returns the secrets of an environment ("NAME=value"), and each line of them. If one
// begins with another, the longer one comes first.
func Values(environ []string) []string {
	var values []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !Named(name) {
			continue
		}
		for _, v := range append(strings.Split(value, "\n"), value) {
			if v = strings.TrimSpace(v); len(v) >= least {
				values = append(values, v)
			}
		}
	}
	longestFirst(values)
	return slices.Compact(values)
}

func longestFirst(values []string) {
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
}

// NewHider returns a Hider for the secrets of an environment, also in other forms, such as
// escaped.
func NewHider(environ []string, forms ...func(string) string) *Hider {
	values := Values(environ)
	for _, v := range values {
		for _, form := range forms {
			values = append(values, form(v))
		}
	}
	longestFirst(values)
	var pairs []string
	for _, v := range slices.Compact(values) {
		pairs = append(pairs, v, Hidden)
	}
	return &Hider{strings.NewReplacer(pairs...)}
}

// Hide returns s without the secrets.
func (h *Hider) Hide(s string) string {
	if h == nil {
		return s
	}
	return h.replacer.Replace(s)
}
