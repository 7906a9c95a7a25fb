package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
)

// A zoo is the module testdata/zoo, whose packages have tests of many kinds. Its tests are built once, into a bundle:
// a script that is not about building runs those, without a go command.
type zoo struct {
	dir  string // of the bundle
	once sync.Once
	err  error
}

// theZoo is built for the first script that needs it.
var theZoo zoo

// bundle returns the file.
func (z *zoo) bundle() (string, error) {
	z.once.Do(func() { z.err = z.build() })
	return filepath.Join(z.dir, "zoo.fdz"), z.err
}

func (z *zoo) build() (err error) {
	if z.dir, err = os.MkdirTemp("", "zoo-"); err != nil {
		return err
	}
	var out bytes.Buffer
	args := []string{"-C", filepath.Join("testdata", "zoo"), "build", "-bundle", filepath.Join(z.dir, "zoo.fdz"),
		"-kinds", "stall", "-vet", "off", "./..."} // without the race detector
	a := &app{Console: &session.Console{Stdout: &out, Stderr: &out, Getenv: os.Getenv}, args: append([]string{"fdebug"}, args...)}
	if code := a.main(args); code != exit.OK {
		return fmt.Errorf("building the zoo: %d\n%s", code, &out)
	}
	return nil
}

// Close removes the bundle.
func (z *zoo) Close() { os.RemoveAll(z.dir) }

// zooCommand sets the variable ZOO of a script to the bundle.
func zooCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: zoo")
	}
	file, err := theZoo.bundle()
	ts.Check(err)
	ts.Setenv("ZOO", file)
}
