package kernels

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse parses a JSON document n times with a parser written for the purpose,
// as in ordinary code: a scanner by bytes, recursive descent, maps and slices.
func Parse(n int) (values int) {
	doc := document(200)
	for range n {
		p := &parser{text: doc}
		if _, err := p.value(); err != nil {
			panic(err)
		}
		values += p.values
	}
	return values
}

func document(n int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`{"id": ` + strconv.Itoa(i*31) + `, "name": "item \"` + strconv.Itoa(i) + `\"", "tags": ["a", "b\n", null, true], "size": -1.5e3}`)
	}
	b.WriteByte(']')
	return b.String()
}

var errSyntax = errors.New("syntax error")

type parser struct {
	text   string
	pos    int
	values int
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) value() (any, error) {
	p.values++
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		return p.str()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	case p.word("true"):
		return true, nil
	case p.word("false"):
		return false, nil
	case p.word("null"):
		return nil, nil
	}
	return nil, errSyntax
}

func (p *parser) word(w string) bool {
	if !strings.HasPrefix(p.text[p.pos:], w) {
		return false
	}
	p.pos += len(w)
	return true
}

func (p *parser) object() (any, error) {
	m := make(map[string]any)
	p.pos++
	for p.peek() != '}' {
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if p.peek() != ':' {
			return nil, errSyntax
		}
		p.pos++
		if m[key], err = p.value(); err != nil {
			return nil, err
		}
		if p.peek() == ',' {
			p.pos++
		}
	}
	p.pos++
	return m, nil
}

func (p *parser) array() (any, error) {
	var list []any
	p.pos++
	for p.peek() != ']' {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.peek() == ',' {
			p.pos++
		}
	}
	p.pos++
	return list, nil
}

func (p *parser) str() (string, error) {
	if p.peek() != '"' {
		return "", errSyntax
	}
	p.pos++
	var b []byte
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == '"':
			return string(b), nil
		case c == '\\':
			b = append(b, p.escape())
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(p.text[p.pos-1:])
			p.pos += n - 1
			b = utf8.AppendRune(b, r)
		}
	}
	return "", errSyntax
}

func (p *parser) escape() byte {
	c := p.text[p.pos]
	p.pos++
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	}
	return c
}

func (p *parser) number() (any, error) {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte("+-.eE0123456789", p.text[p.pos]) >= 0 {
		p.pos++
	}
	return strconv.ParseFloat(p.text[start:p.pos], 64)
}
