package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/stats"
)

// A tally counts mutants: all, with the cause first, among five, proved.
type tally struct{ mutants, first, any, proved int }

func (t tally) plus(o tally) tally {
	return tally{t.mutants + o.mutants, t.first + o.first, t.any + o.any, t.proved + o.proved}
}

// TestQuoted compares the table of RESULTS.md with the raw rows, and what README.md and
// docs/limits.md say about accuracy with that table.
func TestQuoted(t *testing.T) {
	results := readText(t, "RESULTS.md")
	seeds, all := tableOf(t, results)
	raw, others := rawTallies(t)
	sum := tally{}
	for seed, s := range seeds {
		sum = sum.plus(s)
		if r := raw[seed]; r.mutants != s.mutants || r.first != s.first || r.any != s.any {
			t.Errorf("seed %s: RESULTS.md has %+v, the raw rows %+v", seed, s, r)
		}
	}
	if sum != all || all.mutants == 0 {
		t.Errorf("RESULTS.md: the rows add up to %+v, the last row has %+v", sum, all)
	}
	newest := slices.Max(slices.Collect(maps.Keys(seeds)))
	rest := others[newest]
	m := regexp.MustCompile(fmt.Sprintf(`\| its %d that are no draws \|[^|]*\| %[1]d \| first %d .* any %d .* proved (\d+) \|`, rest.mutants, rest.first, rest.any)).FindStringSubmatch(results)
	if m == nil {
		t.Fatalf("RESULTS.md does not tell of what is no draw in seed %s: %+v", newest, rest)
	}
	rest.proved, _ = strconv.Atoi(m[1])
	holds(t, "../../../README.md", readmeRow(fmt.Sprintf("all %d seeds", len(seeds)), all), readmeRow("the newest seed", seeds[newest]),
		readmeRow("the newest seed, without random choices", rest))
	holds(t, "../../../docs/limits.md", fmt.Sprintf("Of %d injected flakes, the place named first is within two lines of the edit in %d.", all.mutants, all.first))
}

// TestQuotedChanged compares the row of -changed with its raw rows, and these with the commits that were written down
// before: in that order, each once.
func TestQuotedChanged(t *testing.T) {
	var listed []string
	for line := range strings.Lines(readText(t, "changed.txt")) {
		if f := strings.Fields(line); f[0] != "#" {
			listed = append(listed, strings.Join([]string{f[0], f[1], f[2], f[3], f[6]}, " "))
		}
	}
	n, chosen, seen, provoked := 0, 0, 0, 0
	for line := range strings.Lines(readText(t, "results/changed.jsonl")) {
		var r struct {
			Repository, How, Commit, Rev, Test string
			Chosen, Seen, Provoked             bool
			LeftOut                            bool `json:"left_out"`
			Failed, Runs                       int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got := strings.Join([]string{r.Repository, r.How, r.Commit, r.Rev, r.Test}, " ")
		if len(listed) == 0 || got != listed[0] {
			t.Fatalf("a row is of %s, which is not the next one written down", got)
		}
		listed = listed[1:]
		if r.Seen != (r.Failed > 0 && r.Failed < r.Runs) || r.Seen && (!r.Chosen || r.Provoked) {
			t.Errorf("%s: not what counts as seen: %+v", got, r)
		}
		for count, is := range map[*int]bool{&n: true, &chosen: r.Chosen, &seen: r.Seen, &provoked: r.Provoked} {
			if is && !r.LeftOut {
				*count++
			}
		}
	}
	holds(t, "RESULTS.md", fmt.Sprintf("| %d | %d chosen, %d seen, %d only provoked", n, chosen, seen, provoked))
}

// tableOf returns the rows of the table of injected flakes, by seed, and the last row.
func tableOf(t *testing.T, results string) (seeds map[string]tally, all tally) {
	t.Helper()
	_, table, ok := strings.Cut(results, "\n## Injected flakes\n")
	table, _, ok2 := strings.Cut(table, "\n## ")
	if !ok || !ok2 {
		t.Fatal("RESULTS.md has no table of injected flakes")
	}
	seeds = make(map[string]tally)
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$`).FindAllStringSubmatch(table, -1) {
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+2])
		}
		if row := (tally{n[0], n[1], n[2], n[3]}); m[1] == "**all**" {
			all = row
		} else {
			seeds[m[1]] = row
		}
	}
	return seeds, all
}

// rawTallies counts the raw rows of runs by seed: all, and those that are not draws. Few rows say
// what was proved.
func rawTallies(t *testing.T) (all, others map[string]tally) {
	t.Helper()
	all, others = make(map[string]tally), make(map[string]tally)
	for line := range strings.Lines(readText(t, "results/mutants.jsonl")) {
		var r struct {
			Seed               int
			How, Mutant, Grade string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.How != "run" {
			continue
		}
		one := tally{mutants: 1}
		if r.Grade == "on" {
			one.first = 1
		}
		if r.Grade == "on" || r.Grade == "on, not first" {
			one.any = 1
		}
		seed := strconv.Itoa(r.Seed)
		all[seed] = all[seed].plus(one)
		if !draw.MatchString(r.Mutant) {
			others[seed] = others[seed].plus(one)
		}
	}
	return all, others
}

// draw matches mutants that make a choice random.
var draw = regexp.MustCompile(`^(constant-random|seed-random|sort-dropped|map-ranged)-`)

// readmeRow returns a row of the table of README.md.
func readmeRow(name string, x tally) string {
	share := func(k int) string {
		lo, hi := stats.Wilson(k, x.mutants)
		return fmt.Sprintf("%.0f%% (%.0f–%.0f)", 100*float64(k)/float64(x.mutants), math.Round(100*lo), math.Round(100*hi))
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %d |", name, x.mutants, share(x.first), share(x.any), x.proved)
}

// holds checks that a page contains each of these texts, however its lines are broken.
func holds(t *testing.T, name string, texts ...string) {
	t.Helper()
	page := strings.Join(strings.Fields(readText(t, name)), " ")
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s does not say: %s", name, text)
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
