package report

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/text"
)

// A wordingView is what other runs said at the same place.
type wordingView struct{ Text, Runs string }

// wordings are cut so that each is seen to differ from the others, and from the message.
func (v *viewer) wordings(f *finding.Failure) (out []wordingView) {
	said := []string{v.clean.Line(v.said(f, f.Message), longWording)}
	for _, w := range f.Wordings {
		said = append(said, v.clean.Line(v.said(f, w.Text), longWording))
	}
	said = text.Apart(said, 300)
	for i, w := range f.Wordings {
		out = append(out, wordingView{said[i+1], "in " + plural(w.Runs, "run")})
	}
	if n := f.MoreWordings; n > 0 {
		out = append(out, wordingView{"", plural(n, "more wording") + " left out"})
	}
	return out
}

// longWording is how many characters of a message are compared.
const longWording = 8000
