package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/report"
)

// A kept is a run directory that is kept, with what is known of its test. A file of cases has one a line, as JSON.
type kept struct {
	Kind  string `json:"kind"` // which of the sums it counts in
	Name  string `json:"name"`
	Run   string `json:"run"` // the run directory
	Test  string `json:"test"`
	Apart int    `json:"apart"` // how many lines a short place may be from the cause
	Cause []struct {
		File  string `json:"file"`
		Start int    `json:"start"`
		End   int    `json:"end"`
	} `json:"cause"`
	Categories []string `json:"categories,omitempty"`
}

// A said is what a binary says of a kept run directory.
type said struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Counts   bool     `json:"counts"` // the test failed in some runs, or under experiments
	First    bool     `json:"first"`  // the first place is on the cause
	Any      bool     `json:"any"`    // a place of the list is
	Category string   `json:"category,omitempty"`
	Right    bool     `json:"right"` // the category is
	Verdict  string   `json:"verdict"`
	Cause    string   `json:"cause"`
	List     []string `json:"list,omitempty"` // places
	Err      string   `json:"err,omitempty"`
}

// compare prints what two binaries, separated by a comma, say of the same run directories, and where they differ. One
// alone prints what it says. A file that -rows has written stands for the binary.
func (c *config) compare(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	cases, err := readKept(c.cases, c.only)
	if err != nil {
		return 2, err
	}
	var rows [][]said
	for _, binary := range strings.Split(c.binaries, ",") {
		var list []said
		list, cases, err = sayAll(ctx, binary, cases, stderr)
		if err != nil {
			return 2, err
		}
		rows = append(rows, list)
	}
	if c.rows != "" {
		if err := writeRows(c.rows, rows[len(rows)-1]); err != nil {
			return 2, err
		}
	}
	if len(rows) == 1 {
		return 0, printSaid(stdout, rows[0])
	}
	before := make(map[string]said)
	for _, s := range rows[0] {
		before[s.Name] = s
	}
	rows[0] = nil
	for _, s := range rows[1] {
		rows[0] = append(rows[0], before[s.Name])
	}
	return 0, printDifference(stdout, rows[0], rows[1])
}

// readKept reads a file of cases; only are prefixes of names and kinds, separated by commas.
func readKept(file, only string) (list []kept, err error) {
	err = readLines(file, func(line []byte) error {
		var k kept
		if err := json.Unmarshal(line, &k); err != nil {
			return err
		}
		if only == "" || slices.ContainsFunc(strings.Split(only, ","), func(s string) bool {
			return strings.HasPrefix(k.Name, s) || k.Kind == s
		}) {
			list = append(list, k)
		}
		return nil
	})
	return list, err
}

