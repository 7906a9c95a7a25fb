package trace

import "testing"

// A module that go.mod replaces with a directory lies beside the root, above or below it.
func TestBeside(t *testing.T) {
	s := &Sites{Root: "/src/koanf/tests", Module: "example.com/koanf/tests"}
	for _, c := range []struct{ fn, file, want string }{
		{"example.com/koanf/providers/file.(*File).Watch.func1", "/src/koanf/providers/file/file.go", "../providers/file/file.go"},
		{"example.com/koanf.Load", "/src/koanf/load.go", "../load.go"},
		{"other.org/x.Do", "/home/x/x.go", "../../../home/x/x.go"},
		{"plain/lib.Do", "/src/plain/lib.go", "../../plain/lib.go"},
		{"example.com/koanf/tests.TestX", "/src/koanf/tests/x_test.go", ""}, // known by Rel
		{"testing.tRunner", "/usr/local/go/src/testing/testing.go", ""},
		{"internal/sync.(*Mutex).Lock", "/usr/local/go/src/internal/sync/mutex.go", ""},
		{"runtime.mapassign_fast64", "/usr/local/go/src/internal/runtime/maps/runtime_fast64.go", ""},
		{"reflect.mapiterinit", "/usr/local/go/src/runtime/map.go", ""},
		{"reflect.typedmemmove", "/usr/local/go/src/runtime/mbarrier.go", ""},
		{"golang.org/x/net/http2.f", "/usr/local/go/src/vendor/golang.org/x/net/http2/f.go", ""},
		{"github.com/x/y.Do", "/root/go/pkg/mod/github.com/x/y@v1.2.3/y.go", ""},
		{"main.main", "_testmain.go", ""},
		{"sync/atomic.AddInt32", "/usr/local/go/src/runtime/race_amd64.s", ""},
		{"", "/src/koanf/load.go", ""},
	} {
		got, ok := s.Beside(Frame{Func: c.fn, File: c.file})
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.file, got, ok, c.want)
		}
	}
}

// TestSpanText has lines before the first, after the last, and none.
func TestSpanText(t *testing.T) {
	for _, x := range []struct {
		start, end int
		want       string
	}{{1, 1, "a"}, {2, 3, "b\nc"}, {0, 1, "a"}, {3, 9, "c"}, {7, 9, ""}} {
		if got := (Span{Start: x.start, End: x.end}).Text([]byte("a\nb\nc")); got != x.want {
			t.Errorf("lines %d to %d are %q, want %q", x.start, x.end, got, x.want)
		}
	}
}
