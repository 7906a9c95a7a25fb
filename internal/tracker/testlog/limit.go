package testlog

import (
	"bufio"
	"unicode/utf8"
)

// maxText is how much text between two tags is kept. What a test printed can have any size, and
// the XML decoder holds it as a whole.
const maxText = 1 << 20

// A textLimiter drops text beyond that limit. It never drops markup, nor a part of an entity or
// of a character.
type textLimiter struct {
	in       *bufio.Reader
	length   int // since the last angle bracket
	entity   int // bytes that an entity may still have
	dropping bool
}

func (l *textLimiter) Read(b []byte) (int, error) {
	for {
		n, err := l.in.Read(b)
		kept := b[:0]
		for _, c := range b[:n] {
			if l.keeps(c) {
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}

func (l *textLimiter) keeps(c byte) bool {
	if !utf8.RuneStart(c) {
		return !l.dropping
	}
	switch c {
	case '<', '>':
		l.length, l.entity, l.dropping = 0, 0, false
		return true
	case '&':
		l.entity = 12
	case ';':
		l.dropping = l.dropping && l.entity == 0
		l.entity = 0
	}
	l.length++
	if l.entity > 0 {
		l.entity--
		l.dropping = false
		return true
	}
	l.dropping = l.length > maxText && c != ']' && c != '"' && c != '\'' && c != ';'
	return !l.dropping
}

// latin1 converts ISO 8859-1 to UTF-8.
type latin1 struct {
	in   *bufio.Reader
	rest []byte
}

func (l *latin1) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		c, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		l.rest = utf8.AppendRune(l.rest[:0], rune(c))
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
