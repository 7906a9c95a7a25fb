// Package page writes the tag cloud of a blog.
package page

import (
	"fmt"
	"html"
	"strings"

	"example.com/tagcloud/tags"
)

// An Article has tags.
type Article struct {
	Title string
	Tags  []string
}

// Cloud returns the tag cloud for articles: larger for tags that are used more.
func Cloud(articles []Article) string {
	var c tags.Counter
	for _, a := range articles {
		c.Add(a.Tags...)
	}
	var b strings.Builder
	for i, t := range c.AtLeast(2) {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "<b class=%q>%s</b>", size(t.N), html.EscapeString(t.Name))
	}
	return b.String()
}

func size(n int64) string {
	switch {
	case n > 10:
		return "l"
	case n > 3:
		return "m"
	}
	return "s"
}
