package report

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
)

var shots = flag.String("shots", "", "write screenshots of the pages into this directory")

// browsers is started by the first test that needs it.
var browsers browsertest.Shared

func TestMain(m *testing.M) {
	m.Run()
	browsers.Close()
}

// TestShots writes screenshots of all pages, to be looked at.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots DIR")
	}
	b := browsers.Open(t)
	f := newFixture(t)
	r := f.result(f.queue(), f.rng(), f.keys(), f.hang(), f.always(), f.ordered())
	r.Warnings = []string{"interrupted after 50 of 60 runs"}
	dir := t.TempDir()
	files := written(t, dir, r)
	for _, file := range files {
		if filepath.Ext(file) != ".html" {
			continue
		}
		name := filepath.Join(*shots, strings.TrimSuffix(filepath.Base(file), ".html"))
		for _, scheme := range []string{"light", "dark"} {
			b.Look(scheme, 1280, 900)
			b.OpenFile(file)
			b.Shot(name+"-"+scheme+"-first.png", false)
			b.Shot(name+"-"+scheme+".png", true)
			b.Look(scheme, 390, 844)
			b.OpenFile(file)
			b.Shot(name+"-"+scheme+"-phone.png", true)
		}
	}
}
