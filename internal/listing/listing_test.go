package listing

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

func TestClean(t *testing.T) {
	c := NewCleaner("/srv/people/ann", []string{"DEPLOY_TOKEN=correct horse\"battery", "PATH=/usr/bin", "API_KEY=short"})
	for _, tt := range []struct{ in, want string }{
		{"\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07", "red link"},
		{"a\r\nb\rc", "a\nb\nc"},
		{"nul\x00 bell\x07 del\x7f", "nul␀ bell␇ del␡"},
		{"bad\xffutf", "bad\uFFFDutf"},
		{"x\u202ey", "x‹U+202E›y"},
		{"/srv/people/ann/x /srv/people/anna/x", "~/x /srv/people/anna/x"},
		{"TestX/srv/people/ann /data/srv/people/ann (/srv/people/ann/srv/people/ann)",
			"TestX/srv/people/ann /data/srv/people/ann (~/srv/people/ann)"},
		{"open /home/bob/proj/a.go: no", "open ~/proj/a.go: no"},
		{"/Users/bob/x C:\\Users\\bob\\x /root/x", "~/x ~\\x ~/x"},
		{"/data/home/x and ~/home/bob/", "/data/home/x and ~/home/bob/"},
		{"tab\tstays", "tab\tstays"},
		{"with correct horse\"battery, PATH=/usr/bin and short", "with ***, PATH=/usr/bin and short"},
		{`its value was "correct horse\"battery"`, `its value was "***"`},
	} {
		if got := c.Text(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := c.Cut("of correct horse\"battery, and more of the same", 9, 30); strings.Contains(got, "correct") {
		t.Errorf("cut in two: %q", got)
	}
	got := c.Cut(strings.Repeat("0123456789\n", 100), 20, 30)
	if want := "0123456789\n\n[... 1067 bytes left out here ...]\n\n0123456789\n0123456789\n"; got != want {
		t.Errorf("cut: %q, want %q", got, want)
	}
}

// TestTrim checks what of a block counts as its lines.
func TestTrim(t *testing.T) {
	for _, tt := range []struct {
		src        string
		start, end [2]int // line and column
		want       string // lines of it, and the text
	}{
		{"{\n\treturn 0\n}", [2]int{1, 1}, [2]int{3, 2}, "2 return 0"},
		{"if x { return 0 }", [2]int{1, 6}, [2]int{1, 18}, "1 return 0"},
		{"a()\n\n// comment\nb()", [2]int{1, 1}, [2]int{4, 4}, "1 4 a()\n\n// comment\nb()"},
		{"x := T{\n\t1,\n}\nif x {", [2]int{1, 1}, [2]int{4, 6}, "1 2 3 4 x := T{\n\t1,\n}\nif x"},
		{"s := `a\nb`\n}", [2]int{1, 1}, [2]int{3, 2}, "1 2 s := `a\nb`"},
		{"{}", [2]int{1, 1}, [2]int{1, 3}, "1 {"},
		{"//line other.go:100\nx()", [2]int{1, 1}, [2]int{2, 4}, "2 x()"},
		{"case 1:\n\tf()", [2]int{1, 7}, [2]int{2, 5}, "2 f()"},
	} {
		s := NewSources(&finding.Result{Source: func(string) ([]byte, error) { return []byte(tt.src), nil }})
		p := Place{Span: trace.Span{File: "x.go", Start: tt.start[0], End: tt.end[0]}, StartCol: tt.start[1], EndCol: tt.end[1]}
		s.trim(&p)
		text, _ := s.text(p)
		got := ""
		for _, n := range p.Lines {
			got += string(rune('0'+n)) + " "
		}
		if got += text; got != tt.want {
			t.Errorf("%q: %q, want %q", tt.src, got, tt.want)
		}
	}
}
