// Package report turns the result of a run into an HTML page per flaky test, an index,
// Markdown for an issue, and result.json for programs.
//
// # Use
//
// Fill a finding.Result and write it:
//
//	pages, err := report.WriteDir(ctx, ".fdebug/runs/1", result)
//
// That makes index.html and result.json. For each test that failed at least once
// it makes <package>.<Test>.html and the same in Markdown. [Markdown] and [JSON] make
// one part alone, and [ReadJSON] reads a result.json back.
//
// # What a page says
//
// All of it stands in package say, as templates of fixed words. The page has title and rate,
// the error, the cause, how it fails, values and other places, and under Details all else. A
// line of source has a mark if, and only if, it was reached: "=" in both, "+" next in passing
// runs, "-" next in failing runs. Only the first lines after the divergence are marked.
// Either side may run the same lines earlier or later.
//
// # What a page is
//
// It is one file that asks for nothing. Styles and script are inside, and its content
// security policy admits just these two, by hash. It can be read without script,
// without colour, in print, on a phone and by a screen reader. The same result
// gives the same bytes.
//
// Names, messages, output, source and notes come from code under test, and are taken
// to be hostile. Terminal escapes go, bidirectional controls become visible, and links
// in notes lead to http(s) only. Sizes are bounded, with a notice of what was cut. Home
// directories are shortened to "~".
//
// # How it is made
//
// A page, [Markdown] and [Terminal] render one view of the test (view.go). What was proved
// has one sentence, its bars, its mark and its fix by its kind (proof.go, setting.go, fix.go);
// what was not proved by the place that is ranked first (suspect.go). Listings are made before
// sentences, because only then is it known which lines can be linked to.
package report
