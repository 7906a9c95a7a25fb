// Package templates holds the files that reports are made of: pages, styles,
// the script, and the advice on how each kind of flake is fixed. They are real
// files, to be opened and edited as such. Package report renders them.
//
//   - page.html and index.html are the pages, in html/template. issue.tmpl is a page as Markdown.
//     parts.html holds what they share. cause.html and details.html are parts of page.html.
//   - base.css sets type and the colours for light and dark. report.css sets the
//     parts of a page, cause.css the answer at its top, parts.css what stands below,
//     and code.css source listings. All go into every page.
//   - report.js adds keys, buttons and copying. No page needs it to be read.
//   - serve has the pages and the style of fdebug serve, which package serve renders.
//   - advice/CATEGORY.md is the advice for a category of result.json.
package templates

import "embed"

// FS holds the files by their names in this directory.
//
//go:embed *.html *.tmpl *.css *.js advice/*.md serve/*.html serve/*.css
var FS embed.FS
