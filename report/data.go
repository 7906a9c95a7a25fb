package report

import (
	"fmt"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

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

func (v *viewer) documentData(list []finding.DataDivergence) []DocumentData {
	var out []DocumentData
	for _, d := range list {
		x := DocumentData{Expr: d.Expr, At: v.frameRange(d.At), Source: d.Source, Why: dataReason(&d), Sure: d.Sure(), Which: which(&d), Limit: d.Limit}
		x.Passing, _ = documentSeen(d.Passing)
		x.Failing, _ = documentSeen(d.Failing)
		out = append(out, x)
	}
	return out
}

// dataReason says what is known of a place where chance enters.
func dataReason(d *finding.DataDivergence) string {
	if d.Sure() {
		return say.WhyValue.With().String()
	}
	return say.WhyMayDepend.With().String()
}

// which names one of the values of a source, "" if there is just one.
func which(x *finding.DataDivergence) string {
	d := x.Found
	if d == nil {
		return ""
	}
	thing := map[divergence.ValueKind]string{divergence.ValueKey: "key", divergence.ValueReceived: "value received"}[x.Values]
	if thing == "" {
		thing = "value"
	}
	switch {
	case d.Rule == divergence.RuleOrder && d.Nth > 0:
		return fmt.Sprintf("the order of the keys in pass %d", d.Nth+1)
	case d.Rule == divergence.RuleOrder:
		return "the order of the keys"
	case d.Nth < 0 && d.Rule == divergence.RuleAbove:
		return "the greatest " + thing + " in a run"
	case d.Nth < 0:
		return "the least " + thing + " in a run"
	case x.Values == divergence.ValueKey:
		return fmt.Sprintf("key %d of this test", d.Nth+1)
	case x.Values == divergence.ValueReceived && d.Nth == 0:
		return "the first value received"
	case x.Values == divergence.ValueReceived:
		return fmt.Sprintf("value %d received", d.Nth+1)
	case d.Nth > 0 || d.Several:
		return fmt.Sprintf("the value of call %d", d.Nth+1)
	}
	return ""
}
