package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fdebug/fdebug/"

// mayImport says which of our packages each may import, without its tests. Findings and the code
// that makes them know nothing of pages, and only the command knows everything. "*" is any package.
var mayImport = map[string]string{
	"trace":                    "",
	"trace/instrument":         "internal/store internal/syntax trace",
	"divergence":               "internal/stats trace",
	"templates":                "",
	"internal/store":           "",
	"internal/stats":           "",
	"internal/syntax":          "",
	"internal/testname":        "internal/ginkgo internal/syntax",
	"internal/lab/alloc":       "",
	"internal/lab/bite":        "",
	"internal/fleet/bundle":    "internal/provenance internal/source internal/store internal/syntax",
	"internal/ginkgo":          "internal/store internal/syntax",
	"internal/runner":          "internal/ginkgo internal/race internal/secret internal/stats internal/syntax internal/text trace",
	"internal/race":            "trace",
	"internal/edit":            "internal/syntax",
	"internal/remedy":          "internal/proof internal/syntax trace",
	"internal/source":          "divergence internal/syntax trace",
	"internal/finding":         "divergence internal/proof internal/say internal/stats internal/text trace",
	"internal/values":          "divergence internal/source trace trace/instrument",
	"internal/hang":            "internal/finding internal/runner internal/source trace",
	"internal/diagnose":        "divergence internal/finding internal/freedom internal/proof internal/race internal/say internal/source internal/syntax trace",
	"internal/fact":            "internal/stats",
	"internal/freedom":         "internal/fact internal/say internal/secret internal/source trace",
	"internal/analyze":         "divergence internal/diagnose internal/experiment internal/fact internal/finding internal/freedom internal/hang internal/proof internal/provenance internal/race internal/remedy internal/runner internal/source trace",
	"internal/proof":           "divergence internal/freedom internal/stats internal/text trace",
	"internal/provenance":      "",
	"internal/tracker/score":   "internal/stats",
	"internal/tracker/history": "internal/text internal/tracker/score",
	"internal/tracker/testlog": "internal/race internal/runner internal/tracker/history trace",
	"internal/fleet/shard":     "internal/experiment internal/proof internal/provenance internal/runner trace",
	"internal/ddmin":           "",
	"internal/law":             "",
	"internal/search":          "internal/ddmin internal/proof internal/stats",
	"internal/lab/verdicttest": "internal/finding internal/freedom internal/proof internal/say trace",
	"internal/experiment":      "divergence internal/ddmin internal/freedom internal/ginkgo internal/law internal/proof internal/runner internal/search internal/source internal/stats internal/syntax trace",
	"internal/lab/recorded":    "internal/analyze internal/finding internal/fleet/bundle internal/runner internal/session internal/source internal/store internal/syntax trace trace/instrument",
	"internal/secret":          "",
	"internal/tracker/ciout":   "internal/advice internal/exit internal/finding internal/listing internal/runner internal/say internal/secret internal/session internal/session/hunt internal/text report trace",
	"internal/listing":         "divergence internal/finding internal/say internal/secret internal/syntax trace",
	"report":                   "divergence internal/finding internal/listing internal/proof internal/say internal/secret internal/stats internal/text templates trace",
	"internal/say":             "internal/text",
	"internal/tracker/serve":   "divergence internal/listing internal/stats internal/text internal/tracker/history internal/tracker/score internal/tracker/team report templates",
	"internal/text":            "",
	"internal/advice":          "",
	"internal/session":         "divergence internal/advice internal/analyze internal/exit internal/experiment internal/finding internal/freedom internal/ginkgo internal/proof internal/provenance internal/runner internal/source internal/store internal/syntax internal/testname internal/text internal/values trace trace/instrument",
	"internal/tracker/team":    "internal/tracker/history",
	"internal/exit":            "",
	"internal/terminal":        "divergence internal/advice internal/analyze internal/exit internal/finding internal/runner internal/session internal/stats internal/text report trace",
	"internal/session/hunt":    "internal/advice internal/analyze internal/diagnose internal/exit internal/experiment internal/finding internal/freedom internal/proof internal/runner internal/session internal/store internal/terminal internal/text report trace",
	"internal/session/replay":  "divergence internal/advice internal/analyze internal/edit internal/exit internal/experiment internal/freedom internal/proof internal/remedy internal/runner internal/session internal/stats internal/store internal/syntax internal/terminal internal/testname internal/text report trace",
	"internal/stored":          "divergence internal/advice internal/analyze internal/exit internal/runner internal/session internal/store internal/terminal internal/text report trace",

	// The history of tests, and what is divided among machines.
	"internal/tracker": "internal/advice internal/analyze internal/exit internal/finding internal/tracker/history internal/proof internal/provenance internal/runner internal/say internal/tracker/score internal/session internal/store internal/tracker/team internal/tracker/testlog internal/text trace",
	"internal/fleet":   "internal/advice internal/analyze internal/exit internal/experiment internal/finding internal/fleet/bundle internal/fleet/shard internal/proof internal/provenance internal/runner internal/session internal/session/hunt internal/source internal/store internal/syntax internal/terminal internal/text internal/tracker/ciout trace trace/instrument",
	"cmd/fdebug":       "*",

	// What only the build tag team links.
	"internal/tracker/history/postgres": "internal/tracker/history",
	"internal/tracker/team/linked":      "internal/tracker/history/postgres internal/tracker/serve internal/tracker/team",

	// What measures, and is no part of the command.
	"internal/lab/accuracy":        "internal/lab/accuracy/inject internal/analyze internal/diagnose internal/finding internal/proof internal/lab/recorded internal/runner internal/session internal/store internal/stored internal/terminal report",
	"internal/lab/accuracy/inject": "divergence internal/runner internal/proof internal/stats report trace",
	"internal/lab/examples":        "report trace",
	"internal/lab/corpus":          "internal/finding internal/proof internal/session internal/session/hunt internal/session/replay internal/terminal trace",
	"internal/lab/bench":           "internal/store report trace trace/instrument",
	"internal/lab/fidelity":        "internal/lab/covercheck internal/freedom internal/runner internal/source internal/store internal/values trace trace/instrument",
	"internal/lab/fuzzcorpus":      "",
	"internal/lab/pgtest":          "",
	"internal/lab/slurmtest":       "",
	"internal/lab/browsertest":     "",
	"internal/lab/covercheck":      "trace",
	"internal/lab/lightbuild":      "",
	"internal/lab/golden":          "",
	"internal/lab/mass":            "",
	"internal/lab/phrasing":        "",
}

