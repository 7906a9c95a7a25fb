package diagnose

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A coder shows the source of a script; none shows all places alike.
type coder struct{ *script }

// line returns a line of a file of the script, without its comments.
func (c coder) line(file string, n int) string {
	if c.script == nil {
		return "x"
	}
	for _, f := range c.files {
		if lines := strings.Split(string(f.Data), "\n"); f.Name == file && n <= len(lines) {
			text, _, _ := strings.Cut(lines[n-1], "//")
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func (c coder) Named(text string, s finding.Span) say.Code {
	if c.script == nil {
		return say.Code{Text: "x", Place: "x"}
	}
	return say.Code{Text: text, Place: fmt.Sprintf("%s:%d", path.Base(s.File), s.Start)}
}

func (c coder) Code(s finding.Span) say.Code { return c.Named(c.line(s.File, s.Start), s) }

func (c coder) Line(f trace.Frame) say.Code {
	if f.File == "" {
		return say.Code{}
	}
	return c.Code(finding.Span{File: f.File, Start: f.Line})
}

func (c coder) Ranged(s finding.Span) say.Code {
	_, over, _ := strings.Cut(c.line(s.File, s.Start), " range ")
	over, _, _ = strings.Cut(over, " {")
	return c.Named(over, s)
}

func (c coder) Drawn(s finding.Span) say.Code { return c.Code(s) }

func (c coder) Name(s string) say.Name {
	if c.script == nil {
		return "x"
	}
	return say.Name(s)
}

// hear adds what is said of the places that its rule names to the text of a script, once for all that differ in
// nothing but the code.
func (s *script) hear(t *testing.T, list []finding.Suspect) {
	for _, h := range list {
		if h.Reason.Why(coder{s}).None() || !known(h.Reason.Kind()) {
			t.Errorf("%s is a kind without words", h.Reason.Kind())
		}
		if like := describe(&h, coder{}); !slices.Contains(s.said, like) {
			s.said = append(s.said, like)
			s.text += describe(&h, coder{s})
		}
	}
}

// known reports whether there is a kind of a name.
func known(name string) bool {
	return slices.ContainsFunc(kinds[:], func(k words) bool { return k.name == name })
}

// describe returns all that is said of a place, and what follows for others.
func describe(s *finding.Suspect, code coder) string {
	b, r := &strings.Builder{}, s.Reason
	w, c := r.Words(s, code), r.Claim()
	fmt.Fprintf(b, "%s: %s\n", r.Kind(), r.Why(code))
	for _, x := range w.Cause {
		fmt.Fprintf(b, "\tcause: %s\n", x)
	}
	if !w.Mark.None() {
		fmt.Fprintf(b, "\tmark:  %s\n", w.Mark)
	}
	for _, o := range w.Other {
		fmt.Fprintf(b, "\tother: %s\n", o.Mark)
	}
	for _, x := range w.Fix {
		fmt.Fprintf(b, "\tfix:   %s\n", x)
	}
	var claims []string
	for _, f := range []struct {
		says string
		is   bool
	}{
		{"try " + [...]string{"lines", "choices", "tests", "nothing"}[c.Try], c.Try > 0},
		{"category " + c.Category, c.Category != ""},
		{"deadlock", c.Deadlock}, {"surfaces", s.Surfaces()}, {"differs", c.Differs},
	} {
		if f.is {
			claims = append(claims, f.says)
		}
	}
	if claims != nil {
		fmt.Fprintf(b, "\tclaim: %s\n", strings.Join(claims, ", "))
	}
	return b.String()
}
