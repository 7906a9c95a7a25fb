package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/fdebug/fdebug/internal/lab/alloc"
)

// sample is a bundle of one package with a few files.
func sample() *Writer {
	w := &Writer{Manifest: Manifest{
		Fdebug: "test", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", GOROOT: "/go", Base: "/home/u", Root: "m",
		Modules: []string{"example.com/m"}, Patterns: []string{"example.com/m/..."},
	}}
	w.AddData(SitesName, []byte("{}"))
	w.AddData("tree/m/go.mod", []byte("module example.com/m\n"))
	w.AddData("tree/m/q/testdata/zeros", make([]byte, 5000))
	w.addLink("tree/m/q/testdata/link", "../../go.mod")
	for _, kind := range []string{"plain", "traced", "race"} {
		w.AddData(BinaryName(1, kind, "q.test"), []byte("binary "+kind))
		w.Manifest.Files[len(w.Manifest.Files)-1].Exec = true
	}
	w.Manifest.Packages = []Package{{
		ImportPath: "example.com/m/q", Dir: "m/q",
		Plain: "bin/1/plain/q.test", Traced: "bin/1/traced/q.test", Race: "bin/1/race/q.test",
	}}
	return w
}

// bytesOf returns a bundle and its id.
func bytesOf(t testing.TB, w *Writer) ([]byte, string) {
	t.Helper()
	manifest, id, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.write(&b, manifest); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), id
}

func open(data []byte) (*Bundle, error) {
	return read(bytes.NewReader(data), int64(len(data)))
}

func all(string) bool { return true }

// TestRoundTrip packs files and unpacks them.
func TestRoundTrip(t *testing.T) {
	w := sample()
	data, id := bytesOf(t, w)
	name := filepath.Join(t.TempDir(), "m"+Suffix)
	manifest, _, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFile(name, manifest); err != nil {
		t.Fatal(err)
	}
	b, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.ID != id || len(id) != 64 {
		t.Errorf("id %s, want %s", b.ID, id)
	}
	if d := cmp.Diff(w.Manifest, b.Manifest); d != "" {
		t.Error(d)
	}
	if again, _ := bytesOf(t, sample()); !bytes.Equal(again, data) {
		t.Error("the same content gave two files")
	}
	dir := t.TempDir()
	if err := b.Unpack(dir, func(name string) bool { return !IsRace(name) }); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"bin/1/plain/q.test": "binary plain", "bin/1/traced/q.test": "binary traced", "sites.json": "{}", "tree/m/go.mod": "module example.com/m\n",
		"tree/m/q/testdata/link": "-> ../../go.mod", "tree/m/q/testdata/zeros": string(make([]byte, 5000)),
	}
	if d := cmp.Diff(want, filesIn(t, dir)); d != "" {
		t.Error(d)
	}
	info, err := os.Stat(filepath.Join(dir, "bin/1/plain/q.test"))
	if err != nil || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
		t.Errorf("the binary can't be executed: %v, %v", info, err)
	}
	if err := b.Unpack(dir, IsRace); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "bin/1/race/q.test")); err != nil || string(got) != "binary race" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := b.Read("tree/m/go.mod"); err != nil || string(got) != "module example.com/m\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"tree/m/none", "tree/m/q/testdata/link"} {
		if _, err := b.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// filesIn returns the files below a directory.
func filesIn(t testing.TB, dir string) map[string]string {
	files := make(map[string]string)
	filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if target, err := os.Readlink(name); err == nil {
			files[filepath.ToSlash(rel)] = "-> " + filepath.ToSlash(target)
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		files[filepath.ToSlash(rel)] = string(data)
		return nil
	})
	return files
}

