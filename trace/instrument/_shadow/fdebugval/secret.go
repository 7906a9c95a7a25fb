package fdebugval

import (
	"strconv"
	"syscall"
)

// The environment that the process was started with is nobody's business: reports get published. Of
// what a value shows of it only the names of variables are recorded, and nothing of the values of
// variables that are named like secrets, wherever they stand.
var (
	started = make(map[string]string) // the variables, as they look in a quoted text
	secrets []string                  // the values of those named like secrets
)

const (
	hidden = "***"
	least  = 8 // bytes of a secret; a shorter one is part of ordinary words
)

func init() {
	for _, kv := range syscall.Environ() {
		eq := 0
		for eq < len(kv) && kv[eq] != '=' {
			eq++
		}
		if eq+1 >= len(kv) {
			continue
		}
		name, value := kv[:eq], kv[eq+1:]
		started[name] = escaped(value)
		if !named(name) {
			continue
		}
		from := 0
		for i := 0; i <= len(value); i++ { // each line of it, too
			if i < len(value) && value[i] != '\n' {
				continue
			}
			if i-from >= least {
				secrets = append(secrets, escaped(value[from:i]))
			}
			from = i + 1
		}
	}
}

// escaped is how a text looks between quotes.
func escaped(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// named is internal/secret.Named.
func named(name string) bool {
	for i := range name {
		rest := name[i:]
		for _, word := range []string{
			"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATEKEY", "PRIVATE_KEY", "ACCESSKEY", "ACCESS_KEY", "AUTH_",
		} {
			if len(rest) >= len(word) && upper(rest[:len(word)], word) {
				return true
			}
		}
		for _, end := range []string{"_KEY", "_PAT", "_PWD", "AUTH"} {
			if upper(rest, end) {
				return true
			}
		}
	}
	return false
}

// upper reports whether a text is a word in capitals, in whatever case.
func upper(s, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// hide replaces in the text of a value what is of the environment.
//
//go:norace
//go:nocheckptr
func (p *printer) hide() {
	for _, s := range secrets {
		for i := 0; i+least <= len(p.buf); i++ {
			if n := common(p.buf[i:], s); n >= least { // it may have been cut
				p.replace(i, n)
			}
		}
	}
	for i := 1; i < len(p.buf); i++ {
		if p.buf[i] != '=' {
			continue
		}
		from := i
		for from > 0 && isName(p.buf[from-1]) {
			from--
		}
		if s := started[string(p.buf[from:i])]; s != "" {
			if n := common(p.buf[i+1:], s); n >= min(len(s), least) {
				p.replace(i+1, n)
			}
		}
	}
}

// common returns how many bytes a text has in common with the beginning of another.
//
//go:norace
//go:nocheckptr
func common(b []byte, s string) int {
	n := 0
	for n < len(b) && n < len(s) && b[n] == s[n] {
		n++
	}
	return n
}

//go:norace
//go:nocheckptr
func isName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// replace puts the sign for what is hidden in the place of n bytes of the text.
//
//go:norace
//go:nocheckptr
func (p *printer) replace(at, n int) {
	rest := string(p.buf[at+n:])
	p.buf = append(append(p.buf[:at], hidden...), rest...)
}
