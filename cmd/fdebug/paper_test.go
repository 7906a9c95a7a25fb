package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
)

// paperTest is the part of result.json that TestPaper looks at.
type paperTest struct {
	Test     string
	Flaky    bool
	Failures []struct {
		Divergences []struct {
			LastCommon lineRange   `json:"last_common"`
			PassOnly   []lineRange `json:"pass_only"`
			FailOnly   []lineRange `json:"fail_only"`
			FailTaken  int         `json:"failing_taken"`
			PassTaken  int         `json:"passing_taken"`
		}
	}
	Report string
}

type lineRange struct {
	File       string
	Start, End int
}

// TestPaper uses recorded runs of the working example of the FD paper (Listings 1 and 2), and
// checks the page as a browser shows it. TestValuesReport runs the example again.
func TestPaper(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	dir := t.TempDir()
	data := recordedPages(t, recordedFile("examples-fdpaper"), dir)
	checkPaperPage(t, filepath.Join(dir, checkPaper(t, data).Report))
}

// checkPaper expects Listing 3 of the paper in a result.json: the lines up to the condition in
// common, the return of 0 only in passing runs, the return of 1 only in failing runs.
func checkPaper(t *testing.T, data []byte) *paperTest {
	t.Helper()
	var result struct{ Tests []*paperTest }
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Tests) != 1 {
		t.Fatalf("%d tests in result.json, want 1", len(result.Tests))
	}
	test := result.Tests[0]
	if test.Test != "TestGetRandomZeroOrOne" || !test.Flaky || len(test.Failures) != 1 || len(test.Failures[0].Divergences) != 1 {
		t.Fatalf("got %+v, want one divergence of TestGetRandomZeroOrOne", test)
	}
	d := test.Failures[0].Divergences[0]
	const file = "fdpaper/rng.go"
	if want := (lineRange{file, 8, 9}); d.LastCommon != want && d.LastCommon != (lineRange{file, 9, 9}) {
		t.Errorf("last common line %v, want %v", d.LastCommon, want)
	}
	if want := (lineRange{file, 10, 10}); len(d.PassOnly) != 1 || d.PassOnly[0] != want {
		t.Errorf("only in passing runs: %v, want %v", d.PassOnly, want)
	}
	if want := (lineRange{file, 12, 12}); len(d.FailOnly) != 1 || d.FailOnly[0] != want {
		t.Errorf("only in failing runs: %v, want %v", d.FailOnly, want)
	}
	if d.FailTaken == 0 || d.PassTaken != 0 {
		t.Errorf("taken by %d failing and %d passing runs", d.FailTaken, d.PassTaken)
	}
	return test
}

// checkPaperPage reads marks, words and colours of the lines from the DOM.
func checkPaperPage(t *testing.T, file string) {
	t.Helper()
	b := browsers.Open(t)
	b.OpenFile(file)
	type line struct {
		Mark, Words, Color string
	}
	lines := browsertest.Eval[map[string]line](b, `(() => {
		const out = {};
		for (const n of [7, 8, 9, 10, 12]) {
			const row = document.getElementById("fdpaper-rng.go-L" + n);
			const mk = row.querySelector(".mk");
			out[n] = {
				Mark: mk.querySelector("[aria-hidden]").innerText.trim(),
				Words: mk.querySelector(".vh").textContent,
				Color: getComputedStyle(row).backgroundColor,
			};
		}
		return out;
	})()`)
	for n, want := range map[string]string{"7": "=", "8": "=", "9": "=", "10": "+", "12": "-"} {
		if got := lines[n]; got.Mark != want || got.Words == "" {
			t.Errorf("line %s is marked %q (%q), want %q", n, got.Mark, got.Words, want)
		}
	}
	common, pass, fail := rgb(t, lines["8"].Color), rgb(t, lines["10"].Color), rgb(t, lines["12"].Color)
	if spread := max(common[0], common[1], common[2]) - min(common[0], common[1], common[2]); spread > 12 {
		t.Errorf("common lines are not gray: %v", common)
	}
	if pass[1] <= pass[0]+10 || pass[1] <= pass[2]+10 {
		t.Errorf("lines of passing runs are not green: %v", pass)
	}
	if fail[0] <= fail[1]+10 || fail[0] <= fail[2]+10 {
		t.Errorf("lines of failing runs are not red: %v", fail)
	}
}

// rgb parses a computed colour.
func rgb(t *testing.T, s string) [3]int {
	t.Helper()
	var c [3]int
	if _, err := fmt.Sscanf(s, "rgb(%d, %d, %d)", &c[0], &c[1], &c[2]); err != nil {
		t.Fatalf("colour %q: %v", s, err)
	}
	return c
}
