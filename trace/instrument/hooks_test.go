package instrument

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func hooksIn(text string) ([]*hook, error) {
	return hooksOf(fstest.MapFS{"runtime/fdebug_x.go": {Data: []byte(text)}})
}

// TestHooks reads the directives of two comments, and patches files by them.
func TestHooks(t *testing.T) {
	hooks, err := hooksIn(`package runtime

// Directives stand in a comment of their own.

//fdebug:lost orders are unknown
//fdebug:patch os/dir.go,os/file.go func read() { ... names = list(n){+;
//	sort(len(names),
//	func(i int) string { return names[i] })+}

//fdebug:need nothing is left
//fdebug:patch runtime/proc.go goid uint64{+; more int+}
//fdebug:patch runtime/proc.go {+note(); +}return deadline

//fdebug:lost orders are unknown
//fdebug:patch os/proc.go func (p *P) Sys() any {{+ runtime.Seen();+} return p.sys }
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hooks {
		got = append(got, fmt.Sprintf("%s, needed: %v", h.lost, h.needed))
		for _, p := range h.patches {
			got = append(got, fmt.Sprintf("\t%s %q %q %q %q", p.file, p.after, p.before, p.insert, p.behind))
		}
	}
	sort := `"func read() {" "names = list(n)" "; sort(len(names), func(i int) string { return names[i] })" ""`
	want := []string{
		"orders are unknown, needed: false",
		"\tos/dir.go " + sort,
		"\tos/file.go " + sort,
		`	os/proc.go "" "func (p *P) Sys() any {" " runtime.Seen();" " return p.sys }"`,
		"nothing is left, needed: true",
		`	runtime/proc.go "" "goid uint64" "; more int" ""`,
		`	runtime/proc.go "" "" "note(); " "return deadline"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHooksFaults(t *testing.T) {
	const lost, patch = "//fdebug:lost words\n", "//fdebug:patch a.go "
	for text, want := range map[string]string{
		patch + "a{+b+}":                          "x.go:1: //fdebug:patch a.go a{+b+}: want lost, need or try",
		lost + "\n" + patch + "a{+b+}":            "x.go:3: //fdebug:patch",
		lost + lost:                               "x.go:2: //fdebug:lost",
		lost + "//fdebug:path a.go a{+b+}":        "x.go:2: //fdebug:path",
		"//fdebug:lost":                           "x.go:1: //fdebug:lost",
		lost + patch + "a{+b\n":                   "x.go:3: the directive before it has no +}",
		lost + patch + "a b\n" + patch + "a{+b+}": "x.go:3: the directive before it has no +}",
		lost + patch + "{+b+}":                    "x.go:2: //fdebug:patch",
		lost + patch + "a{+ +}":                   "x.go:2: //fdebug:patch",
		lost + "//fdebug:patch a.go{+b+}":         "x.go:2: //fdebug:patch",
	} {
		if _, err := hooksIn(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestPatch adds text to lines.
func TestPatch(t *testing.T) {
	const src = "package p\n\nfunc f() {\n\ta    int\n\tgo a\r\n}\n\nfunc g() {\n\tgo a\n\tgo ab }\n}\n"
	for _, c := range []struct {
		p    patch
		want string // "" for an error
	}{
		{patch{before: "a int", insert: "; b"}, "\ta    int; b\n"},
		{patch{before: "go a", insert: "!"}, ""},
		{patch{before: "go", insert: "!"}, ""},
		{patch{before: "go a", insert: "!", after: "func g("}, "g() {\n\tgo a!\n"},
		{patch{before: "go a", insert: "!", after: "func f("}, "\tgo a!\r\n"},
		{patch{before: "go ab", insert: ";", behind: " }"}, "\tgo ab; }\n"},
		{patch{behind: "go ab }", insert: "b; "}, "\tb; go ab }\n"},
		{patch{before: "go a", insert: "!", after: "func h("}, ""},
	} {
		got, err := c.p.apply([]byte(src))
		if (err != nil) != (c.want == "") || !strings.Contains(string(got), c.want) {
			t.Errorf("%+v: %q, %v; want %q in it", c.p, got, err, c.want)
		}
	}
}

// FuzzHooks reads any text. What is read adds something to a line of a file.
func FuzzHooks(f *testing.F) {
	f.Add("//fdebug:lost a\n//fdebug:patch b.go c ... d{+e\n//\tf+}g\n")
	f.Add("//fdebug:need a\n//fdebug:patch b.go,c.go {+e+}g\n")
	f.Fuzz(func(t *testing.T, text string) {
		hooks, err := hooksIn(text)
		if err != nil {
			return
		}
		for _, h := range hooks {
			for _, p := range h.patches {
				if h.lost == "" || strings.TrimSpace(p.insert) == "" || strings.TrimSpace(p.before+p.behind) == "" ||
					strings.Contains(p.insert, "\n") {
					t.Errorf("%+v of %q", p, text)
				}
			}
		}
	})
}
