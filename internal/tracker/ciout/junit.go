package ciout

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
)

// The elements of JUnit XML, in the order that Maven Surefire's schema wants. It is the
// strictest that is published; testdata/junit.xsd is what is used of it.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     seconds `xml:"time,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string         `xml:"name,attr"`
		Classname string         `xml:"classname,attr"`
		Time      seconds        `xml:"time,attr"`
		Failure   *junitText     `xml:"failure"`
		Rerun     []junitAttempt `xml:"rerunFailure"`
		Flaky     []junitAttempt `xml:"flakyFailure"`
		Skipped   *junitSkipped  `xml:"skipped"`
		Error     *junitText     `xml:"error"`
		Output    string         `xml:"system-out,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitAttempt struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Trace   string `xml:"stackTrace"`
		Output  string `xml:"system-out,omitempty"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// seconds is a time as JUnit has it: with three decimals.
type seconds time.Duration

func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// JUnit writes JUnit XML. The time of a test is that of one execution, on average.
func (r *Report) JUnit(w io.Writer) error {
	clean := r.cleaner()
	doc := junitSuites{Name: "fdebug"}
	for _, s := range r.Suites {
		x := r.junitSuite(s, clean)
		for i := range x.Cases {
			x.count(&x.Cases[i])
			doc.count(&x.Cases[i])
		}
		doc.Suites = append(doc.Suites, x)
	}
	data, err := xml.MarshalIndent(doc, "", "\t")
	if err != nil {
		return err
	}
	// No attribute has one of these: what is left of them is in texts, to be read.
	data = bytes.ReplaceAll(data, []byte("&#xA;"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("&#x9;"), []byte("\t"))
	_, err = w.Write(slices.Concat([]byte(xml.Header), data, []byte("\n")))
	return err
}

func (r *Report) junitSuite(s *Suite, clean *cleaner) junitSuite {
	x := junitSuite{Name: clean.line(s.Package, maxName)}
	if !s.Started.IsZero() {
		x.Timestamp = s.Started.UTC().Format("2006-01-02T15:04:05")
	}
	for _, p := range [][2]string{{"go.version", r.Result.Go}, {"fdebug.version", r.Fdebug},
		{"fdebug.platform", r.Result.Platform}} {
		if p[1] != "" {
			x.Properties = append(x.Properties, junitProperty{p[0], clean.line(p[1], maxMessage)})
		}
	}
	if s.Err != "" {
		x.Cases = append(x.Cases, junitCase{
			Name: "(package)", Classname: x.Name,
			Error: &junitText{Message: "could not be tested", Type: "build", Text: clean.cut(s.Err, 16<<10, 16<<10)},
		})
	}
	if s.NeverRun {
		x.Cases = append(x.Cases, junitCase{Name: "(package)", Classname: x.Name,
			Skipped: &junitSkipped{Message: "never run"}})
	}
	for _, c := range s.Cases {
		x.Cases = append(x.Cases, r.junitCase(x.Name, c, clean))
	}
	return x
}

func (n *junitCounts) count(c *junitCase) {
	n.Tests++
	n.Time += c.Time
	switch {
	case c.Failure != nil:
		n.Failures++
	case c.Error != nil:
		n.Errors++
	case c.Skipped != nil:
		n.Skipped++
	}
}

func (r *Report) junitCase(pkg string, c *Case, clean *cleaner) junitCase {
	x := junitCase{Name: clean.line(c.name(), maxName), Classname: pkg, Time: seconds(c.mean())}
	switch c.state() {
	case skipped:
		x.Skipped = &junitSkipped{Message: "skipped in each run"}
	case finding.Flaky, finding.Provoked, finding.OnlySeen:
		for _, f := range r.failures(c, clean) {
			x.Flaky = append(x.Flaky, junitAttempt{f.message, f.kind, f.text, f.output})
		}
	case finding.Recorder: // it passes
		x.Output = r.failures(c, clean)[0].text
	case finding.Failing:
		list := r.failures(c, clean)
		x.Failure = &junitText{list[0].message, list[0].kind, list[0].text}
		x.Output = list[0].output
		for _, f := range list[1:] {
			x.Rerun = append(x.Rerun, junitAttempt{f.message, f.kind, f.text, f.output})
		}
	}
	return x
}
