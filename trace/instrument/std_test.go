package instrument

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStd prepares packages of the standard library, in its own source tree: an ordinary one, one
// that package runtime imports, and one that the shadow GOROOT has patched.
func TestStd(t *testing.T) {
	goroot := goEnv(t, "GOROOT")
	src := filepath.Join(goroot, "src")
	plan, err := Prepare(context.Background(), Config{
		Dir: src, Patterns: []string{"./container/list", "./internal/cpu", "./time"},
		Out: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Std != "std" || plan.Sites.Root != src {
		t.Errorf("module %q in %s, want std in %s", plan.Std, plan.Sites.Root, src)
	}
	if want := []string{"container/list", "internal/cpu", "time"}; !slices.Equal(slices.Sorted(slices.Values(plan.Modules)), want) {
		t.Errorf("scope %v, want %v", plan.Modules, want)
	}
	if got, want := plan.BuildDir(filepath.Join(src, "time")), filepath.Join(plan.Shadow.GOROOT, "src", "time"); got != want {
		t.Errorf("time is built in %s, want %s", got, want)
	}
	probed := make(map[string]bool)
	for _, f := range plan.Sites.Files {
		probed[f.Path] = true
	}
	for name, want := range map[string]bool{
		"container/list/list.go": true, "container/list/list_test.go": true,
		"internal/cpu/cpu.go": false, "internal/cpu/cpu_test.go": true,
		"time/sleep.go": true, "time/sleep_test.go": true,
		"fmt/print.go": false, "testing/testing.go": false,
	} {
		if probed[name] != want {
			t.Errorf("%s has probes: %v, want %v", name, probed[name], want)
		}
	}
	if len(plan.Warnings) != 1 || !strings.Contains(plan.Warnings[0].Error(), "internal/cpu lies below the probe runtime") {
		t.Errorf("warnings %v", plan.Warnings)
	}
	checkStdOverlay(t, plan)
}

// checkStdOverlay checks that the overlay replaces files of the shadow GOROOT and none of GOROOT,
// and that a patched file has both the patch and probes.
func checkStdOverlay(t *testing.T, plan *Plan) {
	data, err := os.ReadFile(plan.Overlay)
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	for name := range o.Replace {
		if !strings.HasPrefix(name, plan.Shadow.GOROOT+string(filepath.Separator)) {
			t.Errorf("%s is replaced, but the build does not use it", name)
		}
	}
	sleep, err := os.ReadFile(o.Replace[filepath.Join(plan.Shadow.GOROOT, "src", "time", "sleep.go")])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fdebugAfterFunc(f);", ".Put("} {
		if !strings.Contains(string(sleep), want) {
			t.Errorf("time/sleep.go is built without %s", want)
		}
	}
}

// TestForeignStd wants a helpful error if the go command belongs to another source tree.
func TestForeignStd(t *testing.T) {
	src := filepath.Join(t.TempDir(), "src")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(src, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module std\n\ngo 1.24\n")
	write("p/p.go", "package p\n")
	_, err := Prepare(context.Background(), Config{Dir: src, Patterns: []string{"./p"}, Out: t.TempDir(), Cache: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), ErrForeignStd.Error()) {
		t.Errorf("got %v", err)
	}
}
