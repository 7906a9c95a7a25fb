package trace

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sampleSites returns a table of two packages.
func sampleSites() *Sites {
	return &Sites{
		Module: "example.com/m",
		Root:   "/home/u/m",
		Files: []File{
			{"q/queue.go", "example.com/m/q/queue.go"},
			{"q/queue_test.go", "example.com/m/q/queue_test.go"},
			{"vendor/x.org/y/y.go", "x.org/y/y.go"},
		},
		Funcs: []Func{{0, "(*Queue).Drain", 38, 46}, {1, "TestDrain", 9, 20}, {2, "Y", 1, 3}},
		Blocks: []Block{
			{},
			{0, BlockEntry, 38, 30, 40, 19, 2},
			{0, BlockLoop, 40, 19, 41, 13, 1},
			{0, BlockThen, 41, 13, 43, 1, 1},
			{1, BlockEntry, 9, 30, 12, 4, 3},
			{2, BlockEntry, 1, 10, 3, 2, 1},
		},
	}
}

func TestSitesRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.json")
	for _, want := range []*Sites{sampleSites(), {Blocks: []Block{{}}, Funcs: []Func{}}} {
		if err := want.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSites(path)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, error %v\nwant %+v", got, err, want)
		}
	}
}

func TestReadSitesErrors(t *testing.T) {
	const head = `{"fdebug_sites":1,"files":[{"path":"a.go","name":"m/a.go"}],`
	tests := []struct {
		name, text string
		want       error
		message    string
	}{
		{"empty", "", ErrNotSites, "not an fdebug sites table"},
		{"text", "mode: count", ErrNotSites, ""},
		{"other JSON", `{"module":"x"}`, ErrNotSites, ""},
		{"null", `null`, ErrNotSites, ""},
		{"array", `[]`, ErrNotSites, ""},
		{"cut off", head + `"func_na`, ErrNotSites, "unexpected end"},
		{"newer", `{"fdebug_sites":2}`, ErrVersion, "sites table 2, this program reads 1"},
		{"numbers for functions", head + `"func_names":["F"],"funcs":[0,1]}`, ErrDamaged, "2 numbers for 1 functions"},
		{"file of function", head + `"func_names":["F"],"funcs":[1,1,2]}`, ErrDamaged, "function 0 is in file 1 of 1"},
		{"negative file", head + `"func_names":["F"],"funcs":[-1,1,2]}`, ErrDamaged, "file -1"},
		{"lines of function", head + `"func_names":["F"],"funcs":[0,3,2]}`, ErrDamaged, "lines 3 to 2"},
		{"numbers of blocks", head + `"blocks":[1]}`, ErrDamaged, "not a multiple of 7"},
		{"function of block", head + `"func_names":["F"],"funcs":[0,1,2],"blocks":[1,0,1,1,1,1,0]}`, ErrDamaged, "block 1 is in function 1 of 1"},
		{"kind", head + `"func_names":["F"],"funcs":[0,1,2],"blocks":[0,300,1,1,1,1,0]}`, ErrDamaged, "kind 300"},
		{"backwards", head + `"func_names":["F"],"funcs":[0,1,2],"blocks":[0,0,1,5,1,4,0]}`, ErrDamaged, "1:5 to 1:4"},
		{"huge", head + `"func_names":["F"],"funcs":[0,1,2],"blocks":[0,0,1,5,99999999999,4,0]}`, ErrDamaged, "99999999999"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeTemp(t, []byte(tt.text))
			_, err := ReadSites(path)
			if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "trace: "+path+": ") || !strings.Contains(err.Error(), tt.message) {
				t.Errorf("got error %v, want %v with %q", err, tt.want, tt.message)
			}
		})
	}
	if _, err := ReadSites(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: got error %v", err)
	}
}

// Whatever byte of a table is changed, the table is refused or all of it can be used.
func TestReadSitesCorrupted(t *testing.T) {
	b, err := json.Marshal(sampleSites())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range b {
		for range 20 {
			c := append([]byte(nil), b...)
			c[i] = "0123456789-,[]{}\"x"[r.IntN(18)]
			useSites(c)
		}
	}
}

// useSites uses all of a table, if data is one. It must not panic.
func useSites(data []byte) {
	var s Sites
	if s.UnmarshalJSON(data) != nil {
		return
	}
	for b := range s.Blocks {
		s.Pos(b)
		if s.Has(b) {
			s.FileOf(b)
		}
	}
	for _, f := range s.Files {
		s.Rel(f.Name)
		s.Rel(s.Root + "/" + f.Path)
	}
	if _, err := s.Profiles([]*Goroutine{NewGoroutine(1, "", []Event{1, 2, 3})}); err != nil {
		return
	}
}

func TestPos(t *testing.T) {
	s := sampleSites()
	tests := []struct {
		block int
		want  Span
		ok    bool
	}{
		{0, Span{}, false},
		{1, Span{"q/queue.go", 38, 40}, true},
		{3, Span{"q/queue.go", 41, 42}, true}, // ends where line 43 begins
		{4, Span{"q/queue_test.go", 9, 12}, true},
		{6, Span{}, false},
		{-1, Span{}, false},
	}
	for _, tt := range tests {
		if got, ok := s.Pos(tt.block); got != tt.want || ok != tt.ok {
			t.Errorf("block %d: got %v, %v, want %v, %v", tt.block, got, ok, tt.want, tt.ok)
		}
	}
}

func TestRel(t *testing.T) {
	unix := sampleSites()
	windows := sampleSites()
	windows.Root = `C:\Users\u\m`
	std := &Sites{Module: "std", Root: "/usr/go/src"}
	tests := []struct {
		sites *Sites
		file  string
		want  string
		ok    bool
	}{
		{unix, "/home/u/m/q/queue.go", "q/queue.go", true},
		{unix, "/home/u/m/main.go", "main.go", true},
		{unix, "/home/u/m/q/../q/gen.go", "q/gen.go", true},
		{unix, "/home/u/mm/q/queue.go", "", false},
		{unix, "/usr/go/src/fmt/print.go", "", false},
		{unix, "/home/u/m/vendor/x.org/z/z.go", "", false},
		{unix, "/home/u/m/vendor/x.org/y/y.go", "vendor/x.org/y/y.go", true}, // instrumented
		{unix, "/home/u/m/.cache/mod/x.org/z@v1.2.0/z.go", "", false},
		{unix, "example.com/m/q/queue.go", "q/queue.go", true}, // -trimpath
		{unix, "example.com/m/q_test/queue_test.go", "q/queue_test.go", true},
		{unix, "example.com/m/other.go", "other.go", true},
		{unix, "example.com/mm/other.go", "", false},
		{unix, "x.org/y/y.go", "vendor/x.org/y/y.go", true},
		{unix, "x.org/z@v1.2.0/z.go", "", false},
		{unix, "fmt/print.go", "", false},
		{unix, "_testmain.go", "", false},
		{unix, "<autogenerated>", "", false},
		{unix, "", "", false},
		{windows, "C:/Users/u/m/q/queue.go", "q/queue.go", true},
		{windows, `C:\Users\u\m\q\queue.go`, "q/queue.go", true},
		{windows, "C:/Program Files/Go/src/fmt/print.go", "", false},
		{std, "/usr/go/src/fmt/print.go", "fmt/print.go", true},
		{&Sites{}, "/etc/passwd", "", false},
		{&Sites{}, "a/b.go", "", false},
	}
	for _, tt := range tests {
		got, ok := tt.sites.Rel(tt.file)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("Rel(%q): got %q, %v, want %q, %v", tt.file, got, ok, tt.want, tt.ok)
		}
	}
}
