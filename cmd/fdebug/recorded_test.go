package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fdebug/fdebug/internal/recorded"
	"github.com/fdebug/fdebug/report"
)

// recordedIn returns the result.json of runs that were recorded of a program: see
// internal/accuracy. What is said of them is the same each time.
func recordedIn(t *testing.T, name string) []byte {
	t.Helper()
	file := filepath.Join("..", "..", "internal", "accuracy", "testdata", "recorded", name+".tar.zst")
	r, err := recorded.Open(file, t.TempDir(), func(format string, args ...any) { t.Errorf("warning: "+format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, r.Result); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestResultExample compares the example of docs/result.md with what recorded runs of
// that program give.
func TestResultExample(t *testing.T) {
	text, err := os.ReadFile("../../docs/result.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```json\n")
	example, _, _ = strings.Cut(example, "```\n")
	var want, doc any
	if err := json.Unmarshal([]byte(example), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(recordedIn(t, "examples-testorder"), &doc); err != nil {
		t.Fatal(err)
	}
	test := doc.(map[string]any)["tests"].([]any)[0]
	got := test.(map[string]any)["suspects"].([]any)[0]
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 0)); d != "" {
		t.Errorf("docs/result.md has another suspect (-), recorded runs (+):\n%s", d)
	}
}
