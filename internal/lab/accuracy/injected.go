package main

import (
	"context"
	_ "embed"
	"io"
	"os"

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
	f.Modules, f.Fdebug, f.Dir, f.N, f.Again, f.Log = modulesText, c.lab.fdebug, c.lab.out, c.lab.n, c.lab.again, stderr
	if c.modules != "" {
		data, err := os.ReadFile(c.modules)
		if err != nil {
			return 2, err
		}
		f.Modules = string(data)
	}
	if err := inject.Run(ctx, f, stdout); err != nil {
		return 2, err
	}
	return 0, nil
}
