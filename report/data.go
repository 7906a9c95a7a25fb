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
	// Passing and Failing are the values that it rests on, one for each run, the
	// most frequent first; none if it is not sure. Which says which of the values
	// of At they are: "the key in iteration 1". Limit is between the outcomes, if
	// they are numbers that one was found for.
	Which            string
	Passing, Failing []Seen
	Limit            *Limit
}

// A DocumentData is a data divergence in result.json.
type DocumentData struct {
	Expr   string        `json:"expr"`
	At     DocumentRange `json:"at"`
	Source string        `json:"source"`
	Why    string        `json:"why"`
	Sure   bool          `json:"sure"`

	Which   string         `json:"which,omitempty"` // of the values of At
	Limit   *Limit         `json:"limit,omitempty"`
	Passing []DocumentSeen `json:"passing,omitempty"`
	Failing []DocumentSeen `json:"failing,omitempty"`
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
		x := DocumentData{Expr: d.Expr, At: v.frameRange(d.At), Source: d.Source, Why: d.Why, Sure: d.Sure, Which: d.Which, Limit: d.Limit}
		x.Passing, _ = documentSeen(d.Passing)
		x.Failing, _ = documentSeen(d.Failing)
		out = append(out, x)
	}
	return out
}
