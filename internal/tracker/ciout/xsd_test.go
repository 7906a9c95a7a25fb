package ciout

import (
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A schema is as much of an XML schema as testdata/junit.xsd uses.
type schema struct {
	Elements []xsdElement `xml:"element"`
	Complex  []struct {
		Name string `xml:"name,attr"`
		xsdType
	} `xml:"complexType"`
	Simple []struct {
		Name    string `xml:"name,attr"`
		Pattern struct {
			Value string `xml:"value,attr"`
		} `xml:"restriction>pattern"`
	} `xml:"simpleType"`
}

type xsdType struct {
	Sequence   []xsdElement   `xml:"sequence>element"`
	Attributes []xsdAttribute `xml:"attribute"`
	Extended   []xsdAttribute `xml:"simpleContent>extension>attribute"` // of text
}

type xsdElement struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Min  string `xml:"minOccurs,attr"`
	Max  string `xml:"maxOccurs,attr"`
}

type xsdAttribute struct {
	Name string `xml:"name,attr"`
	Type string `xml:"type,attr"`
	Use  string `xml:"use,attr"`
}

// An element is one of a document.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func readSchema(t *testing.T, name string) *schema {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := new(schema)
	if err := xml.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// validate says what a document has that the schema forbids.
func (s *schema) validate(doc []byte) error {
	var root element
	if err := xml.Unmarshal(doc, &root); err != nil {
		return err
	}
	if len(s.Elements) != 1 || root.XMLName.Local != s.Elements[0].Name {
		return fmt.Errorf("root %s", root.XMLName.Local)
	}
	return s.check(&root, s.Elements[0].Type)
}

func (s *schema) check(e *element, typ string) error {
	var t xsdType
	if typ != "xs:string" {
		i := slices.IndexFunc(s.Complex, func(c struct {
			Name string `xml:"name,attr"`
			xsdType
		}) bool {
			return c.Name == typ
		})
		if i < 0 {
			return fmt.Errorf("the schema has no type %s", typ)
		}
		t = s.Complex[i].xsdType
	}
	name := e.XMLName.Local
	if err := s.attributes(e, append(slices.Clone(t.Attributes), t.Extended...)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if typ != "xs:string" && len(t.Extended) == 0 && strings.TrimSpace(e.Text) != "" {
		return fmt.Errorf("%s: text %q", name, e.Text)
	}
	rest := e.Children
	for _, want := range t.Sequence {
		n := 0
		for len(rest) > 0 && rest[0].XMLName.Local == want.Name {
			if err := s.check(&rest[0], want.Type); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			rest = rest[1:]
			n++
		}
		if n == 0 && want.Min != "0" || n > 1 && want.Max != "unbounded" {
			return fmt.Errorf("%s: %s occurs %d times", name, want.Name, n)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%s: %s is not wanted there", name, rest[0].XMLName.Local)
	}
	return nil
}

func (s *schema) attributes(e *element, want []xsdAttribute) error {
	for _, w := range want {
		i := slices.IndexFunc(e.Attrs, func(a xml.Attr) bool { return a.Name.Local == w.Name })
		if i < 0 && w.Use == "required" {
			return fmt.Errorf("no attribute %s", w.Name)
		}
		for _, simple := range s.Simple {
			if i >= 0 && simple.Name == w.Type && !regexp.MustCompile("^(?:"+simple.Pattern.Value+")$").MatchString(e.Attrs[i].Value) {
				return fmt.Errorf("attribute %s is %q", w.Name, e.Attrs[i].Value)
			}
		}
	}
	for _, a := range e.Attrs {
		if !slices.ContainsFunc(want, func(w xsdAttribute) bool { return w.Name == a.Name.Local }) {
			return fmt.Errorf("attribute %s is unknown", a.Name.Local)
		}
	}
	return nil
}

// TestSchema shows what the schema refuses.
func TestSchema(t *testing.T) {
	s := readSchema(t, "testdata/junit.xsd")
	const good = `<testsuites tests="1" failures="0" errors="0" skipped="0" time="0.000">` +
		`<testsuite name="p" tests="1" failures="0" errors="0" skipped="0" time="0.000">` +
		`<testcase name="T" classname="p" time="0.001"><flakyFailure type="fail"><stackTrace>x</stackTrace></flakyFailure></testcase></testsuite></testsuites>`
	if err := s.validate([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`time="0.001"`, `time="1"`},
		{`time="0.001"`, ``},
		{`time="0.001"`, `time="0.001" file="x"`},
		{`<stackTrace>x</stackTrace>`, ``},
		{`<stackTrace>x</stackTrace>`, `<stackTrace>x</stackTrace><stackTrace>x</stackTrace>`},
		{`<stackTrace>x</stackTrace>`, `<system-out/><stackTrace>x</stackTrace>`},
		{`<stackTrace>x</stackTrace>`, `<stackTrace>x</stackTrace>text`},
		{`<flakyFailure type="fail">`, `<flakyFailure>`},
		{`</testcase>`, `<failure type="fail"/></testcase>`},
		{`<testsuites `, `<testsuites><testsuites `},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good || s.validate([]byte(bad)) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
