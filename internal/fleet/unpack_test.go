package fleet

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/fleet/bundle"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/session"
)

// bundleOf returns an opened bundle with packages p and p/q of a workspace's module m.
func bundleOf() *Unpacked {
	return &Unpacked{Dir: "/tmp/u", Bundle: &bundle.Bundle{ID: strings.Repeat("0123456789ab", 5), Manifest: bundle.Manifest{
		Go: "go1.26.8", GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Base: "/home/u/ws", Root: "m", Modules: []string{"example.com/m", "example.com/o"},
		Packages: []bundle.Package{{ImportPath: "example.com/m", Dir: "m"}, {ImportPath: "example.com/m/p/q", Dir: "m/p/q"}, {ImportPath: "example.com/o", Dir: "o"}},
	}}}
}

func TestChoosePackages(t *testing.T) {
	for _, c := range []struct{ patterns, want string }{
		{"", "example.com/m example.com/m/p/q example.com/o"},
		{"./...", "example.com/m example.com/m/p/q"},
		{".", "example.com/m"},
		{"./p/q", "example.com/m/p/q"},
		{"./p/...", "example.com/m/p/q"},
		{"../o", "example.com/o"},
		{"example.com/m/...", "example.com/m example.com/m/p/q"},
		{"example.com/o example.com/...", "example.com/o example.com/m example.com/m/p/q"},
		{"...", "example.com/m example.com/m/p/q example.com/o"},
		{"example.com/.../q", "example.com/m/p/q"},
		{"example.com/mm", "no package of the bundle matches example.com/mm"},
		{"./p", "no package of the bundle matches ./p"},
	} {
		list, err := bundleOf().Choose(strings.Fields(c.patterns))
		var names []string
		for _, p := range list {
			names = append(names, p.ImportPath)
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.patterns, got, c.want)
		}
	}
}

// TestBundleWords checks the messages about a bundle that runs, and about one that can't run.
func TestBundleWords(t *testing.T) {
	u := bundleOf()
	here := runtime.GOOS + "/" + runtime.GOARCH
	if got, want := u.Provenance(), "bundle 0123456789ab of example.com/m, example.com/o, built with go1.26.8 for "+here; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	u.Origin = provenance.Origin{Commit: "a1b2c3d4e5f60718", CommitTime: time.Now(), Modified: true}
	if got, want := u.Provenance(), ", commit a1b2c3d4e5f6 with changes that are not committed, built"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	if err := u.Fits("b.fdz", false); err != nil {
		t.Error(err)
	}
	u.GOOS = "plan9"
	if err := u.Fits("b.fdz", true); err != nil {
		t.Error(err)
	}
	errorIs(t, u.Fits("b.fdz", false), fmt.Sprintf("b.fdz is for plan9/%s, and this is %s", runtime.GOARCH, here), fmt.Sprintf("where its source is: GOOS=%s GOARCH=%s fdebug build -bundle FILE ...", runtime.GOOS, runtime.GOARCH))
	s := &Shard{Session: &session.Session{Config: session.Config{BundleFile: "b.fdz", Version: "v1.2"}}}
	newer := s.explainBundle(fmt.Errorf("%w: bundle format 2, this program reads 1", bundle.ErrVersion))
	errorIs(t, newer, "b.fdz: made by a newer fdebug: bundle format 2, this program reads 1", "this is fdebug v1.2: the fdebug that runs a bundle must be as new as the one that made it")
}

func errorIs(t *testing.T, err error, want, hint string) {
	t.Helper()
	var h *advice.Error
	if err == nil || err.Error() != want || !errors.As(err, &h) || h.Hints[0] != hint {
		t.Errorf("got error %v with %+v, want %s with %s", err, h, want, hint)
	}
}

// TestHere maps paths of the machine that a bundle was built on to those of this one, and the
// output back.
func TestHere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths are Unix's")
	}
	u := bundleOf()
	here := func(path string) string {
		b := &session.Built{Packed: u.packed(nil)}
		return b.Here(path)
	}
	for _, c := range []struct{ path, want string }{
		{"/home/u/ws", "/tmp/u/tree"},
		{"/home/u/ws/m/p", "/tmp/u/tree/m/p"},
		{"/home/u/ws2/m", "/home/u/ws2/m"},
		{"/usr/go/src", "/usr/go/src"},
	} {
		if got := here(c.path); got != c.want {
			t.Errorf("%s is at %s, want %s", c.path, got, c.want)
		}
	}
	u.Base = "/"
	if got, want := here("/home/u"), "/tmp/u/tree/home/u"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	u.Base = `C:\ws`
	if got, want := here(`C:\ws\m\p`), "/tmp/u/tree/m/p"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, c := range []struct{ base, dir, want string }{
		{"/home/u", "m/q", "/home/u/m/q"}, {"/", "m", "/m"}, {"/home/u", ".", "/home/u"}, {`C:\ws`, "m/q", `C:\ws\m\q`},
	} {
		if got := (&bundle.Manifest{Base: c.base}).OnBuilder(c.dir); got != c.want {
			t.Errorf("%s in %s was %s, want %s", c.dir, c.base, got, c.want)
		}
	}
}
