package report

import "github.com/fdebug/fdebug/trace"

// A DataDivergence is where the data of failing runs parted from that of
// passing runs: a value that enters from outside at At, and goes with the outcome.
type DataDivergence struct {
	Expr   string // "rand.IntN(100)"
	At     trace.Frame
	Source string // "math/rand", "map order"
	Why    string // what it was in runs of either outcome, to follow the place: "was at least 50 in ..."
	// Sure is false if the runs do not show that it goes with the outcome: what
	// decided is computed from it, and it differed from run to run.
	Sure bool
}

// A DocumentData is a data divergence in result.json.
type DocumentData struct {
	Expr   string        `json:"expr"`
	At     DocumentRange `json:"at"`
	Source string        `json:"source"`
	Why    string        `json:"why"`
	Sure   bool          `json:"sure"`
}

// data says where the data parted.
func (v *viewer) data(list []DataDivergence) []prose {
	var out []prose
	for _, d := range list {
		p := say("The data parted at ")
		if !d.Sure {
			p = say("Different from run to run: ")
		}
		p = v.place(p.code(v.clean.line(d.Expr, 200)).text(" ("), v.framePlace(d.At))
		if d.Source != "" {
			p = p.text(", " + v.clean.line(d.Source, 200))
		}
		out = append(out, p.text("): "+v.clean.line(d.Why, 1000)+"."))
	}
	return out
}

func (v *viewer) documentData(list []DataDivergence) []DocumentData {
	var out []DocumentData
	for _, d := range list {
		out = append(out, DocumentData{d.Expr, v.frameRange(d.At), d.Source, d.Why, d.Sure})
	}
	return out
}
