package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBaggage reads sources that need what is not in the bundle, and some that only look so.
func TestBaggage(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a_test.go", "import \"os/exec\"\nfunc f() { exec.Command(\"go\", \"build\") }", "what runs the go command fails where there is none: a_test.go:3"},
		{"a.go", "import x \"os/exec\"\nfunc f() { x.LookPath(`go`) }", "what runs the go command fails where there is none: a.go:3"},
		{"a.go", "import \"os/exec\"\nfunc f() { exec.Command(\"git\", \"go\"+x) }", ""},
		{"a.go", "import \"os/exec\"\nvar _ = exec.Command\nfunc f() { run(\"go\", \"env\") }", "what runs the go command fails where there is none: a.go:4"},
		{"a.go", "import (\"os/exec\"; \"strings\")\nvar _ = exec.Command\nfunc f() { strings.HasPrefix(x, \"go\") }", ""},
		{"a.go", "import \"example.com/exec\"\nfunc f() { exec.Command(\"go\") }", ""},
		{"a_test.go", "import \"golang.org/x/tools/go/packages\"", "what runs the go command fails where there is none: a_test.go:2"},
		{"a_test.go", "import \"internal/testenv\"", "what runs the go command fails where there is none: a_test.go:2"},
		{"a.go", "import \"internal/testenv\"", ""},
		{"a_test.go", "import \"go/importer\"", "GOROOT does not come along: a_test.go:2"},
		{"a.go", "import \"go/build\"", ""}, // may never be called
		{"a.go", "import \"runtime\"\nvar x = runtime.GOROOT()", "GOROOT does not come along: a.go:3"},
		{
			"a_test.go", "import (\"runtime\"; \"path/filepath\")\nfunc f() { runtime.Caller(0); filepath.Join() }",
			"runtime.Caller gives paths of the machine that the tests are built on, and elsewhere there are no files: a_test.go:3",
		},
		{"a.go", "import \"runtime\"\nfunc f() { runtime.Caller(0) }", ""}, // to print it
		{"a.go", "import \"", ""},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, c.name)
		if err := os.WriteFile(name, []byte("package p\n"+c.text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		b := &Baggage{Root: dir}
		b.Source(name)
		if d := cmp.Diff(c.want, strings.Join(b.Notes(), "\n")); d != "" {
			t.Errorf("%s: %s\n%s", c.name, c.text, d)
		}
	}
	b := &Baggage{runsGo: strings.Fields("a:1 a:2 b/b:3 c/c:4 d/d:5 e/e:6 f/f:7 f/f:8 g/g:9"), libs: map[string][]string{"libm.so.6": {"q"}, "libc.so.6": {"q", "p"}}}
	want := []string{
		"what runs the go command fails where there is none: a:1, b/b:3, c/c:4, d/d:5, e/e:6, f/f:7 and 1 more (9 places in all)",
		"C libraries do not come along, libc.so.6, libm.so.6: wanted by p, q; with CGO_ENABLED=0 Go's own code may do",
	}
	if d := cmp.Diff(want, b.Notes()); d != "" {
		t.Error(d)
	}
}
