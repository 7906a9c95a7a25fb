package instrument

import (
	"path/filepath"
	"testing"
)

// For each directory: the tag with which its test file is built, or "-" if it has a file that is
// built, or no test file at all.
func TestExcluded(t *testing.T) {
	dir := t.TempDir()
	tc := &Toolchain{GOOS: "linux", GOARCH: "amd64", GOFLAGS: "-tags=set"}
	for _, c := range []struct{ name, src, want string }{
		{"plain/a_test.go", "", "-"},
		{"none/a.go", "//go:build e2e\n\n", "-"},
		{"tag/a_test.go", "//go:build e2e\n\n", "e2e"},
		{"both/a_test.go", "// Text.\n\n//go:build linux && e2e\n\n", "e2e"},
		{"either/a_test.go", "//go:build windows || slow\n\n", "slow"},
		{"two/a_test.go", "//go:build e2e && slow\n\n", ""},
		{"system/a_test.go", "//go:build darwin\n\n", ""},
		{"name/a_arm64_test.go", "", ""},
		{"ignored/a_test.go", "//go:build ignore\n\n", ""},
		{"given/a_test.go", "//go:build set\n\n", "-"},
	} {
		writeFile(t, filepath.Join(dir, c.name), c.src+"package p\n")
		got, cfg := "-", &Config{Dir: dir}
		if list := cfg.excluded(tc, "./"+filepath.Dir(c.name)); len(list) > 0 {
			got = list[0].Tag
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	writeFile(t, filepath.Join(dir, "sub", "go.mod"), "module sub\n")
	for _, name := range []string{"sub/a_test.go", "testdata/a_test.go", "vendor/a_test.go", "_x/a_test.go"} {
		writeFile(t, filepath.Join(dir, name), "//go:build e2e\n\npackage p\n")
	}
	cfg := &Config{Dir: dir}
	if list := cfg.excluded(tc, "./..."); len(list) != 7 || list[0].Dir != "both" {
		t.Errorf("below ./...: %d of 7, the first %v", len(list), list)
	}
	if list := cfg.excluded(tc, "example.com/m/..."); list != nil {
		t.Errorf("an import path: %v", list)
	}
}
