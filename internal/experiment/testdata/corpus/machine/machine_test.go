package machine

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutbound(t *testing.T) {
	host, err := Outbound()
	if err != nil || net.ParseIP(host) == nil {
		t.Errorf("%q, %v", host, err)
	}
}

func TestAnnounce(t *testing.T) {
	if err := Announce("hello"); err != nil {
		t.Error(err)
	}
}

// It is sound: it goes on without a network.
func TestAddress(t *testing.T) {
	host, err := Address()
	if err != nil || net.ParseIP(host) == nil {
		t.Errorf("%q, %v", host, err)
	}
}

// It is sound: what it asks for is on this machine.
func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") }))
	defer server.Close()
	if text, err := Fetch(server.URL); err != nil || text != "page" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestIndex(t *testing.T) {
	text, fresh, err := Index()
	if err != nil || text != "computed" {
		t.Fatalf("%q, %v", text, err)
	}
	if fresh {
		t.Error("the index was computed anew")
	}
}

// It is sound: what is in TMPDIR is its own.
func TestScratch(t *testing.T) {
	dir, err := os.MkdirTemp("", "scratch-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("a"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "a" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestProfile(t *testing.T) {
	if names, err := Profile(); err != nil || len(names) == 0 {
		t.Errorf("nobody lives here: %q, %v", names, err)
	}
}

func TestSave(t *testing.T) {
	if err := Save("a text"); err != nil {
		t.Error(err)
	}
}

// The program that it starts looks for the home directory.
func TestProgram(t *testing.T) {
	out, err := exec.Command("sh", "-c", `ls -A "$HOME" | wc -l`).Output() // cause program
	if err != nil || strings.TrimSpace(string(out)) == "0" {
		t.Errorf("%s files at home, %v", strings.TrimSpace(string(out)), err)
	}
}

// It is sound: nothing need be there.
func TestRemembered(t *testing.T) {
	if got := Remembered(); got != "usual" {
		t.Errorf("got %q", got)
	}
}

// It is sound: it has a home of its own.
func TestOwnHome(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	if err := Save("a text"); err != nil {
		t.Error(err)
	}
}

func TestPool(t *testing.T) {
	var p Pool
	defer func() { // others shall have enough
		for _, f := range p.open {
			f.Close()
		}
	}()
	if err := p.Fill(t.TempDir(), 280); err != nil {
		t.Errorf("%d files are open: %v", len(p.open), err)
	}
}
