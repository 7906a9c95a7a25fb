package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// suiteNames are packages of the standard library whose tests are measured: three that work like
// programs, two that compute.
func suiteNames() []string {
	return []string{"encoding/json", "text/template", "go/parser", "regexp", "compress/flate"}
}

// suites measures the test suites of packages of the standard library, from start to exit, with
// -short. Arguments can name any of its packages.
func (b *bench) suites(ctx context.Context) error {
	names := b.args
	if len(names) == 0 {
		names = suiteNames()
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	var t *variantTable
	for _, name := range names {
		vs, err := b.buildAll(ctx, variants(), src, name)
		if err != nil {
			return err
		}
		if t == nil {
			t = newVariantTable("suite", vs)
		}
		s := &subject{name: name, run: b.suite(filepath.Join(src, name))}
		if err := b.measure(ctx, s, vs); err != nil {
			return err
		}
		t.add(s, s.events >= manyEvents)
	}
	return b.print("Test suites of the standard library: ratios to the plain build", t.finish())
}

// manyEvents is with how many events starting the process does not matter.
const manyEvents = 5e6

// suite returns a function that runs a whole test binary in a directory.
func (b *bench) suite(dir string) func(context.Context, *variant, []string) (float64, error) {
	return func(ctx context.Context, v *variant, env []string) (float64, error) {
		p := process{args: []string{v.bin, "-test.short"}, dir: dir, env: append(env, "PWD="+dir)}
		if strings.HasPrefix(v.name, "count") || v.name == "atomic" {
			p.args = append(p.args, "-test.coverprofile="+filepath.Join(b.dir, "cover.out"))
		}
		u, _, err := p.run(ctx)
		return b.took(u), err
	}
}
