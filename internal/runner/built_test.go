package runner

import "testing"

// TestBuilt checks that an existing binary is not built again: there is no go command.
func TestBuilt(t *testing.T) {
	there := &Binary{Target: Target{ImportPath: "m/p", Dir: "/m/p"}, Path: "/bin/p.test"}
	b := &Build{GoCmd: "/nonexistent/go", Out: t.TempDir(), Built: []*Binary{there}}
	if bin, err := b.Test(t.Context(), there.Target); bin != there || err != nil {
		t.Errorf("%v, %v; want the binary that is there", bin, err)
	}
	if bin, err := b.Test(t.Context(), Target{ImportPath: "m/q", Dir: "/m/q"}); err == nil {
		t.Errorf("%v for a package that was not built", bin)
	}
}
