package fdebugval

import (
	"strconv"
	"syscall"
)

// Reports get published, so values must not reveal the environment of the process. Of the
// environment only names of variables are recorded. The values of variables named like secrets
// are hidden wherever they appear.
var (
	started = make(map[string]string) // the variables, as they appear in quoted text
	secrets []string                  // the values of variables named like secrets
)

const (
	hidden = "***"
	least  = 8 // bytes of a secret; a shorter one may be part of an ordinary word
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
		for i := 0; i <= len(value); i++ { // and each line of it
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

// escaped returns s as it appears between quotes.
func escaped(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// named is internal/secret.Named.
func named(name string) bool {
	for i := range name {
		rest := name[i:]
		for _, word := range []string{
			"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATEKEY", "PRIVATE_KEY",
			"ACCESSKEY", "ACCESS_KEY", "AUTH_",
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

// upper reports whether s is word, which is in capitals, in any case.
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

// hide replaces what the text of a value shows of the environment.
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

// common returns the length of the common prefix of two texts.
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

// replace replaces n bytes of the text with the mark for hidden text.
//
//go:norace
//go:nocheckptr
func (p *printer) replace(at, n int) {
	rest := string(p.buf[at+n:])
	p.buf = append(append(p.buf[:at], hidden...), rest...)
}
