// Package secret keeps the values of environment variables that are named like secrets out
// of reports, annotations and summaries. The recorder has the same rule for the values
// that it records (trace/instrument/_shadow/fdebugval/secret.go).
package secret

import (
	"regexp"
	"slices"
	"strings"
)

// Hidden stands for what is not shown.
const Hidden = "***"

// least is how long a value is at least: a shorter one is part of ordinary words.
const least = 8

var names = regexp.MustCompile(`(?i)(TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_KEY$|_PAT$|_PWD$|AUTH(_|$))`)

// Named reports whether the value of an environment variable of that name is not to be shown.
func Named(name string) bool { return names.MatchString(name) }

// A Hider replaces secrets in texts.
type Hider struct{ replacer *strings.Replacer }

// NewHider returns what hides the secrets of an environment ("NAME=value"), each line of them too,
// also in other forms, as they look escaped.
func NewHider(environ []string, forms ...func(string) string) *Hider {
	var values []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !Named(name) {
			continue
		}
		for _, v := range append(strings.Split(value, "\n"), value) {
			if v = strings.TrimSpace(v); len(v) < least {
				continue
			}
			values = append(values, v)
			for _, form := range forms {
				values = append(values, form(v))
			}
		}
	}
	// Of two values of which one begins with the other, the longer one goes first.
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range slices.Compact(values) {
		pairs = append(pairs, v, Hidden)
	}
	return &Hider{strings.NewReplacer(pairs...)}
}

// Hide returns a text without the secrets.
func (h *Hider) Hide(s string) string {
	if h == nil {
		return s
	}
	return h.replacer.Replace(s)
}
