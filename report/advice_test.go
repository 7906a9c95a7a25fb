package report

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/templates"
)

// TestAdvice renders all advice, and looks for Markdown that is still there.
func TestAdvice(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(templates.FS, "advice/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		html := withoutBlocks(string(adviceOn(strings.TrimSuffix(path.Base(name), ".md"))))
		for _, bad := range []string{"`", "**", "](", "\n#", "\n- ", "\n* ", "\n1. ", "<p></p>"} {
			if strings.Contains(html, bad) {
				t.Errorf("%s: %q in\n%s", name, bad, html)
			}
		}
	}
	md := "One `a < b`\nline.\n\n## Two\n\n- x\n- `y`\n\n```go\nfor {\n\n}\n```\n\nEnd.\n"
	want := "<p>One <code>a &lt; b</code>\nline.</p>\n<h4>Two</h4>\n<ul>\n<li>x</li>\n<li><code>y</code></li>\n</ul>\n" +
		"<pre><code>for {\n\n}\n</code></pre>\n<p>End.</p>\n"
	if got := string(adviceHTML(md)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if html := adviceOn("../base"); html != "" {
		t.Error(html)
	}
}

// withoutBlocks returns HTML without its blocks of code.
func withoutBlocks(html string) string {
	var b strings.Builder
	for i, part := range strings.Split(html, "<pre>") {
		if _, after, ok := strings.Cut(part, "</pre>"); i > 0 && ok {
			part = after
		}
		b.WriteString(part)
	}
	return b.String()
}
