package stream

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func connected(t *testing.T) (a, b net.Conn) {
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

func TestHeader(t *testing.T) {
	a, b := connected(t)
	a.Write([]byte{0, 1, 0, 0, 2, 7})
	if h, err := ReadHeader(b); err != nil || h != (Header{1, 519}) {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestCommands(t *testing.T) {
	a, b := connected(t)
	io.WriteString(a, "open door\nclose window\n")
	a.Close()
	if list, err := Commands(b); err != nil || !slices.Equal(list, []string{"open door", "close window"}) {
		t.Errorf("%q, %v", list, err)
	}
}

// It is sound: lines are whole however they arrive.
func TestLines(t *testing.T) {
	a, b := connected(t)
	io.WriteString(a, "open door\nclose window\n")
	a.Close()
	if list, err := Lines(b); err != nil || !slices.Equal(list, []string{"open door", "close window"}) {
		t.Errorf("%q, %v", list, err)
	}
}

func fill(t *testing.T, n int) string {
	dir := t.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("part", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Two directories with the same files are not listed in the same order.
func TestCopy(t *testing.T) {
	one, two := fill(t, 6), fill(t, 6)
	a, err := Sum(one)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Sum(two); err != nil || a != b { // cause copy
		t.Errorf("the copy differs, %v", err)
	}
}

// It is sound: order does not matter.
func TestSortedCopy(t *testing.T) {
	one, two := fill(t, 6), fill(t, 6)
	a, err := SortedSum(one)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := SortedSum(two); err != nil || a != b {
		t.Errorf("the copy differs, %v", err)
	}
}

// It is sound: an unchanged directory is listed as before.
func TestTwice(t *testing.T) {
	dir := fill(t, 6)
	a, err := Sum(dir)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Sum(dir); err != nil || a != b {
		t.Errorf("it has changed, %v", err)
	}
}

// The file that is kept is the first or the last that was made, as the file system has it.
func TestRotate(t *testing.T) {
	dir := fill(t, 2)
	list, err := names(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Rotate(dir, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, list[1])); err != nil { // cause rotate
		t.Error(err)
	}
}

// The file is closed when nobody has it any more.
func TestDescriptor(t *testing.T) {
	fd, err := Descriptor(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := Write(fd, fmt.Sprint(i)); err != nil { // cause descriptor
			t.Fatal(err)
		}
	}
}

// It is sound: it waits for what it has asked for.
func TestCleanup(t *testing.T) {
	done := make(chan bool)
	p := &[32]int{1}
	runtime.AddCleanup(p, func(c chan bool) { close(c) }, done)
	runtime.KeepAlive(p)
	p = nil
	for {
		runtime.GC()
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestLease(t *testing.T) {
	var l Lease
	if !l.Take("a", 6*time.Millisecond) {
		t.Fatal("a did not get it")
	}
	time.Sleep(25 * time.Millisecond) // cause lease
	if !l.Take("b", time.Minute) {
		t.Error("a has it still")
	}
}

// It is sound: it asks until it gets it.
func TestLeaseWaits(t *testing.T) {
	var l Lease
	if !l.Take("a", 6*time.Millisecond) {
		t.Fatal("a did not get it")
	}
	for !l.Take("b", time.Minute) {
		time.Sleep(time.Millisecond)
	}
}