func readLines(file string, do func([]byte) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		if err := do(s.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return s.Err()
}

func writeRows(file string, rows []said) error {
	var b bytes.Buffer
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// sayAll returns the answers of a binary on the cases, and these. A file has those on some. The others are left out.
func sayAll(ctx context.Context, binary string, cases []kept, stderr io.Writer) (list []said, of []kept, err error) {
	before := make(map[string]said)
	if strings.HasSuffix(binary, ".jsonl") {
		err := readLines(binary, func(line []byte) error {
			var s said
			err := json.Unmarshal(line, &s)
			before[s.Name] = s
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		cases = slices.DeleteFunc(slices.Clone(cases), func(k kept) bool { return before[k.Name].Name == "" })
	} else if binary, err = filepath.Abs(binary); err != nil {
		return nil, nil, err
	}
	for _, k := range cases {
		s, ok := before[k.Name]
		if !ok {
			s = k.say(ctx, binary)
		}
		if s.Err != "" {
			fmt.Fprintf(stderr, "%s: %s\n", k.Name, s.Err)
		}
		list = append(list, s)
	}
	return list, cases, ctx.Err()
}

// say has a binary compare a copy of the run directory again, and grades its result.
func (k *kept) say(ctx context.Context, binary string) said {
	doc, err := k.document(ctx, binary)
	if err != nil {
		return said{Name: k.Name, Kind: k.Kind, Err: err.Error()}
	}
	return k.grade(doc)
}

func (k *kept) document(ctx context.Context, binary string) (*report.Document, error) {
	dir, err := os.MkdirTemp("", "fdebug-kept-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := recorded.Copy(dir, k.Run); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "report", dir)
	cmd.Dir = dir
	var exit *exec.ExitError
	if out, err := cmd.CombinedOutput(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		return nil, err
	}
	doc := new(report.Document)
	return doc, json.Unmarshal(data, doc)
}

// grade grades what a result says.
func (k *kept) grade(doc *report.Document) said {
	s := said{Name: k.Name, Kind: k.Kind}
	i := slices.IndexFunc(doc.Tests, func(t report.DocumentTest) bool { return t.Test == k.Test })
	if i < 0 {
		return s
	}
	t := &doc.Tests[i]
	s.Counts = t.Failed > 0 && t.Passed > 0 || len(t.Experiments) > 0
	if t.Cause != nil {
		s.Category, s.Verdict, s.Cause = t.Cause.Kind, t.Cause.Verdict, t.Cause.Said
	}
	s.Right = slices.Contains(k.Categories, s.Category)
	for i, x := range t.Suspects {
		on := k.on(x.Span)
		s.First, s.Any = s.First || on && i == 0, s.Any || on
		s.List = append(s.List, where(x))
	}
	return s
}

// on reports whether a place is on the cause, as package inject says.
func (k *kept) on(p finding.Span) bool {
	end := max(p.Start, p.End)
	for _, c := range k.Cause {
		d := max(0, c.Start-end, p.Start-max(c.Start, c.End))
		if p.File == c.File && (d == 0 && end-p.Start < maxWindow || d <= k.Apart && end-p.Start < maxPoint) {
			return true
		}
	}
	return false
}

// printSaid writes a row for each case, and sums.
func printSaid(w io.Writer, rows []said) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "case\tcounts\tfirst\tany\tcategory\tright\tverdict\tfirst place\tcause")
	for _, r := range rows {
		first := "-"
		if len(r.List) > 0 {
			first = r.List[0]
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, yes(r.Counts), yes(r.First), yes(r.Any),
			cmp.Or(r.Category, "-"), yes(r.Right), r.Verdict, first, r.Cause)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	return printSums(w, rows)
}

// printSums writes how many cases of each kind have the cause first, in the list, and the right category.
func printSums(w io.Writer, rows []said) error {
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "kind\tn\tfirst\tany\tcategory right\tproved")
	kinds := []string{"all"}
	for _, r := range rows {
		if !slices.Contains(kinds, r.Kind) {
			kinds = append(kinds, r.Kind)
		}
	}
	for _, kind := range kinds {
		var n, first, anywhere, right, proved int
		for _, r := range rows {
			if r.Counts && (kind == "all" || kind == r.Kind) {
				n, first, anywhere = n+1, first+one(r.First), anywhere+one(r.Any)
				right, proved = right+one(r.Right), proved+one(r.Verdict == "proved")
			}
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\n", kind, n, first, anywhere, right, proved)
	}
	return tw.Flush()
}

// printDifference writes the cases about which two binaries say different things, and sums.
func printDifference(w io.Writer, before, after []said) error {
	names := []string{"worse", "better", "lost", "found", "category", "cause", "list", "error"}
	count := make(map[string]int)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, a := range before {
		b := after[i]
		differs := map[string]bool{
			"worse": a.First && !b.First, "better": !a.First && b.First, "lost": a.Any && !b.Any, "found": !a.Any && b.Any,
			"category": a.Category != b.Category, "cause": a.Cause != b.Cause, "list": !slices.Equal(a.List, b.List),
			"error": a.Err != b.Err,
		}
		var how []string
		for _, name := range names {
			if differs[name] {
				count[name]++
				how = append(how, name)
			}
		}
		if len(how) > 0 {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", a.Name, strings.Join(how, " "), a.Category, strings.Join(a.List, " "),
				a.Cause)
			fmt.Fprintf(tw, "\t\t%s\t%s\t%s\n", b.Category, strings.Join(b.List, " "), cmp.Or(b.Err, b.Cause))
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d cases:", len(before))
	for _, name := range names {
		fmt.Fprintf(w, " %s %d", name, count[name])
	}
	fmt.Fprintln(w)
	for _, rows := range [][]said{before, after} {
		if err := printSums(w, rows); err != nil {
			return err
		}
	}
	return nil
}
