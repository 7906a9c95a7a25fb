package recorded

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestPack(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"runs.jsonl": "{}", "traces/001-m/0001.trace": "x", "src/m.go.txt": "package m",
		"index.html": "no", "m.TestX.md": "no", "result.json": "no", "lock": "", ".gitignore": "*",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var a, b bytes.Buffer
	if err := pack(&a, dir); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := Unpack(bytes.NewReader(a.Bytes()), out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"runs.jsonl": "{}", "traces/001-m/0001.trace": "x", "src/m.go.txt": "package m"} {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if list, _ := os.ReadDir(out); len(list) != 3 {
		t.Errorf("unpacked %v, want what an analysis reads", list)
	}
	if err := pack(&b, out); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("packed again, the file differs (%v)", err)
	}
}

func TestUnpackElsewhere(t *testing.T) {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "../evil", Size: 1})
	w.Write([]byte("x"))
	w.Close()
	z.Close()
	if err := Unpack(&b, t.TempDir()); err == nil || !strings.Contains(err.Error(), "evil") {
		t.Errorf("got %v, want an error", err)
	}
}