// outside are the folders around the core: the history of tests, work on many machines, and what measures fdebug. The
// command knows it; what records, compares, proves and reports does not.
var outside = []string{"internal/tracker", "internal/fleet", "internal/lab"}

// TestCore looks for that among what the core depends on.
func TestCore(t *testing.T) {
	isOutside := func(name string) bool {
		return slices.ContainsFunc(outside, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
	}
	for name, list := range goList(t) {
		if name == "cmd/fdebug" || isOutside(name) {
			continue
		}
		if at := slices.IndexFunc(list.Deps, isOutside); at >= 0 {
			t.Errorf("%s depends on %s", name, list.Deps[at])
		}
	}
}

// pageless are packages that find and prove causes. They may not depend, however far away, on what makes pages. Words
// may be carried anywhere: no decision reads them, since templates can't be compared.
var (
	pageless = []string{
		"trace", "divergence", "internal/runner", "internal/experiment", "internal/search", "internal/source",
		"internal/freedom", "internal/proof", "internal/finding", "internal/diagnose", "internal/analyze",
		"internal/session", "internal/say",
	}
	pages = []string{
		"report", "internal/listing", "templates", "html/template", "github.com/alecthomas/chroma/v2",
		"github.com/yuin/goldmark",
	}
)

// TestImports compares imports with mayImport.
func TestImports(t *testing.T) {
	imports := goList(t)
	for name, list := range imports {
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("mayImport does not say what %s may import", name)
			continue
		}
		for _, dep := range list.Imports {
			if _, ours := imports[dep]; ours && allowed != "*" && !slices.Contains(strings.Fields(allowed), dep) {
				t.Errorf("%s imports %s, which mayImport does not allow", name, dep)
			}
		}
	}
	for name := range mayImport {
		if _, ok := imports[name]; !ok {
			t.Errorf("there is no package %s", name)
		}
	}
}

// libraries are those that fdebug is built on, whatever else goes.
var libraries = []string{"golang.org/x/tools/cover", "github.com/yuin/goldmark", "github.com/alecthomas/chroma/v2"}

// TestLibraries looks for them among what the command depends on.
func TestLibraries(t *testing.T) {
	for _, name := range libraries {
		if !slices.Contains(goList(t)["cmd/fdebug"].Deps, name) {
			t.Errorf("the command does not use %s", name)
		}
	}
}

// TestPageless looks for pages among what these depend on.
func TestPageless(t *testing.T) {
	imports := goList(t)
	for _, name := range pageless {
		for _, dep := range imports[name].Deps {
			if slices.ContainsFunc(pages, func(p string) bool { return dep == p || strings.HasPrefix(dep, p+"/") }) {
				t.Errorf("%s depends on %s", name, dep)
			}
		}
	}
}

// heavy are packages that take long to build, and that the build tag team alone links.
var heavy = []string{
	"net/http", "crypto/tls", "net", "database/sql", "github.com/jackc/pgx/v5",
	"internal/tracker/history/postgres", "internal/tracker/serve",
}

// TestLight looks for that below the command.
func TestLight(t *testing.T) {
	plain, team := goList(t)["cmd/fdebug"].Deps, goList(t, "-tags", "team")["cmd/fdebug"].Deps
	for _, dep := range heavy {
		if slices.Contains(plain, dep) {
			t.Errorf("cmd/fdebug depends on %s", dep)
		}
		if !slices.Contains(team, dep) {
			t.Errorf("with the tag team it does not depend on %s", dep)
		}
	}
	if slices.Contains(plain, "runtime/cgo") {
		t.Error("cmd/fdebug needs a C compiler")
	}
}

// An imported is what a package imports itself, and all it depends on; ours without
// the path of the module.
type imported struct{ Imports, Deps []string }

// goList returns the imports of our packages, by name, in a build with these flags.
func goList(t *testing.T, flags ...string) map[string]imported {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"list", "-json=ImportPath,Imports,Deps"}, flags...), "./...")...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]imported)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath    string
			Imports, Deps []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		for _, paths := range [][]string{p.Imports, p.Deps} {
			for i := range paths {
				paths[i] = strings.TrimPrefix(paths[i], module)
			}
		}
		list[strings.TrimPrefix(p.ImportPath, module)] = imported{p.Imports, p.Deps}
	}
}

// TestGlob finds where the path of a directory could be taken for a pattern: store.Glob takes it apart.
func TestGlob(t *testing.T) {
	patterns := []string{ // of users, or of a system's own directories
		"internal/stored/diff.go", "internal/fleet/bundle/tree.go", "internal/runner/process_linux.go",
		"internal/lab/pgtest/pgtest.go",
	}
	eachFile(t, func(path string, text []byte) {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
			strings.Contains(string(text), "filepath.Glob(") && !slices.Contains(patterns, path) {
			t.Errorf("%s: want store.Glob", path)
		}
	})
}
