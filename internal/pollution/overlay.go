package pollution

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/pollution/keep"
)

//go:embed keep/keep.go
var keepSource []byte

// keepDir is the directory of [keep] in the user's module. The names of what is added to packages
// begin with added.
const keepDir, added = "fdebugkeep", "fdebug_keep"

// A Config says what to build.
type Config struct {
	Root, Module string   // the root directory of the module, and its path
	Tags         []string // build tags
	Dirs         []string // packages whose variables are put back, relative to the root, with slashes
	Dir          string   // package of the tests, also relative
	Victim       string
	Polluters    []string // tests
}

// An Overlay is what a test binary is built with.
type Overlay struct {
	Files map[string][]byte    // by name relative to the root, with slashes; some do not exist on disk
	Vars  []finding.PackageVar // variables that can be put back
}

// ErrNoTest says that the function of a test was not found.
var ErrNoTest = errors.New("the function of a test was not found")

// Make returns the overlay. Errors are [ErrNoTest], and those of reading the package of the
// tests.
func Make(c *Config) (*Overlay, error) {
	l := &loader{root: c.Root, module: c.Module, build: build.Default}
	l.build.BuildTags = c.Tags
	o := &Overlay{Files: map[string][]byte{keepDir + "/keep.go": keepSource}}
	for _, dir := range c.Dirs {
		if dir == c.Dir {
			continue
		}
		if p, err := l.load(dir); err == nil { // what is not built has no variables
			o.register(l, p, p.files, p.path, "", p.name)
		}
	}
	p, err := l.load(c.Dir)
	if err != nil {
		return nil, err
	}
	o.register(l, p, p.files, p.path, "", p.name)
	o.register(l, p, p.tests, p.path, "_test", p.name)
	o.register(l, p, p.outs, p.path+"_test", "_x_test", p.name+"_test")
	return o, o.hook(l, c, p)
}

// register adds a file to a package that registers its variables. For test files, which have a
// suffix, it also adds the functions that tests call.
func (o *Overlay) register(l *loader, p *pkg, of []file, importPath, suffix, name string) {
	vars, tests := vars(of, importPath), suffix != ""
	if len(of) == 0 || len(vars) == 0 && !tests {
		return
	}
	o.Vars = append(o.Vars, vars...)
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport %s %q\n\nfunc init() {\n", name, keepDir, path.Join(l.module, keepDir))
	for _, v := range vars {
		fmt.Fprintf(&b, "\t%s.Var(%q, &%s)\n", keepDir, v, v.Name)
	}
	fmt.Fprintf(&b, "}\n")
	if tests {
		fmt.Fprintf(&b, "\nfunc %sNote() { %[1]s.Note() }\nfunc %[1]sBack() { %[1]s.Back() }\n", keepDir)
	}
	o.Files[path.Join(p.dir, added+suffix+".go")] = b.Bytes()
}

// hook inserts calls that record the state when a polluter begins, and put it back when the
// victim does.
func (o *Overlay) hook(l *loader, c *Config, p *pkg) error {
	calls := map[string]string{c.Victim: keepDir + "Back();"}
	for _, name := range c.Polluters {
		calls[name] = keepDir + "Note();"
	}
	for _, f := range slices.Concat(p.tests, p.outs) {
		at := make(map[int]string)
		for _, d := range f.Tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil && calls[fn.Name.Name] != "" {
				at[f.Set.PositionFor(fn.Body.Lbrace, false).Offset+1] = calls[fn.Name.Name]
				delete(calls, fn.Name.Name)
			}
		}
		if len(at) == 0 {
			continue
		}
		o.Files[f.name] = inserted(f.Src, at)
	}
	for name := range calls {
		return fmt.Errorf("%w: %s", ErrNoTest, strconv.Quote(name))
	}
	return nil
}

// inserted returns a text with others inserted at offsets.
func inserted(src []byte, at map[int]string) []byte {
	var b bytes.Buffer
	for i, c := range src {
		b.WriteString(at[i])
		b.WriteByte(c)
	}
	return b.Bytes()
}

// PutBack returns the environment variable that makes a binary put variables back.
func PutBack(list []finding.PackageVar) string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = v.String()
	}
	return keep.Env + "=" + strings.Join(names, ",")
}
