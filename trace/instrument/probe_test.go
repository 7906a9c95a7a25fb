package instrument

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestHitInlines checks that the compiler inlines the probe. A call would cost more than
// everything else.
func TestHitInlines(t *testing.T) {
	out := decisions(t, "-gcflags=fdebugrt=-m=2", "fdebugrt")
	for _, function := range []string{"Full", "Put", "Mark", "Last", "PutAfter", "Here", "End", "PutAt", "Keep", "Full2", "Put2", "Put2At", "Leaf"} {
		m := regexp.MustCompile(`can inline ` + regexp.QuoteMeta(function) + ` with cost (\d+) as`).FindStringSubmatch(out)
		if m == nil {
			t.Errorf("%s is not inlined:\n%s", function, out)
			continue
		}
		most := maxPoints
		if function == "Leaf" {
			most = probeCost
		}
		if cost, _ := strconv.Atoi(m[1]); cost > most {
			t.Errorf("%s costs %d", function, cost)
		}
	}
	if strings.Contains(out, "escapes to heap") || strings.Contains(out, "moved to heap") {
		t.Errorf("the probe allocates:\n%s", out)
	}
}

// decisions builds packages of a shadow GOROOT and returns the reports of the compiler.
func decisions(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds with a shadow GOROOT")
	}
	t.Parallel()
	tc, err := FindToolchain(context.Background(), "go", ".")
	if err != nil {
		t.Fatal(err)
	}
	shadow, err := makeShadow(context.Background(), shadowCache(t), tc, ownHooks(t))
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(shadow.Go(), append([]string{"build"}, args...)...)
	cmd.Env = append(os.Environ(), shadow.Env()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestHooksInline checks that a kind of perturbation that is off costs only a look at a variable
// where a program asks the system for something: the hooks are inlined.
func TestHooksInline(t *testing.T) {
	out := decisions(t, "-gcflags=time=-m", "-gcflags=internal/poll=-m", "-gcflags=os=-m", "-gcflags=syscall=-m", "-gcflags=net=-m", "-gcflags=testing=-m", "net", "testing")
	for hook, n := range map[string]int{"FdebugTimer": 1, "FdebugReading": 1, "FdebugEntries": 3, "FdebugLimited": 4, "FdebugGetenv": 1, "FdebugFork": 1} {
		if got := strings.Count(out, "inlining call to runtime."+hook+"\n"); got < n {
			t.Errorf("%s is inlined %d times, want %d or more", hook, got, n)
		}
	}
}
