package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// TestFixOfDraw has numbers of which it was recorded which fail: the advice says so where they are
// drawn, and looks for them elsewhere.
func TestFixOfDraw(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	v := newViewer(f.result(test))
	v.t = test
	for line, want := range map[int]string{
		8: " tells the outcome: its value was at most 42 in 7 of 7 passing runs and in 0 of 6 failing runs; the next value seen was 53 (of the runs that recorded values). The numbers with which it fails are valid and must be handled, or should not be drawn, or the test demands what does not hold for them.",
		9: " make it fail: they are valid and must be handled, or should not be drawn, or the test demands what does not hold for them.",
	} {
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("rand")}, Category: "randomness", Window: []finding.Span{{File: "rng/rng.go", Start: line, End: line}}}
		if got := v.fix(d)[0].Plain(); !strings.HasSuffix(got, want) {
			t.Errorf("line %d: %s", line, got)
		}
	}
}

// TestFixOfFirstMatch has loops over a map that end at the first match, or not: sorted keys
// may be the order that fails.
func TestFixOfFirstMatch(t *testing.T) {
	loop := "package m\n\nfunc f(m map[int]int) int {\n\tn := 0\n\tfor k := range m {\n%s\n\t}\n\treturn n\n}\n"
	for body, leaves := range map[string]bool{
		"n += k":                             false,
		"if k > 1 { return k }":              true,
		"if k > 1 { n = k; break }":          true,
		"switch k { case 1: break }":         false,
		"for range 3 { break }; n++":         false,
		"for { if k > 1 { return k } }":      true,
		"n = func() int { return k }()":      false,
		"select { default: goto out }\nout:": true,
	} {
		r := &finding.Result{Source: func(string) ([]byte, error) { return fmt.Appendf(nil, loop, body), nil }}
		v := newViewer(r)
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: "unordered-collections", Window: []finding.Span{{File: "m.go", Start: 5, End: 5}}}
		if got := v.fix(d)[0].Plain(); strings.HasPrefix(got, "The loop at") != leaves {
			t.Errorf("%s: %s", body, got)
		}
	}
}

// Keys of a generic map may have no order: slices.Sorted alone does not compile then.
func TestFixOfKeysWithoutOrder(t *testing.T) {
	lines := newViewer(newFixture(t).result()).fix(&finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: "unordered-collections"})
	if len(lines) == 0 || !strings.Contains(lines[0].Plain(), "slices.SortedFunc for keys that < does not compare") {
		t.Errorf("got %v", lines)
	}
}

// In a module for an older Go the keys are sorted with package sort: slices.Sorted does not build there.
func TestFixOfOldGo(t *testing.T) {
	for gomod, want := range map[string]string{
		"module m\n\ngo 1.13\n":   "collect them, sort them with sort.Strings(keys) or sort.Ints(keys), and loop with for _, k := range keys",
		"module m\n":              "sort.Strings(keys)",
		"module m\n\ngo 1.23.1\n": ": for _, k := range slices.Sorted(maps.Keys(in)); slices.SortedFunc",
		"":                        ": for _, k := range slices.Sorted(maps.Keys(in)); slices.SortedFunc",
	} {
		f := newFixture(t)
		f.file("keys/keys.go", "package keys\n\nfunc F(in map[string]int) {\n\tfor k := range in {\n\t\tprintln(k)\n\t}\n}\n")
		if gomod != "" {
			f.files["go.mod"] = gomod
		}
		at := finding.Span{File: "keys/keys.go", Start: 4, End: 4}
		lines := newViewer(f.result()).fix(&finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: "unordered-collections", Window: []finding.Span{at}})
		if len(lines) != 3 || !strings.Contains(lines[0].Plain(), want) {
			t.Errorf("%q: got %v, want %q", gomod, lines[0].Plain(), want)
		}
	}
}

// TestFixOfWalkedByCallee has an order of a map that is chosen in what a statement calls: there is no loop there to be changed.
func TestFixOfWalkedByCallee(t *testing.T) {
	for line, want := range map[int]string{
		4: "A map is gone through in what is called at or right after enc.Encode(in) (keys/keys.go:4): see whether that, and what it is compared with, can be told",
		5: "Go through sorted keys at for k := range all(in) { (keys/keys.go:5)",
		8: "What is chosen at or right after if _, had := seen.LoadOrStore(1, in); had { (keys/keys.go:8) is, if that is the first use of a sync.Map, how its Range will go through it: sort",
	} {
		f := newFixture(t)
		f.file("keys/keys.go", "package keys\n\nfunc F(enc *Enc, in map[string]int) {\n\tenc.Encode(in)\n\tfor k := range all(in) {\n\t\tenc.Encode(k)\n\t}\n\tif _, had := seen.LoadOrStore(1, in); had {\n\t\tpanic(in)\n\t}\n}\n")
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: "unordered-collections", Window: []finding.Span{{File: "keys/keys.go", Start: line, End: line, After: line != 5}}}
		lines := newViewer(f.result()).fix(d)
		if len(lines) != 3 || !strings.HasPrefix(lines[0].Plain(), want) {
			t.Errorf("line %d: %v", line, lines)
		}
		if line != 4 {
			continue
		}
		d.Category = "floating-point" // where there is nothing to be told to keep to an order
		if got := newViewer(f.result()).fix(d); !strings.HasPrefix(got[0].Plain(), "A map is gone through in what is called at or right after enc.Encode(in) (keys/keys.go:4), and the last digits of a sum") || !strings.Contains(got[1].Plain(), "tolerance") {
			t.Errorf("of sums: %v", got)
		}
	}
}

