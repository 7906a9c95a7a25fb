package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/trace"
)

// TestRecorded analyses all recorded runs, once, and compares what is found with golden files: of
// each program the first suspect, with its evidence, and whether it is on the cause
// (recorded.golden); what its runs show without any experiment (facts.golden); and what is said of
// it (said.golden). With -short it uses every sixteenth program, for the first of these.
func TestRecorded(t *testing.T) {
	list := truth(t)
	found := make([]analysed, len(list))
	r := &replay{root: root}
	t.Run("program", func(t *testing.T) {
		for i, p := range list {
			t.Run(p.name, func(t *testing.T) {
				if testing.Short() && i%16 != 1 {
					t.Skip("one in sixteen is enough")
				}
				t.Parallel()
				found[i] = analyse(t, r, p)
			})
		}
	})
	checkRows(t, "testdata/recorded.golden", aligned("program\tfailing\tfirst suspect\trule\tclass\tlink\tcause\trank", found, func(a analysed) string { return a.row }))
	if testing.Short() {
		return
	}
	checkRows(t, "testdata/facts.golden", aligned("program\tfreedom\taspect\tplaces\tfailing\tpassing\tp\tcause\trank", found, func(a analysed) string { return a.facts }))
	var said strings.Builder
	for _, a := range found {
		said.WriteString(a.said)
	}
	if strings.Contains(said.String(), "%!") {
		t.Error("a sentence lacks a value")
	}
	checkRows(t, "testdata/said.golden", said.String())
}

// An analysed has what is found in the recorded runs of a program, for each golden file.
type analysed struct{ row, facts, said string }

func analyse(t *testing.T, r *replay, p *program) analysed {
	rec, done, err := r.open(p)
	if errors.Is(err, errNotRecorded) {
		return analysed{row: p.name + "\tnot recorded", facts: p.name + "\tnot recorded"}
	} else if err != nil {
		t.Fatal(err)
	}
	defer done()
	return analysed{recordedRow(t, p, rec), factsRow(p, rec.Result), saidOf(p, rec.Result)}
}

// recordedRow returns a program's row of the table.
func recordedRow(t *testing.T, p *program, rec *recorded.Recording) string {
	doc, err := document(rec)
	if err != nil {
		t.Fatal(err)
	}
	g := judge(p, doc)
	rule, class, link := "", "", ""
	if test := find(doc, p); test != nil && len(test.Suspects) > 0 {
		s := test.Suspects[0]
		rule, class, link = s.Rule, s.Class.String(), s.Link.String()
	}
	return strings.Join([]string{
		p.name, share(g.failing, g.runs), cmp.Or(g.first, "-"), cmp.Or(rule, "-"), cmp.Or(class, "-"), cmp.Or(link, "-"), g.verdict, number(g.rank),
	}, "\t")
}

// TestRecordedAnywhere checks that recorded runs contain nothing from the machine on which they
// were made. With -short it reads every fourth file.
func TestRecordedAnywhere(t *testing.T) {
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/recorded/*" + recordedExt)
	more, _ := filepath.Glob(root + "/cmd/fdebug/testdata/recorded/*" + recordedExt)
	if files = append(files, more...); err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for i, file := range files {
		if testing.Short() && i%4 != 0 {
			continue
		}
		dir := t.TempDir()
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		err = recorded.Unpack(f, dir)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
		if err != nil || !strings.HasPrefix(sites.Root, "/tmp/flaky/") {
			t.Errorf("%s was recorded in %s, %v", file, sites.Root, err)
		}
		filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if data, _ := os.ReadFile(name); bytes.Contains(data, []byte(repository)) || bytes.Contains(data, []byte("/home/")) || bytes.Contains(data, []byte("/root/")) {
				t.Errorf("%s: %s names a directory of one machine", file, name)
			}
			return err
		})
	}
}
