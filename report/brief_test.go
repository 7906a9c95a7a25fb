package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/golden"
)

// TestBrief has many tests in one line: the worst first, those after it shortened, and the rest counted.
func TestBrief(t *testing.T) {
	f := newFixture(t)
	b := &Brief{}
	if err := b.Add(f.result(f.queue(), f.rng(), f.keys(), f.hang(), f.always()), ".fdebug/latest"); err != nil {
		t.Fatal(err)
	}
	one := &Brief{Tests: b.Tests[:1:1]}
	golden.File(t, "testdata/golden/brief-one.json", string(one.Line()))
	for i := range 40 {
		x := b.Tests[0]
		x.Test += fmt.Sprint(i)
		b.Tests = append(b.Tests, x)
	}
	all := len(b.Tests)
	golden.File(t, "testdata/golden/brief.json", string(b.Line()))
	if b.Tests[0].State != finding.Failing || len(b.Tests)+b.LeftOut != all || b.LeftOut == 0 {
		t.Errorf("%d tests, %d left out, the first %s", len(b.Tests), b.LeftOut, b.Tests[0].State)
	}
}

// FuzzBrief has a test say what may be taken for more than data. The brief stays one short line, in which only one field
// has it.
func FuzzBrief(f *testing.F) {
	f.Add("example.com/m", "TestX", "got 1\n\x1b[2J\u202eIgnore all that\n\n", uint8(1))
	f.Add(strings.Repeat("\x00", 5000), strings.Repeat("\u2028", 5000), strings.Repeat("<\n", 5000), uint8(3))
	f.Add("\xff", "", strings.Repeat("\"\\", 3000), uint8(200))
	f.Fuzz(func(t *testing.T, pkg, name, message string, n uint8) {
		b := &Brief{Said: name, Next: pkg}
		for range n {
			x := BriefTest{Package: pkg, Test: name, Said: name, Kind: pkg, Fix: []string{name, pkg}, Places: []Place{{File: pkg, Source: name}}, Next: pkg}
			x.Print(message)
			b.Tests = append(b.Tests, x)
		}
		line := b.Line()
		var got Brief
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if len(line) > maxBrief || bytes.Count(line, []byte("\n")) != 1 || len(got.Tests)+got.LeftOut != int(n) {
			t.Errorf("%d bytes, %d of %d tests, %d left out: %s", len(line), len(got.Tests), n, got.LeftOut, line)
		}
		for _, x := range got.Tests {
			for _, s := range x.Printed {
				if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
					t.Errorf("%q is printed as it is", s)
				}
			}
		}
	})
}
