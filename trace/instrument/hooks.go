package instrument

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// A hook is something that tracing can do only with certain edits of the standard library. The files of the probe
// runtime carry them, in a comment of its own:
//
//	//fdebug:lost the order of directories cannot be varied
//	//fdebug:patch os/dir.go names, _, _, err = f.readdir(n, readdirName){+;
//	//	runtime.FdebugEntries(f.name, len(names), func(i int) string { return names[i] })+}
//
// The first line says what a report lacks without the edits, which are made all or none. Comments with the same words
// are one hook. If the first word is need, nothing at all can be done without it. If it is try, nothing is lost: older
// releases have nothing to patch.
//
// A patch has a file of GOROOT/src, or several with commas between them, and a line of it with {+what is added+}.
// Blanks in what stands before that count as one. The line must be there once. Or it is the first one after a text:
//
//	//fdebug:patch testing/testing.go func (m *M) startAlarm() ... {+runtime.FdebugAlarm(m.timer); +}return deadline
type hook struct {
	lost    string
	needed  bool
	untold  bool // nobody misses it
	patches []patch
}

// A patch adds text to one line of a file of the user's own GOROOT; fdebug contains no copy of Go's files. It never
// changes a line number.
type patch struct {
	file, after            string // relative to GOROOT/src; text somewhere before the line
	before, insert, behind string // the line with the addition
}

// hooksOf returns the hooks of a probe runtime, in the order of its files.
func hooksOf(files fs.FS) (list []*hook, err error) {
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		r := hookReader{list: list}
		for i, line := range strings.Split(string(text), "\n") {
			if err := r.line(line); err != nil {
				return fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
		}
		list = r.list
		return nil
	})
	return list, err
}

// A hookReader reads the directives of a file, line by line.
type hookReader struct {
	list []*hook
	hook *hook  // of the comment; nil outside
	text string // of a directive that goes on
}

func (r *hookReader) line(line string) error {
	more, goesOn := strings.CutPrefix(line, "//\t")
	text, directive := strings.CutPrefix(line, "//fdebug:")
	switch {
	case r.text != "" && goesOn:
		text = r.text + " " + strings.TrimSpace(more)
	case r.text != "":
		return fmt.Errorf("the directive before it has no +}")
	case !directive:
		r.hook = nil
		return nil
	}
	r.text = ""
	if strings.HasPrefix(text, "patch ") && !strings.Contains(text, "+}") {
		r.text = text
		return nil
	}
	return r.directive(text)
}

var patchText = regexp.MustCompile(`^(\S+) (?:(.+) \.\.\. )?(.*?)\{\+(.*\S.*)\+\}(.*)$`)

func (r *hookReader) directive(text string) error {
	verb, words, _ := strings.Cut(text, " ")
	parts := patchText.FindStringSubmatch(words)
	switch {
	case words == "":
	case verb == "patch" && r.hook != nil && parts != nil && strings.TrimSpace(parts[3]+parts[5]) != "":
		for _, file := range strings.Split(parts[1], ",") {
			r.hook.patches = append(r.hook.patches, patch{file, parts[2], parts[3], parts[4], parts[5]})
		}
		return nil
	case (verb == "lost" || verb == "need" || verb == "try") && r.hook == nil:
		i := slices.IndexFunc(r.list, func(h *hook) bool { return h.lost == words })
		if i < 0 {
			i = len(r.list)
			r.list = append(r.list, &hook{lost: words, needed: verb == "need", untold: verb == "try"})
		}
		r.hook = r.list[i]
		return nil
	}
	return fmt.Errorf("//fdebug:%s: want lost, need or try and words at the start of a comment, then patch and a line", text)
}

// needs has the imports that patches need, by what they insert.
var needs = map[string]*regexp.Regexp{
	"runtime": regexp.MustCompile(`\bruntime\.`), "internal/runtime/sys": regexp.MustCompile(`\bsys\.`),
}

// withImports returns src with the imports that the patch needs.
func (p *patch) withImports(src []byte) ([]byte, error) {
	for path, used := range needs {
		if !used.MatchString(p.insert) {
			continue
		}
		var err error
		if src, err = addImport(src, path); err != nil {
			return nil, fmt.Errorf("%s: %w", p.file, err)
		}
	}
	return src, nil
}

// addImport makes a file import a package, on the line of its package clause, if it does not.
func addImport(src []byte, path string) ([]byte, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	for _, spec := range f.Imports {
		if spec.Path.Value == fmt.Sprintf("%q", path) {
			return src, nil
		}
	}
	e := edit{old: src}
	e.insert(int(f.Name.End()-f.FileStart), fmt.Sprintf("; import %q", path))
	return e.bytes(), nil
}

// apply returns src with the patch.
func (p *patch) apply(src []byte) ([]byte, error) {
	start := bytes.Index(src, []byte(p.after))
	if start < 0 {
		return nil, fmt.Errorf("%s: no line %q", p.file, p.after)
	}
	want := strings.Fields(p.before)
	first, _, _ := strings.Cut(strings.TrimSpace(p.before), " ") // most lines are others by that
	var at []int
	for line := range bytes.Lines(src[start:]) {
		before, ok := bytes.CutSuffix(bytes.TrimRight(line, "\r\n"), []byte(p.behind))
		if ok && bytes.HasPrefix(bytes.TrimLeft(before, "\t"), []byte(first)) &&
			slices.Equal(strings.Fields(string(before)), want) {
			at = append(at, start+len(before))
		}
		start += len(line)
	}
	if len(at) == 0 || len(at) > 1 && p.after == "" {
		return nil, fmt.Errorf("%s: %d lines like %s, want 1", p.file, len(at), p.before+p.behind)
	}
	e := edit{old: src}
	e.insert(at[0], p.insert)
	return e.bytes(), nil
}