// TestFixOfGathered has a loop over a map of which the source shows that it makes a list that nothing sorts: that is
// what to sort first. Of other loops the list is not known.
func TestFixOfGathered(t *testing.T) {
	for name, want := range map[string]string{
		"names": "Sort names, to which the loop at for k := range in { (keys/keys.go:4) appends, after the loop and before line 7 uses it: slices.Sort(names); slices.SortFunc for elements that < does not compare. An order that is fixed may be the one that fails: check it.|Or go through sorted keys at ",
		"":      "Go through sorted keys at for k := range in { (keys/keys.go:4): ",
	} {
		f := newFixture(t)
		f.file("keys/keys.go", "package keys\n\nfunc F(in map[string]int) (names []string) {\n\tfor k := range in {\n\t\tnames = append(names, k)\n\t}\n\treturn names\n}\n")
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: "unordered-collections", Window: []finding.Span{{File: "keys/keys.go", Start: 4, End: 4}}}
		test := &finding.Test{Failures: []*finding.Failure{{Suspects: []finding.Suspect{{File: "keys/keys.go", Start: 4, End: 7, Reason: finding.Reason{Kind: finding.ReasonExperiment, Verdict: d, Gathers: name}}}}}}
		v := newViewer(f.result(test))
		v.t = test
		lines := v.fix(d)
		if got := lines[0].Plain() + "|" + lines[1].Plain(); len(lines) != 3 || !strings.HasPrefix(got, want) {
			t.Errorf("%q:\ngot  %s\nwant %s", name, got, want)
		}
	}
}

// Keys whose type is a type parameter that is only comparable can't be sorted where the loop
// over them stands: slices.Sorted doesn't compile there, nor has SortedFunc anything to compare.
// Where that is not sure the usual advice is given.
func TestFixOfComparableKeys(t *testing.T) {
	const sorted, not = "Go through sorted keys at ", "The keys can't be sorted at "
	for src, want := range map[string]string{
		"func F[K comparable, V any](in map[K]V) (l []K) {\n\tfor k := range in {\n\t\tl = append(l, k)\n\t}\n\treturn l\n}":                             not,
		"func F[M ~map[K]V, K comparable, V any](in M) (l []K) {\n\tfor k := range in {\n\t\tl = append(l, k)\n\t}\n\treturn l\n}":                       not,
		"func F[K, L comparable](a []K) {\n\tseen := make(map[K]bool); _ = func() {\n\tfor range seen {\n\t}\n\t}\n}":                                    not,
		"func F[K comparable](a []K) {\n\tvar seen map[K]bool\n\tfor k := range seen {\n\t\tprintln(k)\n\t}\n}":                                          not,
		"func F[K cmp.Ordered, V comparable](in map[K]V) {\n\tfor k := range in {\n\t\tprintln(k)\n\t}\n}":                                               sorted,
		"func F[V comparable](in map[string]V) {\n\tfor k := range in {\n\t\tprintln(k)\n\t}\n}":                                                         sorted,
		"func F[K comparable](in map[K]int) {\n\t{\n\tin := map[string]int{}\n\tfor k := range in {\n\t\tprintln(k)\n\t}\n\t}\n}":                        sorted,
		"func F[K comparable](in []map[K]int) {\n\tfor k := range in[0] {\n\t\tprintln(k)\n\t}\n}":                                                       sorted,
		"type K string\n\nfunc F(in map[K]int) {\n\tfor k := range in {\n\t\tprintln(k)\n\t}\n}":                                                         sorted,
		"func F[K comparable, V any](in map[K]V) {\n\tfor range in {\n\t}\n}\n\nfunc G(in map[int]int) {\n\tfor k := range in {\n\t\tprintln(k)\n\t}\n}": not,
	} {
		f := newFixture(t)
		f.file("keys/keys.go", "package keys\n\n"+src+"\n")
		line := 1 + strings.Count(f.files["keys/keys.go"][:strings.Index(f.files["keys/keys.go"], "\tfor ")], "\n")
		at := finding.Span{File: "keys/keys.go", Start: line, End: line}
		for _, category := range []string{"unordered-collections", "floating-point"} {
			var lines []string
			for _, p := range newViewer(f.result()).fix(&finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: category, Window: []finding.Span{at}}) {
				lines = append(lines, p.Plain())
			}
			all := strings.Join(lines, "\n")
			if len(lines) != 3 || !strings.HasPrefix(all, want) || strings.Contains(all, "slices.Sorted") != (want == sorted) {
				t.Errorf("%s, %s:\n%s", src, category, all)
			}
			if want == not && !strings.Contains(lines[0], "K is a type parameter that is only comparable.") {
				t.Errorf("%s: %s", src, lines[0])
			}
		}
	}
}

// A loop that takes the first key it comes to is not mended by sorting what is made of it.
func TestFixOfFirstComparableKey(t *testing.T) {
	f := newFixture(t)
	f.file("keys/keys.go", "package keys\n\nfunc First[K comparable](in map[K]int) (k K) {\n\tfor k := range in {\n\t\treturn k\n\t}\n\treturn k\n}\n")
	at := finding.Span{File: "keys/keys.go", Start: 4, End: 4}
	lines := newViewer(f.result()).fix(&finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map")}, Category: "unordered-collections", Window: []finding.Span{at}})
	if len(lines) != 3 || !strings.Contains(lines[0].Plain(), "may be left before it has seen all keys") || !strings.HasPrefix(lines[1].Plain(), "The keys can't be sorted at ") {
		t.Errorf("got %v", lines)
	}
}
