package remedy

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/trace"
)

// TestPropose reads a cause, one fact a line, and the files of a module, and wants the remedies
// as diffs.
func TestPropose(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts := make(map[string][]byte)
			for _, f := range a.Files {
				texts[f.Name] = f.Data
			}
			p := &Proposer{Source: func(name string) ([]byte, error) {
				if texts[name] == nil {
					return nil, fmt.Errorf("no file %s", name)
				}
				return texts[name], nil
			}}
			var got bytes.Buffer
			for _, r := range p.Propose(cause(t, string(texts["cause"]))) {
				fmt.Fprintf(&got, "%s: %s\n", r.name, r.Words)
				if r.Was != "" {
					fmt.Fprintf(&got, "%s => %s\n", r.Was, r.Now)
				}
				for _, f := range slices.Sorted(maps.Keys(r.Files)) {
					got.Write(diff.Diff("a/"+f, texts[f], "b/"+f, r.Files[f]))
				}
			}
			if got.Len() == 0 {
				got.WriteString("nothing\n")
			}
			golden.Section(t, name, "want", got.String())
		})
	}
}

func cause(t *testing.T, text string) *Cause {
	c := &Cause{}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "map":
			c.Maps = append(c.Maps, site(t, rest))
		case "started":
			c.Started = site(t, rest)
		case "before":
			c.Before = append(c.Before, site(t, rest))
		case "files":
			c.Files = strings.Fields(rest)
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	return c
}

func site(t *testing.T, text string) trace.Frame {
	file, line, _ := strings.Cut(text, ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Frame{File: file, Line: n}
}