// TestChecks changes a correct manifest.
func TestChecks(t *testing.T) {
	for name, change := range map[string]func(*Manifest){
		"up":                 func(m *Manifest) { m.Files[1].Name = "tree/../../x" },
		"absolute":           func(m *Manifest) { m.Files[1].Name = "/etc/x" },
		"empty":              func(m *Manifest) { m.Files[1].Name = "" },
		"the directory":      func(m *Manifest) { m.Files[1].Name = "." },
		"not clean":          func(m *Manifest) { m.Files[1].Name = "tree//x" },
		"zero byte":          func(m *Manifest) { m.Files[1].Name = "tree/\x00x" },
		"long":               func(m *Manifest) { m.Files[1].Name = strings.Repeat("x", maxName+1) },
		"the manifest":       func(m *Manifest) { m.Files[1].Name = manifestName },
		"twice":              func(m *Manifest) { m.Files[1].Name = m.Files[2].Name },
		"below a file":       func(m *Manifest) { m.Files[1].Name = m.Files[2].Name + "/x" },
		"below a link":       func(m *Manifest) { m.Files[1].Name = m.Files[3].Name + "/x" },
		"negative":           func(m *Manifest) { m.Files[1].Size = -1 },
		"huge":               func(m *Manifest) { m.Files[1].Size = maxFile + 1 },
		"huge together":      func(m *Manifest) { huge(m) },
		"link to the root":   func(m *Manifest) { m.Files[3].Link = "/etc" },
		"link up":            func(m *Manifest) { m.Files[3].Link = "../../../../x" },
		"link up later":      func(m *Manifest) { m.Files[3].Link = "a/../../../../../x" },
		"link to a disk":     func(m *Manifest) { m.Files[3].Link = "C:x" },
		"link with size":     func(m *Manifest) { m.Files[3].Size = 3 },
		"binary as a link":   func(m *Manifest) { m.Files[4].Link, m.Files[4].Size = "../../../tree", 0 },
		"root up":            func(m *Manifest) { m.Root = "../m" },
		"base relative":      func(m *Manifest) { m.Base = "home/u" },
		"no packages":        func(m *Manifest) { m.Packages = nil },
		"package twice":      func(m *Manifest) { m.Packages = append(m.Packages, m.Packages[0]) },
		"package up":         func(m *Manifest) { m.Packages[0].Dir = "../q" },
		"no binary":          func(m *Manifest) { m.Packages[0].Plain = "" },
		"binary not there":   func(m *Manifest) { m.Packages[0].Traced = "bin/2/traced/q.test" },
		"binary of the tree": func(m *Manifest) { m.Files[1].Exec = true; m.Packages[0].Plain = m.Files[1].Name },
		"binary not marked":  func(m *Manifest) { m.Files[4].Exec = false },
		"no sites":           func(m *Manifest) { m.Files[0].Name = "sites2.json" },
		"escape sequence":    func(m *Manifest) { m.Modules[0] = "example.com/\x1b[2Jm" },
		"line in a note":     func(m *Manifest) { m.Notes = []string{"a\nb"} },
		"no text":            func(m *Manifest) { m.Packages[0].ImportPath = "m\x00" },
		"version 0":          func(m *Manifest) { m.Format = 0 },
	} {
		w := sample()
		if _, _, err := w.Encode(); err != nil {
			t.Fatal(err)
		}
		change(&w.Manifest)
		data, err := json.Marshal(&w.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseManifest(data); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: got error %v, want %v", name, err, ErrFormat)
		}
	}
	_, err := parseManifest([]byte(`{"fdebug_bundle":2,"files":"in another form"}`))
	if want := "made by a newer fdebug: bundle format 2, this program reads 1"; err == nil || err.Error() != want || !errors.Is(err, ErrVersion) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func huge(m *Manifest) {
	for i := range m.Files {
		m.Files[i].Size = maxFile
		if m.Files[i].Link != "" {
			m.Files[i].Size = 0
		}
	}
	m.Files[3] = File{Name: "x1", Size: maxFile}
	m.Files = append(m.Files, File{Name: "x2", Size: maxFile}, File{Name: "x3", Size: maxFile})
}

// TestLinks checks which links stay in the tree.
func TestLinks(t *testing.T) {
	for _, c := range []struct {
		name, target string
		want         bool
	}{
		{"tree/a/b/link", "x", true},
		{"tree/a/b/link", "../x/y", true},
		{"tree/a/b/link", "../../x", true},
		{"tree/a/b/link", "../..", true}, // the tree itself
		{"tree/a/b/link", "../../..", false},
		{"tree/a/b/link", "../../../tree/x", false},
		{"tree/link", "x", true},
		{"tree/link", "../x", false},
		{"tree/link", "x/../y", false}, // x may be a link
		{"tree/link", "./x", false},    // Go's tools would clean it
		{"tree/link", "", false},
		{"tree/link", "/x", false},
		{"tree/link", `..\x`, false},
	} {
		if got := staysInside(c.name, c.target); got != c.want {
			t.Errorf("staysInside(%q, %q) = %v", c.name, c.target, got)
		}
	}
}

// TestDamaged cuts a bundle off, and changes its bytes: it is refused, or it stays the same.
func TestDamaged(t *testing.T) {
	data, _ := bytesOf(t, sample())
	for n := range data {
		if _, err := open(data[:n]); !errors.Is(err, ErrFormat) {
			t.Fatalf("cut off after %d of %d bytes: got error %v, want %v", n, len(data), err, ErrFormat)
		}
	}
	dir := t.TempDir()
	want := unpacked(t, data, filepath.Join(dir, "right"))
	for i := 0; i < len(data); i += 11 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x55
		sub := filepath.Join(dir, "bad")
		if got := unpacked(t, bad, sub); got != nil {
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("with byte %d changed there is no error, and\n%s", i, d)
			}
		}
		if err := os.RemoveAll(sub); err != nil {
			t.Fatal(err)
		}
	}
}

// unpacked returns the files that are unpacked from a bundle without an error, or nil if there was one.
func unpacked(t *testing.T, data []byte, dir string) map[string]string {
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	b, err := open(data)
	if err == nil {
		err = b.Unpack(dir, all)
	}
	if err == nil {
		return filesIn(t, dir)
	}
	if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
		t.Fatalf("got error %v, want %v", err, ErrFormat)
	}
	return nil
}

// A raw is an entry of a ZIP file that no Writer would make.
type raw struct {
	name string
	size int64 // what the file claims; 0 for the real size
	data []byte
}

