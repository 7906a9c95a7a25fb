package report

import (
	"bytes"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/templates"
)

// maxNotes is the size up to which notes are rendered.
const maxNotes = 256 << 10

// notes renders the user's Markdown.
func (v *viewer) notes(md string) template.HTML {
	if strings.TrimSpace(md) == "" {
		return ""
	}
	if len(md) > maxNotes {
		md = listing.Clip(md, maxNotes) + "\n\n*The rest of these notes was left out.*\n"
	}
	return markdownHTML(v.clean.Text(md))
}

// markdownHTML renders Markdown without raw HTML. Nothing in it loads anything:
// images become links, and links lead to http(s), to a place on the page or to a
// file beside it.
func markdownHTML(md string) template.HTML {
	gm := goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.TaskList,
			extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http", "https"})),
		),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(linkKeeper{}, 1000))),
	)
	var b bytes.Buffer
	if err := gm.Convert([]byte(md), &b); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(md) + "</pre>")
	}
	return template.HTML(b.String())
}

// A linkKeeper makes links harmless in a parsed document.
type linkKeeper struct{}

func (linkKeeper) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var images []*ast.Image
	var links []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Image:
				images = append(images, n)
			case *ast.Link, *ast.AutoLink:
				links = append(links, n)
			case *ast.Heading: // the page has a title and sections of its own
				n.Level = min(6, n.Level+2)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range images {
		links = append(links, unimage(n))
	}
	for _, n := range links {
		keep(n, r.Source())
	}
}

// unimage replaces an image by a link to it.
func unimage(n *ast.Image) ast.Node {
	link := ast.NewLink()
	link.Destination, link.Title = n.Destination, n.Title
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		link.AppendChild(link, c)
	}
	if link.FirstChild() == nil {
		link.AppendChild(link, ast.NewString([]byte("image")))
	}
	n.Parent().ReplaceChild(n.Parent(), n, link)
	return link
}

// keep marks a link that may stay, and replaces another one by its text.
func keep(n ast.Node, source []byte) {
	var dest string
	switch n := n.(type) {
	case *ast.Link:
		dest = string(n.Destination)
	case *ast.AutoLink:
		dest = string(n.URL(source))
	}
	if safeLink(dest) {
		n.SetAttributeString("rel", []byte("noreferrer noopener"))
		return
	}
	parent := n.Parent()
	if a, ok := n.(*ast.AutoLink); ok {
		parent.ReplaceChild(parent, n, ast.NewString(a.Label(source)))
		return
	}
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

// safeLink reports whether dest is http(s) or relative, without a host.
func safeLink(dest string) bool {
	u, err := url.Parse(strings.TrimSpace(dest))
	if err != nil || strings.ContainsAny(dest, "\\\x00") {
		return false
	}
	if u.Scheme != "" {
		return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	}
	return u.Host == "" && !strings.HasPrefix(dest, "//")
}

// advice returns the Markdown on how flakes of a category are fixed, "" if there is none.
func advice(category string) string {
	if !regexp.MustCompile(`^[a-z][a-z-]{0,40}$`).MatchString(category) {
		return ""
	}
	data, err := templates.FS.ReadFile("advice/" + category + ".md")
	if err != nil {
		return ""
	}
	return string(data)
}
