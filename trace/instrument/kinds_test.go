package instrument

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// actNumber matches the number of a kind in the runtime; those from 256 on are flags beside it.
var actNumber = regexp.MustCompile(`(?m)^\tfdebugAct([A-Z]\w*)\s+= (\d+)\b`)

// TestKinds compares the numbers of kinds in the embedded runtime with those of package trace, which
// reads them.
func TestKinds(t *testing.T) {
	files, err := filepath.Glob("_shadow/runtime/fdebug_*.go")
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{"Applied": true, "Met": true, "Until": true, "Share": true}
	named := make(map[trace.ActKind]string)
	for _, file := range files {
		for _, m := range actNumber.FindAllStringSubmatch(readFile(t, file), -1) {
			if flags[m[1]] {
				continue
			}
			n, err := strconv.ParseUint(m[2], 10, 8)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			kind := trace.ActKind(n)
			if got, _, _ := strings.Cut(kind.String(), "/"); got != strings.ToLower(m[1]) {
				t.Errorf("%s: fdebugAct%s is %d, which package trace calls %v", file, m[1], n, kind)
			}
			named[kind] = m[1]
		}
	}
	for kind := trace.ActStall; kind <= trace.ActLeak; kind++ {
		if named[kind] == "" && trace.KindOf(kind.String()) != 0 {
			t.Errorf("the runtime has no %v", kind)
		}
	}
}
