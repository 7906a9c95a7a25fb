package testname

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, pkg, pattern string }{
		{"TestX", "", "^TestX$"},
		{"TestX/a.b", "", `^TestX$/^a\.b$`},
		{"TestX/a/b c", "", `^TestX$/^a$/^b_c$`},
		{"TestX/", "", "^TestX$"},
		{"TestX:Cart adds v1.2/a", "", `^TestX:Cart_adds_v1\.2_a$`},
		{"queue.TestX:a", "queue", "^TestX:a$"},
		{"queue.TestX", "queue", "^TestX$"},
		{"./queue.Test_x", "./queue", "^Test_x$"},
		{"example.com/m/queue.FuzzX", "example.com/m/queue", "^FuzzX$"},
		{"ExampleQueue_Push", "", "^ExampleQueue_Push$"},
		{"Test/BlockingPick", "", "^Test$/^BlockingPick$"}, // of gocheck, and of grpc-go
		{"Example", "", "^Example$"},
		{"Tests", "", ""},
		{"./Testing", "", ""},
		{"./TestX", "", ""},
		{"queue", "", ""},
		{"./...", "", ""},
		{"example.com/m", "", ""},
	} {
		n, ok := Parse(c.typed)
		if !ok {
			if c.pattern != "" {
				t.Errorf("%s: no name of a test", c.typed)
			}
			continue
		}
		if n.Package != c.pkg || n.Pattern() != c.pattern {
			t.Errorf("%s: got package %q and pattern %s, want %q and %s", c.typed, n.Package, n.Pattern(), c.pkg, c.pattern)
		}
	}
}

// source has § for a back quote.
const source = `
-- go.mod --
module example.com/m
-- root_test.go --
package m
func TestShared(t *testing.T) {}
-- queue/queue_test.go --
package queue
const code = §
func TestQuoted(t *testing.T) {}
§
// func TestComment(t *testing.T) {}
func TestDrain(t *testing.T) {}
func TestShared(t *testing.T) {}
func (s *suite) TestMethod() {}
func helperTestDrain() {}
-- queue/outside_test.go --
package queue_test
func ExampleQueue() {}
-- old/queue/q_test.go --
package fifo
func TestShared(t *testing.T) {}
func TestBroken(t *testing.T) {
	if {
-- queue/queue.go --
package queue
func TestNotHere(t *testing.T) {}
-- queue/testdata/x_test.go --
package x
func TestData(t *testing.T) {}
-- vendor/v/x_test.go --
package x
func TestVendored(t *testing.T) {}
-- _off/x_test.go --
package x
func TestOff(t *testing.T) {}
-- other/go.mod --
module example.com/other
-- other/x_test.go --
package x
func TestElsewhere(t *testing.T) {}
`

func extract(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(strings.ReplaceAll(source, "§", "`"))).Files {
		file := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	t.Parallel()
	root := extract(t)
	m, err := ModuleOf(filepath.Join(root, "queue", "testdata"))
	if err != nil || m.Root != root || m.Path != "example.com/m" {
		t.Fatalf("got module %+v, %v, want example.com/m in %s", m, err, root)
	}
	for _, c := range []struct{ typed, dirs string }{
		{"TestDrain", "queue"},
		{"TestDrain/case", "queue"},
		{"TestShared", ". old/queue queue"},
		{"queue.TestShared", "old/queue queue"},
		{"m/queue.TestShared", "queue"},
		{"example.com/m/old/queue.TestShared", "old/queue"},
		{"fifo.TestShared", "old/queue"},
		{"m.TestShared", "."},
		{"ueue.TestShared", ""},
		{"queue.ExampleQueue", "queue"},
		{"./queue.TestDrain", "queue"},
		{"TestBroken", "old/queue"},
		{"TestQuoted", ""},
		{"TestComment", ""},
		{"TestMethod", ""},
		{"TestNotHere", ""},
		{"TestData", ""},
		{"TestVendored", ""},
		{"TestOff", ""},
		{"TestElsewhere", ""},
	} {
		n, _ := Parse(c.typed)
		dirs, err := m.Find(n)
		var got []string
		for _, dir := range dirs {
			rel, _ := filepath.Rel(root, dir)
			got = append(got, filepath.ToSlash(rel))
		}
		if err != nil || strings.Join(got, " ") != c.dirs {
			t.Errorf("%s: got %q, %v, want %q", c.typed, got, err, c.dirs)
		}
	}
}

func TestTests(t *testing.T) {
	t.Parallel()
	m, err := ModuleOf(extract(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"ExampleQueue", "TestBroken", "TestDrain", "TestShared"}
	if got, err := m.Tests(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
