package edit

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// TestBetween reads two sources, below before/ and after/, and wants what is said of the edit between them. Each line of
// "places" is a place of the old source.
func TestBetween(t *testing.T) {
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
			before, after, places := make(Source), make(Source), ""
			for _, f := range a.Files {
				if name, ok := strings.CutPrefix(f.Name, "before/"); ok {
					before[name] = f.Data
				} else if name, ok := strings.CutPrefix(f.Name, "after/"); ok {
					after[name] = f.Data
				} else if f.Name == "places" {
					places = string(f.Data)
				}
			}
			var got bytes.Buffer
			e, err := Between(before, after)
			if err != nil {
				fmt.Fprintln(&got, err)
			} else {
				e.print(&got, places)
			}
			golden.Section(t, name, "want", got.String())
		})
	}
}

func (e *Edit) print(w *bytes.Buffer, places string) {
	fmt.Fprintln(w, "files", strings.Join(e.Files, " "))
	for _, f := range e.Funcs {
		fmt.Fprintf(w, "func %s %s %d-%d to %d-%d\n", f.Name, f.File, f.Old.From, f.Old.To, f.New.From, f.New.To)
	}
	list := func(head string, changes []Change) {
		for _, c := range changes {
			fmt.Fprintf(w, "%s: %s %s:%d %q => %q\n", head, c.What, c.File, c.Line, c.Before, c.After)
		}
	}
	list("dose", e.Dose())
	list("weaker", e.Weaker())
	for _, place := range strings.Fields(places) {
		file, at, _ := strings.Cut(place, ":")
		line := 0
		fmt.Sscan(at, &line)
		if c, gone := e.Gone(file, line); gone {
			fmt.Fprintf(w, "%s gone: %q => %q\n", place, c.Before, c.After)
		}
		if file, line, ok := e.Where(file, line); ok {
			fmt.Fprintf(w, "%s is %s:%d\n", place, file, line)
		}
	}
}
