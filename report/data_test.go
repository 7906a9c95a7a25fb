package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestData looks for a data divergence in all reports: with its place and its
// reason, and with text that is hostile made harmless.
func TestData(t *testing.T) {
	f := newFixture(t)
	f.file("p/index.go", "package p\n\nfunc F(m map[string]int) {\n\tfor k := range m {\n\t}\n}\n")
	at := trace.Frame{File: "/home/gopher/m/p/index.go", Line: 4}
	failure := &finding.Failure{Signature: "x", Message: "x", Runs: []int{1}, Data: []finding.DataDivergence{
		{Expr: "range m", At: at, Source: "map order", Kind: finding.DataValue, Values: divergence.ValueKey,
			Found: &divergence.DataDivergence{Rule: divergence.RuleEqual, Value: `"b"`, FailsIf: true, Table: divergence.Table{FailTaken: 9, PassNot: 4}}},
		{Expr: "<b>x</b>", At: at, Source: "a channel", Kind: finding.DataVaries, Operand: "<script>alert(1)</script>", Variety: divergence.Variety{Different: 3, Runs: 4}},
	}}
	test := &finding.Test{Package: "example.com/m/p", Name: "TestF", Runs: []finding.Run{{N: 1, Status: finding.Failed}, {N: 2, Status: finding.Passed, Failure: -1}}, Failures: []*finding.Failure{failure}}
	r := f.result(test)
	var page, md, doc bytes.Buffer
	for _, err := range []error{testHTML(&page, r, test), Markdown(&md, r, test), JSON(&doc, r)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"Predicts the outcome: <code>range m</code>", "map order", "was &#34;b&#34; in 9 of 9", "Different from run to run", "&lt;script&gt;alert"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if !strings.Contains(md.String(), "Predicts the outcome: `range m`") || strings.Contains(md.String(), "<script>") {
		t.Errorf("Markdown:\n%s", &md)
	}
	if !strings.Contains(doc.String(), `"source": "map order"`) || !strings.Contains(doc.String(), `"sure": true`) {
		t.Errorf("result.json:\n%s", &doc)
	}
}
