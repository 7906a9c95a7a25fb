// Package say holds all that fdebug says of a flaky test: templates of fixed words with typed
// slots, one file a subject. Page, Markdown, terminal and CI outputs print the same sentences.
// No decision reads one: templates cannot be compared, and have no text but that of a sentence.
package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/text"
)

// A Template is a sentence of fixed words. What stands in braces is a slot: {code}, {name},
// {time}, {date}, {percent}, {low}, {number}, {count}, {count run} with the noun that is counted, or {Fails}.
type Template struct{ words }

// A Label is a few words without a full stop: of a bar, a mark in the source, a column, a
// reason. Its slots are those of templates.
type Label struct{ words }

// words are carried, and not read. The first field keeps == and switch from compiling.
type words struct {
	_    [0]func()
	text string
}

// T makes a template of a literal, which a test finds and counts.
func T(text string) Template { return Template{words{text: text}} }

// L makes a label of a literal.
func L(text string) Label { return Label{words{text: text}} }

// None reports whether there are no words.
func (w words) None() bool { return w.text == "" }

// With fills the slots, in their order.
func (w words) With(values ...Value) Sentence { return Sentence{words: w.text, values: values} }

// A Value fills a slot. None holds words.
type Value interface {
	// slot returns the name of the slots that the value can fill.
	slot() string
	// spans sets the value; noun is what a count counts, "" for nothing.
	spans(noun string) []Span
}

// A Code is a piece of source with its place.
type Code struct {
	Text  string // "" for the place alone
	Place string // "f.go:12", "" if that is not known
	Href  string // of the place on the page, "" for no link
}

// Values of the other kinds.
type (
	Name     string // of a test, a package, a variable, a file
	Count    int
	Duration time.Duration // measured: shown in two digits
	Limit    time.Duration // quoted from source: shown as it is
	Percent  float64       // from 0 to 1
	Low      float64       // from 0 to 1: the lower end of a range, without its sign
	Date     time.Time
	Verb     uint8
)

// What an act does to a test.
const (
	Fails   Verb = iota
	CanFail      // less than nearly always, or others do it too
	Passes       // of a test that fails anyway
)

var verbs = [...]string{"Fails", "Can fail", "Passes"}

func (Code) slot() string     { return "code" }
func (Name) slot() string     { return "name" }
func (Count) slot() string    { return "count" }
func (Duration) slot() string { return "time" }
func (Limit) slot() string    { return "time" }
func (Percent) slot() string  { return "percent" }
func (Low) slot() string      { return "low" }
func (Date) slot() string     { return "date" }
func (Verb) slot() string     { return "Fails" }

func (c Code) spans(string) (list []Span) {
	if c.Text != "" {
		list = append(list, Span{Kind: OfCode, Text: c.Text})
	}
	switch {
	case c.Place == "":
		return list
	case c.Text == "":
		return append(list, Span{OfPlace, c.Place, c.Href})
	}
	return append(list, Span{Text: " ("}, Span{OfPlace, c.Place, c.Href}, Span{Text: ")"})
}

func (n Name) spans(string) []Span { return []Span{{Kind: OfName, Text: string(n)}} }

func (n Count) spans(noun string) []Span {
	s := Thousands(int64(n))
	if noun != "" {
		s += " " + noun
		if n != 1 {
			s += "s"
		}
	}
	return []Span{{Text: s}}
}

func (d Duration) spans(string) []Span { return []Span{{Text: TwoDigits(time.Duration(d))}} }
func (d Limit) spans(string) []Span    { return []Span{{Text: units(time.Duration(d).String())}} }
func (p Percent) spans(string) []Span  { return []Span{{Text: percent(float64(p))}} }
func (l Low) spans(string) []Span {
	return []Span{{Text: strings.TrimSuffix(percent(float64(l)), "%")}}
}
func (v Verb) spans(string) []Span { return []Span{{Text: verbs[v]}} }
func (d Date) spans(string) []Span {
	return []Span{{Text: time.Time(d).UTC().Format("2 January 2006 15:04:05 UTC")}}
}

// A Sentence is a template, or a label, with its values.
type Sentence struct {
	words  string
	values []Value
	likely bool
}

// Of is the code alone, as a cell of a table has it.
func Of(c Code) Sentence { return Sentence{words: "{code}", values: []Value{c}} }

// Likely is the same, of what was not proved.
func (s Sentence) Likely() Sentence {
	s.likely = true
	return s
}

// None reports whether there is no sentence.
func (s Sentence) None() bool { return s.words == "" }

// A Kind says what a span is.
type Kind int

const (
	Plain Kind = iota
	OfCode
	OfName
	OfPlace
)

// A Span is a part of a sentence that each output sets in its own way.
type Span struct {
	Kind Kind
	Text string
	Href string // of a place, "" for no link
}

// Spans sets the values among the words. What does not fit is marked as fmt does, and a test looks for that.
func (s Sentence) Spans() (list []Span) {
	if s.likely {
		list = append(list, Span{Text: "Likely: "})
	}
	rest, values := s.words, s.values
	for {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			list = append(list, Span{Text: before})
		}
		if !found {
			break
		}
		slot, tail, _ := strings.Cut(after, "}")
		slot, noun, _ := strings.Cut(slot, " ")
		rest = tail
		if len(values) == 0 || values[0].slot() != slot {
			list = append(list, Span{Text: "%!" + slot})
			continue
		}
		list = append(list, values[0].spans(noun)...)
		values = values[1:]
	}
	if len(values) > 0 {
		list = append(list, Span{Text: "%!extra"})
	}
	return list
}

// Markdown renders a sentence for GitHub.
func (s Sentence) Markdown() string {
	var b strings.Builder
	for _, p := range s.Spans() {
		if p.Kind == Plain {
			b.WriteString(Escape(p.Text))
		} else {
			b.WriteString(MarkdownCode(p.Text))
		}
	}
	return b.String()
}

// String renders a sentence for a terminal.
func (s Sentence) String() string {
	var b strings.Builder
	for _, p := range s.Spans() {
		if p.Kind == OfCode {
			b.WriteString("`" + p.Text + "`")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// TwoDigits is a measured time: "3.1 ms", "25 s".
func TwoDigits(d time.Duration) string {
	unit := time.Duration(1)
	for unit*100 <= d.Abs() && d.Abs() < time.Minute {
		unit *= 10
	}
	if d.Abs() >= time.Minute {
		unit = time.Second
	}
	return units(d.Round(unit).String())
}

// units puts a space between a number and its unit, where there is one of each.
func units(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return r != '.' && r != '-' && (r < '0' || r > '9') })
	if i > 0 && !strings.ContainsAny(s[i:], "0123456789") {
		return s[:i] + " " + s[i:]
	}
	return s
}

// percent has one decimal only where it matters.
func percent(p float64) string {
	v := 100 * p
	if v > 0 && v < 9.95 && v != float64(int(v+0.5)) &&
		(v < float64(int(v+0.5))-0.05 || v > float64(int(v+0.5))+0.05) || v > 99 && v < 99.95 {
		return fmt.Sprintf("%.1f%%", v)
	}
	return fmt.Sprintf("%.0f%%", v)
}

// Thousands returns n with commas.
func Thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Clip shortens code to what a sentence has room for.
func Clip(s string) string { return text.Clip(strings.Join(strings.Fields(s), " "), maxCode) }

// maxCode is how many characters of a line of code a sentence quotes.
const maxCode = 80