// pack makes a ZIP file.
func pack(t testing.TB, list ...raw) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, r := range list {
		var packed bytes.Buffer
		e, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		e.Write(r.data)
		e.Close()
		if r.size == 0 {
			r.size = int64(len(r.data))
		}
		h := &zip.FileHeader{Name: r.name, Method: zstd.ZipMethodWinZip, UncompressedSize64: uint64(r.size), CompressedSize64: uint64(packed.Len())}
		to, err := z.CreateRaw(h)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(to, &packed)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBomb has entries that are larger than they say, and some that do say how large they are.
func TestBomb(t *testing.T) {
	zeros := make([]byte, 64<<20)
	w := sample()
	w.Manifest.Files = w.Manifest.Files[:1]
	w.Manifest.Files[0].Size = 10
	w.AddData("bin/1/plain/q.test", nil)
	w.Manifest.Files[1].Exec = true
	w.Manifest.Packages[0].Traced, w.Manifest.Packages[0].Race = "", ""
	manifest, _, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w.Manifest.Files[0].Size = int64(len(zeros))
	honest, _, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	lists := bytes.Replace(manifest, []byte(`"files": [`), append([]byte(`"files": [`), bytes.Repeat([]byte("{},"), 20<<20)...), 1)
	for name, data := range map[string][]byte{
		"larger than it says":  pack(t, raw{name: manifestName, data: manifest}, raw{name: SitesName, size: 10, data: zeros}, raw{name: "bin/1/plain/q.test"}),
		"as large as it says":  pack(t, raw{name: manifestName, data: honest}, raw{name: SitesName, data: zeros}, raw{name: "bin/1/plain/q.test"}),
		"manifest":             pack(t, raw{name: manifestName, data: zeros}),
		"manifest, and silent": pack(t, raw{name: manifestName, size: 100, data: zeros}),
		"a list":               pack(t, raw{name: manifestName, data: lists}),
	} {
		dir := t.TempDir()
		alloc.Check(t, len(data), 128<<20, func() {
			b, err := open(data)
			if err == nil {
				err = b.Unpack(dir, all)
			}
			if !errors.Is(err, ErrFormat) {
				t.Errorf("%s: got error %v, want %v", name, err, ErrFormat)
			}
		})
		if info, err := os.Stat(filepath.Join(dir, SitesName)); err == nil && info.Size() > 11 {
			t.Errorf("%s: %d bytes were written", name, info.Size())
		}
	}
}

// FuzzRead reads anything as a bundle. It unpacks what the manifest says, and writes nothing
// else.
func FuzzRead(f *testing.F) {
	data, _ := bytesOf(f, sample())
	f.Add(data)
	f.Add([]byte("PK\x05\x06"))
	f.Add(pack(f, raw{name: manifestName, data: []byte(`{"fdebug_bundle":1}`)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		alloc.Check(t, len(data), 128<<20+uint64(len(data))*4096, func() { tryUnpack(t, data) })
	})
}

// FuzzManifest makes a bundle for any manifest, with the files it lists.
func FuzzManifest(f *testing.F) {
	w := sample()
	manifest, _, err := w.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(manifest)
	f.Add(bytes.ReplaceAll(manifest, []byte(`../../go.mod`), []byte(`../../../x`)))
	f.Add(bytes.ReplaceAll(manifest, []byte(`tree/m/q/testdata/zeros`), []byte(`tree/m/q/testdata/link/zeros`)))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		m, err := parseManifest(manifest)
		if err != nil {
			return
		}
		w := &Writer{Manifest: *m}
		w.Manifest.Files = nil
		for _, file := range m.Files {
			if file.Link != "" {
				if !w.addLink(file.Name, file.Link) {
					t.Fatalf("a link to %q is read and not written", file.Link)
				}
				continue
			}
			w.AddData(file.Name, []byte("x"))
			w.Manifest.Files[len(w.Manifest.Files)-1].Exec = file.Exec
		}
		data, _ := bytesOf(t, w)
		tryUnpack(t, data)
	})
}

// tryUnpack unpacks a bundle, and checks that nothing is written outside.
func tryUnpack(t *testing.T, data []byte) {
	b, err := open(data)
	if err != nil {
		if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
			t.Errorf("got error %v", err)
		}
		return
	}
	around := t.TempDir()
	dir := filepath.Join(around, "in")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := b.Unpack(dir, all); err != nil {
		return
	}
	entries, err := os.ReadDir(around)
	if err != nil || len(entries) != 1 {
		t.Fatalf("beside the directory there is %v, %v", entries, err)
	}
	tree, err := filepath.EvalSymlinks(filepath.Join(dir, TreeDir))
	if err != nil {
		return
	}
	n := 0
	filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		n++
		if e.Type() == fs.ModeSymlink {
			if real, err := filepath.EvalSymlinks(name); err == nil && !below(real, tree) {
				t.Errorf("%s leads to %s", name, real)
			}
		}
		return nil
	})
	if n != len(b.Files) {
		t.Errorf("%d files, and the manifest has %d", n, len(b.Files))
	}
}
