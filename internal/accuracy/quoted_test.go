package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

// TestQuoted holds what README.md and docs/limits.md say of accuracy to RESULTS.md.
func TestQuoted(t *testing.T) {
	results := readText(t, "RESULTS.md")
	_, table, _ := strings.Cut(results, "\n## Together\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var sum, all [4]int
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`).FindAllStringSubmatch(table, -1) {
		for i := range sum {
			n, _ := strconv.Atoi(m[i+2])
			if m[1] == "**all**" {
				all[i] = n
			} else {
				sum[i] += n
			}
		}
	}
	if all != sum || all[0] == 0 {
		t.Errorf("RESULTS.md: the rows add up to %v, the last row has %v", sum, all)
	}
	share := func(k int) (percent, interval string) {
		lo, hi := divergence.Wilson(k, all[0])
		return fmt.Sprintf("%.0f %%", 100*float64(k)/float64(all[0])), fmt.Sprintf("%.0f-%.0f", math.Round(100*lo), math.Round(100*hi))
	}
	first, firstCI := share(all[1])
	any5, any5CI := share(all[2])
	want := fmt.Sprintf("Of %d flakes injected into public modules by single edits, the place named first was within two lines of the edit in %s (95 %% CI %s), any of five in %s (%s), and in %d something was proved",
		all[0], first, firstCI, any5, any5CI, all[3])
	for _, name := range []string{"../../README.md", "../../docs/limits.md"} {
		if text := strings.Join(strings.Fields(readText(t, name)), " "); !strings.Contains(text, want) {
			t.Errorf("%s does not say: %s", name, want)
		}
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
