package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/templates"
)

// maxPage is the size of a page, checked at the end: what makes it large is bounded part by part.
const maxPage = 5 << 20

// errTooBig is returned for a page of more than maxPage. Nothing was written then.
var errTooBig = errors.New("the report is too big for a page")

// A shell is what every page has: title, style, script, and the policy that
// admits just these two.
type shell struct {
	Title         string
	CSP           string
	Style, Script template.HTML
}

// newShell reads style and script and computes the policy.
func newShell(title string) (shell, error) {
	style, err := readAll("base.css", "report.css", "code.css", "cause.css", "parts.css")
	if err != nil {
		return shell{}, err
	}
	script, err := readAll("report.js")
	if err != nil {
		return shell{}, err
	}
	return shell{
		Title: title,
		CSP: fmt.Sprintf(
			"default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
			cspHash(style), cspHash(script)),
		Style:  template.HTML("<style>" + style + "</style>"),
		Script: template.HTML("<script>" + script + "</script>"),
	}, nil
}

// readAll returns the embedded files, one after the other.
func readAll(names ...string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		data, err := templates.FS.ReadFile(name)
		if err != nil {
			return "", err
		}
		// The hash is of what the browser sees, which has no carriage returns.
		b.WriteString(strings.ReplaceAll(string(data), "\r\n", "\n"))
	}
	return b.String(), nil
}

func cspHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// render executes a page.
func render(w io.Writer, name string, data any) error {
	t := template.New("").Funcs(template.FuncMap{
		"words":   words,
		"add":     func(n, m int) int { return n + m },
		"command": func(label, line string) command { return command{label, line} },
	})
	t, err := t.ParseFS(templates.FS, "parts.html", "cause.html", "details.html", name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	if b.Len() > maxPage {
		return fmt.Errorf("%s: %w: %d bytes", name, errTooBig, b.Len())
	}
	_, err = w.Write(b.Bytes())
	return err
}

// words renders a sentence; code whose line is on the page is linked.
func words(s say.Sentence) template.HTML {
	var b strings.Builder
	for _, p := range s.Spans() {
		t := template.HTMLEscapeString(p.Text)
		switch {
		case p.Kind == say.OfCode, p.Kind == say.OfName:
			b.WriteString("<code>" + t + "</code>")
		case p.Kind == say.OfPlace && p.Href != "":
			b.WriteString(`<a class="place" href="` + template.HTMLEscapeString(p.Href) + `">` + t + "</a>")
		case p.Kind == say.OfPlace:
			b.WriteString(`<span class="place">` + t + "</span>")
		default:
			b.WriteString(t)
		}
	}
	return template.HTML(b.String())
}

// A testPage is the data of page.html.
type testPage struct {
	shell
	*view
	Markdown string
}

// page writes the page of a test: a single file that asks for nothing.
func (v *viewer) page(w io.Writer, x *view) error {
	s, err := newShell(fmt.Sprintf("%s: %s (fdebug)", x.Name, x.Badge))
	if err != nil {
		return err
	}
	md, err := v.markdown(x)
	if err != nil {
		return err
	}
	p := testPage{s, x, md}
	err = render(w, "page.html", p)
	if errors.Is(err, errTooBig) {
		x.slim()
		err = render(w, "page.html", p)
	}
	return err
}

// ScriptHash is the hash of the one script in pages, as a policy names it.
func ScriptHash() (string, error) {
	script, err := readAll("report.js")
	return cspHash(script), err
}
