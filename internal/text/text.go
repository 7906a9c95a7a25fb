// Package text has a few forms of text that the messages of all commands share.
package text

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
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

// OfRuns describes a part of some runs: "1 of 20 runs", "1 of 1 run".
func OfRuns(n, of int) string { return fmt.Sprintf("%d of %s", n, Plural(of, "run")) }

// Rounded rounds a duration to whole seconds, or to milliseconds if it is shorter than one.
func Rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

// DirName makes a directory name from an import path.
func DirName(importPath string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, importPath)
}

// TestFile returns a name for files about a test, "p.TestX-case_3" for the subtest TestX/case_3 of package
// example.com/m/p: letters that every system takes, and not too many.
func TestFile(pkg, test string) string {
	const maxName = 120
	name := path.Base(pkg) + "." + strings.ReplaceAll(cmp.Or(test, "package"), "/", "-")
	safe := DirName(name)
	if len(safe) > maxName {
		safe = fmt.Sprintf("%s-%x", safe[:maxName], sha256.Sum256([]byte(name)))[:maxName+9]
	}
	if strings.HasPrefix(safe, ".") || strings.HasPrefix(safe, "-") || reserved(safe) {
		safe = "_" + safe
	}
	return safe
}

// reserved reports whether Windows takes the name for a device, as it does
// whatever follows the first dot.
func reserved(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) &&
		name[3] >= '0' && name[3] <= '9'
}

// mostNames is how many tests a sentence names.
const mostNames = 5

// FewNames lists names. If there are many, it lists a few and the number of the others.
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

// ShellQuote quotes s as a word for a shell.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=:,@%+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line shows what a test has printed in one line of at most n runes. Control characters are
// written as Go escapes, because a terminal might act on them.
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

// ShortPath returns the shortest end of an import path that is the end of no other one: "queue", or "a/queue" beside
// "b/queue".
func ShortPath(path string, all []string) string {
	elems := strings.Split(path, "/")
	for i := len(elems) - 1; i > 0; i-- {
		short := strings.Join(elems[i:], "/")
		if !slices.ContainsFunc(all, func(p string) bool { return p != path && strings.HasSuffix("/"+p, "/"+short) }) {
			return short
		}
	}
	return path
}

// IsTest reports whether a test is called so: TestX, p.TestX, or with more of the path of its package in front.
func IsTest(typed, pkg, test string) bool {
	return typed == test || strings.HasSuffix("/"+pkg+"."+test, "/"+typed)
}
