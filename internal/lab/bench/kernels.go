package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// kernelNames are the kernels, in the order of the table.
func kernelNames() []string {
	return []string{"branches", "sieve", "calls", "alloc", "goroutines", "channels", "mutex", "parse"}
}

// waits reports whether the goroutines of a kernel wait for each other.
func waits(kernel string) bool {
	return kernel == "goroutines" || kernel == "channels" || kernel == "mutex"
}

// kernels measures all variants of the chosen kernels.
func (b *bench) kernels(ctx context.Context) error {
	names, err := b.chosen(kernelNames())
	if err != nil {
		return err
	}
	src, err := kernelDir(ctx)
	if err != nil {
		return err
	}
	vs, err := b.buildAll(ctx, variants(), src, ".")
	if err != nil {
		return err
	}
	t := newVariantTable("kernel", vs)
	for _, name := range names {
		s := &subject{name: name, run: b.kernel(name)}
		if err := b.measure(ctx, s, vs); err != nil {
			return err
		}
		t.add(s, !waits(name))
	}
	return b.print("Kernels: ratios to the plain build", t.finish())
}

// kernel returns a function that runs a kernel and returns the seconds that the kernel itself
// measured.
func (b *bench) kernel(name string) func(context.Context, *variant, []string) (float64, error) {
	return func(ctx context.Context, v *variant, env []string) (float64, error) {
		p := process{args: []string{v.bin, "-test.run=^TestKernel$"}, env: append(env, "KERNEL="+name)}
		_, out, err := p.run(ctx)
		if err != nil {
			return 0, err
		}
		wall, cpu, err := parseTime(out)
		if b.cpu {
			wall = cpu
		}
		return float64(wall) / 1e9, err
	}
}

// parseTime parses the nanoseconds that a kernel measured, by the clock and of the processors.
func parseTime(out []byte) (wall, cpu int64, err error) {
	i := bytes.Index(out, []byte("kernel "))
	if i < 0 {
		return 0, 0, errors.New("the kernel did not report its time")
	}
	var name string
	if _, err := fmt.Sscanf(string(out[i:]), "kernel %s %d %d", &name, &wall, &cpu); err != nil {
		return 0, 0, fmt.Errorf("what the kernel took: %w", err)
	}
	return wall, cpu, nil
}
