package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"
)

// WriteDir writes index.html, result.json, the categories of replay files, and a page and its Markdown for each
// test that failed, until the context ends. It returns the names of the pages that it has written.
func WriteDir(ctx context.Context, dir string, r *finding.Result) (map[*finding.Test]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	write := func(name string, fill func(*bytes.Buffer) error) error {
		var b bytes.Buffer
		if err := fill(&b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return WriteFile(filepath.Join(dir, name), b.Bytes())
	}
	// The result first: it is worth most if the disk fills up.
	if err := write("result.json", func(b *bytes.Buffer) error { return JSON(b, r) }); err != nil {
		return nil, err
	}
	if err := nameKinds(dir, r); err != nil {
		return nil, err
	}
	v := newViewer(r)
	for _, t := range r.Tests {
		name := v.names[t]
		if name == "" {
			continue
		}
		if ctx.Err() != nil {
			delete(v.names, t)
			continue
		}
		x := v.test(t)
		if err := write(name+".html", func(b *bytes.Buffer) error { return v.page(b, x) }); err != nil {
			return nil, err
		}
		if err := write(name+".md", func(b *bytes.Buffer) error {
			s, err := v.markdown(x)
			b.WriteString(s)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return v.names, write("index.html", func(b *bytes.Buffer) error { return v.index(b) })
}

// nameKinds has the replay files in a directory name the categories that its result.json names.
func nameKinds(dir string, r *finding.Result) error {
	for _, t := range r.Tests {
		for i := range t.Verdicts {
			d := t.Verdicts[i].Document()
			name := filepath.Join(dir, path.Base(filepath.ToSlash(d.Replay)))
			p, err := proof.Read(name)
			if err != nil || p.Category == d.Category { // it may be elsewhere
				continue
			}
			p.Category = d.Category
			if err := p.WriteFile(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteFile writes a file aside and renames it into place: whoever has the old
// one open in a browser reloads either the old or the new one.
func WriteFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	_, err = f.Write(data)
	if err1 := f.Chmod(0o644); err == nil {
		err = err1
	}
	if err1 := f.Close(); err == nil {
		err = err1
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// FileNames returns the names of the pages that WriteDir makes, without the
// ".html" or ".md". A test that never failed, in no control run either, has none.
// Names differ even where a file system ignores case.
func FileNames(r *finding.Result) map[*finding.Test]string {
	names, used := map[*finding.Test]string{}, map[string]bool{}
	for _, t := range r.Tests {
		if t.PlainFailure == nil && count(t.Runs).Failed == 0 {
			continue
		}
		base := text.TestFile(strings.ReplaceAll(packageName(r, t.Package), "/", "-"), t.Name)
		name := base
		for i := 2; used[strings.ToLower(name)]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		used[strings.ToLower(name)] = true
		names[t] = name
	}
	return names
}

// packageName returns the end of a package's path that no other package of the result has.
func packageName(r *finding.Result, pkg string) string {
	var all []string
	for _, t := range r.Tests {
		all = append(all, t.Package)
	}
	return text.ShortPath(pkg, all)
}

// TestName returns the name of a test to show: its name alone, unless a test of another package has it too.
func TestName(r *finding.Result, t *finding.Test) string {
	if slices.ContainsFunc(r.Tests, func(x *finding.Test) bool { return x.Name == t.Name && x.Package != t.Package }) {
		return packageName(r, t.Package) + "." + t.Name
	}
	return t.Name
}
