package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/lab/accuracy/inject"
)

//go:embed modules.txt
var modulesText string // modules to inject flakes into

// measureInjected measures on flakes that are made on the spot.
func (c *config) measureInjected(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	done, err := c.prepare(ctx)
	if err != nil {
		return 2, err
	}
	defer done()
	f := c.flakes
	f.Modules, f.Dir, f.N, f.Again, f.Log = modulesText, c.lab.out, c.lab.n, c.lab.again, stderr
	if c.modules != "" {
		data, err := os.ReadFile(c.modules)
		if err != nil {
			return 2, err
		}
		f.Modules = string(data)
	}
	if err := c.build(ctx, &f); err != nil {
		return 2, err
	}
	if err := inject.Run(ctx, f, stdout); err != nil {
		return 2, err
	}
	return 0, nil
}

// build builds fdebug, unless one is given. Mutants are measured with the command, several at a time:
// each needs a directory, an environment and a limit of its own.
func (c *config) build(ctx context.Context, f *inject.Config) error {
	if f.Fdebug != "" {
		return nil
	}
	f.Fdebug = filepath.Join(c.lab.out, "fdebug")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", f.Fdebug, "./cmd/fdebug")
	cmd.Dir = c.lab.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
