package report

import (
	"html/template"
	"regexp"
	"strings"

	"github.com/fdebug/fdebug/templates"
)

var (
	categoryName = regexp.MustCompile(`^[a-z][a-z-]{0,40}$`)
	codeSpan     = regexp.MustCompile("`([^`]*)`")
)

// adviceOn returns how flakes of a category are fixed, without its title; "" if nothing is known of them.
func adviceOn(category string) template.HTML {
	if !categoryName.MatchString(category) {
		return ""
	}
	data, _ := templates.FS.ReadFile("advice/" + category + ".md")
	_, text, _ := strings.Cut(string(data), "\n")
	return adviceHTML(text)
}

// adviceHTML renders the Markdown that advice is written in: paragraphs, headings, lists, blocks and spans of code.
func adviceHTML(md string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(template.HTMLEscapeString(md), "```") {
		if i%2 == 1 {
			_, code, _ := strings.Cut(part, "\n")
			b.WriteString("<pre><code>" + code + "</code></pre>\n")
			continue
		}
		for block := range strings.SplitSeq(part, "\n\n") {
			b.WriteString(adviceBlock(strings.TrimSpace(codeSpan.ReplaceAllString(block, "<code>$1</code>"))))
		}
	}
	return template.HTML(b.String())
}

func adviceBlock(text string) string {
	if title, ok := strings.CutPrefix(text, "## "); ok {
		return "<h4>" + title + "</h4>\n"
	} else if items, ok := strings.CutPrefix(text, "- "); ok {
		return "<ul>\n<li>" + strings.ReplaceAll(items, "\n- ", "</li>\n<li>") + "</li>\n</ul>\n"
	} else if text != "" {
		return "<p>" + text + "</p>\n"
	}
	return ""
}
