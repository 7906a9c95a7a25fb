package report

import "github.com/fdebug/fdebug/internal/finding"

// A DocumentData is a data divergence in result.json.
type DocumentData struct {
	Expr   string        `json:"expr"`
	At     DocumentRange `json:"at"`
	Source string        `json:"source"`
	Why    string        `json:"why"`
	Sure   bool          `json:"sure"`

	Which   string         `json:"which,omitempty"` // of the values of At
	Limit   *finding.Limit `json:"limit,omitempty"`
	Passing []DocumentSeen `json:"passing,omitempty"`
	Failing []DocumentSeen `json:"failing,omitempty"`
}

// data says which values from outside predict the outcome, or differ from run to run.
func (v *viewer) data(list []finding.DataDivergence) []prose {
	var out []prose
	for _, d := range list {
		p := say("Predicts the outcome: ")
		switch {
		case d.Kind == finding.DataPermuted:
			p = say("Perhaps different from run to run: ")
		case !d.Sure():
			p = say("Different from run to run: ")
		}
		p = v.place(p.code(v.clean.line(d.Expr, 200)).text(" ("), v.framePlace(d.At))
		if d.Source != "" {
			p = p.text(", " + v.clean.line(d.Source, 200))
		}
		out = append(out, p.text("): "+v.clean.line(dataWhy(&d), 1000)+"."))
	}
	return out
}

func (v *viewer) documentData(list []finding.DataDivergence) []DocumentData {
	var out []DocumentData
	for _, d := range list {
		x := DocumentData{Expr: d.Expr, At: v.frameRange(d.At), Source: d.Source, Why: dataWhy(&d), Sure: d.Sure(), Which: which(&d), Limit: d.Limit}
		x.Passing, _ = documentSeen(d.Passing)
		x.Failing, _ = documentSeen(d.Failing)
		out = append(out, x)
	}
	return out
}
