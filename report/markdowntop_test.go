package report

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/say"
)

// openLines is how many lines of Markdown are not folded, those of code blocks included.
func openLines(md string) (n int) {
	depth, fence := 0, ""
	for _, line := range strings.Split(strings.TrimRight(md, "\n"), "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "<details>"):
			depth++
		case fence == "" && strings.HasPrefix(line, "</details>"):
			depth--
			continue
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		case fence != "" && line == fence:
			fence = ""
		}
		if depth == 0 && strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// TestMarkdownOpen counts what stands open: at most 40 lines, however long the message
// and the window are, and the answer is in it.
func TestMarkdownOpen(t *testing.T) {
	f := newFixture(t)
	long := f.queue()
	long.Failures[0].Message = strings.Repeat("```\n<details>\nline\n", 40)
	verdicttest.SetWindow(&long.Verdicts[0], finding.Span{File: "queue/queue.go", Start: 14, End: 14}, finding.Span{File: "queue/queue.go", Start: 37, End: 37})
	evil, test := hostile(t)
	tests := []*finding.Test{f.queue(), f.rng(), f.keys(), f.hang(), f.always()}
	r := f.result(tests...)
	for i, x := range append(tests, long, test) {
		var b bytes.Buffer
		switch x {
		case long:
			r = f.result(long)
		case test:
			r = evil
		}
		if err := Markdown(&b, r, x); err != nil {
			t.Fatal(err)
		}
		if n := openLines(b.String()); n > 40 {
			t.Errorf("%.20s: %d lines stand open", x.Name, n)
		}
		short := openPart(b.String())
		if n := openLines(short); n < 3 || n > 40 || strings.Count(short, "\n<details><summary>") > 0 {
			t.Errorf("%.20s: the open part has %d lines:\n%s", x.Name, n, short)
		}
		if i == 0 {
			for _, want := range []string{"async wait · proved", "delayed here: **20 of 20**", "! queue.go:37  q.done.Store(true)    <- delayed here", "fdebug replay TestDrain", "not drained in time"} {
				if !strings.Contains(short, want) {
					t.Errorf("the open part does not say %q:\n%s", want, short)
				}
			}
		}
	}
}

// TestTwoTemplates looks for each sentence that the view of a test says openly in both of its renderings.
func TestTwoTemplates(t *testing.T) {
	f := newFixture(t)
	r := f.result(f.queue(), f.rng(), f.keys(), f.hang(), f.always(), f.ordered())
	for _, test := range r.Tests {
		v := newViewer(r)
		w := v.test(test)
		md, err := v.markdown(w)
		var page bytes.Buffer
		if err2 := v.page(&page, w); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		n := 0
		for _, s := range said(reflect.ValueOf(w)) {
			n++
			for what, text := range map[string]string{"page": page.String(), "Markdown": md} {
				want := s.Markdown()
				if what == "page" {
					want = string(words(s))
				}
				if !strings.Contains(text, want) {
					t.Errorf("%s: the %s does not say %q", w.Name, what, want)
				}
			}
		}
		t.Logf("%s: %d sentences", w.Name, n)
	}
}

// unsaid are the fields of a view that only the page has: they are folded there.
var unsaid = []string{"More", "MoreValues", "Waits", "Wordings", "Tried", "Clean", "LeftOut", "RunsCut", "Listings",
	"Picture", "Code", "Which", "Lead", "Note"}

// said collects the sentences in the fields of a value.
func said(v reflect.Value) (list []say.Sentence) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return said(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			list = append(list, said(v.Index(i))...)
		}
	case reflect.Struct:
		if s, ok := v.Interface().(say.Sentence); ok {
			return append(list, s)
		}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if len(f.Index) == 1 && f.IsExported() && !slices.Contains(unsaid, f.Name) {
				list = append(list, said(v.FieldByIndex(f.Index))...)
			}
		}
	}
	return list
}

// openPart returns the part that stands open in the Markdown of a test: up to the first part that
// is folded.
func openPart(text string) string {
	fence := ""
	at := 0
	for line := range strings.Lines(text) {
		switch s := strings.TrimRight(line, "\n"); {
		case fence != "":
			if s == fence {
				fence = ""
			}
		case strings.HasPrefix(s, "```"):
			fence = s[:len(s)-len(strings.TrimLeft(s, "`"))]
		case strings.HasPrefix(s, "<details>"):
			return strings.TrimRight(text[:at], "\n") + "\n"
		}
		at += len(line)
	}
	return text
}
