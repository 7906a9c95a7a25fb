package report

import (
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
)

// settingRow returns the words for a setting in the bars and in the source.
func settingRow(s say.Setting) proofRow {
	return proofRow{with: s.With, elsewhere: say.BarSetElse, cure: s.Cure, plain: say.BarPlain, mark: s.Mark}
}

// settingSaid says of an act that it decides, with what it sets.
func settingSaid(a proof.Act, does say.Verb) say.Sentence {
	if cause := say.SettingOf(a.Name()).Cause; cause != nil {
		return cause(does, say.Set{Value: a.Value, Unit: a.Unit, Text: say.Name(listing.Visible(a.Text))})
	}
	return say.Unknown.With() // a control, in a file that fdebug has not written
}
