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
