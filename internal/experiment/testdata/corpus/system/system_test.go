package system

import (
	"net"
	"os"
	"slices"
	"testing"
)

func pair(t *testing.T) (a, b net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func TestReceive(t *testing.T) {
	a, b := pair(t)
	if err := Send(a, "a message of some length"); err != nil {
		t.Fatal(err)
	}
	if got, err := Receive(b); err != nil || got != "a message of some length" {
		t.Errorf("received %q, %v", got, err)
	}
}

func TestReceiveAll(t *testing.T) {
	a, b := pair(t)
	if err := Send(a, "a message of some length"); err != nil {
		t.Fatal(err)
	}
	if got, err := ReceiveAll(b); err != nil || got != "a message of some length" {
		t.Errorf("received %q, %v", got, err)
	}
}

// It is sound: a read of a pipe gives all that there is.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("hello")
	w.Close()
	b := make([]byte, 10)
	if n, err := r.Read(b); err != nil || string(b[:n]) != "hello" {
		t.Errorf("read %q, %v", b[:n], err)
	}
}

func TestOldest(t *testing.T) {
	dir := t.TempDir()
	if err := Numbered(dir, 5); err != nil {
		t.Fatal(err)
	}
	first, err := Oldest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Oldest(dir); err != nil || again != first {
		t.Errorf("the oldest is %s, then %s, %v", first, again, err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || !slices.ContainsFunc(list, func(e os.DirEntry) bool { return e.Name() == first }) {
		t.Errorf("%s is not there, %v", first, err)
	}
	sorted := slices.IsSortedFunc(list, func(a, b os.DirEntry) int { return cmpNames(a.Name(), b.Name()) })
	if !sorted {
		t.Error("os.ReadDir sorts")
	}
}

func cmpNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestSeries(t *testing.T) {
	dir := t.TempDir()
	if err := Numbered(dir, 6); err != nil {
		t.Fatal(err)
	}
	before := newest(t, dir)
	if before != stored(t, dir) {
		t.Errorf("%s is not the first of the listing", before)
	}
}

// newest and stored list the same directory.
func newest(t *testing.T, dir string) string {
	list, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	entries, err := list.ReadDir(-1) // cause listing
	if err != nil {
		t.Fatal(err)
	}
	return entries[0].Name() // cause listing
}

func stored(t *testing.T, dir string) string {
	list, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	infos, err := list.Readdir(-1) // cause listing
	if err != nil {
		t.Fatal(err)
	}
	return infos[0].Name() // cause listing
}

func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	if err := Numbered(dir, 9); err != nil {
		t.Fatal(err)
	}
	before, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var now []string
	for {
		names, err := f.Readdirnames(4) // cause unchanged
		if err != nil {
			break
		}
		now = append(now, names...)
	}
	if !slices.Equal(before, now) {
		t.Errorf("%q has become %q", before, now)
	}
}

func TestServe(t *testing.T) {
	l, err := Serve()
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestServeAnywhere(t *testing.T) {
	l, err := ServeAnywhere()
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestLines(t *testing.T) {
	open, err := Lines(t.TempDir(), 300)
	for _, f := range open { // others shall have enough
		defer f.Close()
	}
	if err != nil {
		t.Errorf("%d files are open: %v", len(open), err)
	}
}

func TestOneByOne(t *testing.T) {
	for range 300 {
		open, err := Lines(t.TempDir(), 1)
		if err != nil {
			t.Fatal(err)
		}
		open[0].Close()
	}
}
