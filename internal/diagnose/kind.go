package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// Values are what a reason can fill slots with.
type values struct {
	here, other say.Code // the place itself, and the other one
	name, lock  say.Name // what it is about, and the lock that is held
	limit       say.Limit
}

// A slot takes one of them.
type slot func(*values) say.Value

func fails(*values) say.Value      { return say.Fails }
func here(v *values) say.Value     { return v.here }
func other(v *values) say.Value    { return v.other }
func theName(v *values) say.Value  { return v.name }
func theLock(v *values) say.Value  { return v.lock }
func theLimit(v *values) say.Value { return v.limit }

// A said makes a sentence of values.
type said func(*values) say.Sentence

// of is a template with its slots.
func of(t say.Template, slots ...slot) said {
	return func(v *values) say.Sentence {
		var list []say.Value
		for _, take := range slots {
			list = append(list, take(v))
		}
		return t.With(list...)
	}
}

// says is the one sentence of a template.
func says(t say.Template, slots ...slot) []said { return []said{of(t, slots...)} }

func (v *values) fill(list []said) (out []say.Sentence) {
	for _, x := range list {
		out = append(out, x(v))
	}
	return out
}

// A reason is one that needs no more than another place. Others begin with it.
type reason struct {
	kind  kind
	other trace.Frame // the file is relative to the module root; zero if there is none
}

func (r reason) Kind() string                   { return kinds[r.kind].name }
func (r reason) Why(finding.Coder) say.Sentence { return kinds[r.kind].why.With() }

func (r reason) Claim() finding.Claim {
	c := kinds[r.kind].claim
	c.Other = r.other
	return c
}

func (r reason) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	return r.words(r.values(s, c))
}

func (r reason) values(s *finding.Suspect, c finding.Coder) *values {
	return &values{here: c.Code(s.Span), other: c.Line(r.other)}
}

func (r reason) words(v *values) finding.Words {
	of := &kinds[r.kind]
	w := finding.Words{Cause: v.fill(of.cause), Mark: of.mark.With(), Fix: v.fill(of.fix)}
	if !of.other.None() {
		w.Other = marked(r.other, of.other.With())
	}
	return w
}

// marked is another place with its mark.
func marked(at trace.Frame, mark say.Sentence) []finding.MarkedPlace {
	return []finding.MarkedPlace{{At: at, Mark: mark}}
}

// A named is a reason about something that has a name.
type named struct {
	reason
	name string
}

func (r named) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.values(s, c)
	v.name = c.Name(r.name)
	return r.words(v)
}
