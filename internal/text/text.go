// Package text has the few forms of text that messages of all commands share.
package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Clip shortens s to n runes.
func Clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Of is a part of a whole: "1 of 20 runs", "1 of 1 run".
func Of(n, of int, what string) string { return fmt.Sprintf("%d of %s", n, Plural(of, what)) }

// Rounded is a duration in whole seconds, or milliseconds if it is shorter than one.
func Rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// DirName makes a directory's name of an import path.
func DirName(importPath string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, importPath)
}

// mostNames is how many tests are named in a sentence.
const mostNames = 5

// FewNames is a list of names, those beyond a few as their number.
func FewNames(names []string) string {
	if n := len(names) - mostNames; n > 0 {
		names = append(slices.Clone(names[:mostNames]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

func FirstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line
}

// ShellQuote returns a word of a shell that stands for s.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line shows what a test has printed in one line of at most n runes. Control characters are shown
// as Go writes them: one that is sent to a terminal could do anything there.
func Line(s string, n int) string {
	var b strings.Builder
	for i, word := range strings.Fields(s) {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, r := range word {
			if unicode.IsPrint(r) {
				b.WriteRune(r)
			} else {
				b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			}
		}
	}
	return Clip(b.String(), n)
}
