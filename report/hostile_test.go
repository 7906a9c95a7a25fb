package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/browsertest"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

func sscanRGB(s string, c *[3]int) (int, error) {
	return fmt.Sscanf(s, "rgb(%d, %d, %d)", &c[0], &c[1], &c[2])
}

// evil is text that would run, load or hide something where it is not escaped.
const evil = `</script></style></title></textarea></pre><script>window.__pwned=1</script><img src=x onerror="window.__pwned=2">` +
	`"'onmouseover=window.__pwned=3 javascript:window.__pwned=4 {{.}} ${1} <svg onload=window.__pwned=5>` +
	"\u202egnp.exe\x1b]0;title\x07\x1b[31mred\x1b[0m\x00\xff <!-- ]]> `` @someone #1"

// hostile is a result in which every text is evil.
func hostile(t *testing.T) (*finding.Result, *finding.Test) {
	f := newFixture(t)
	path := `evil/<img src=x onerror=window.__pwned=6>"'.go`
	f.file(path, "package evil\n\n// "+strings.ReplaceAll(evil, "\n", " ")+"\nfunc Evil() string {\n\ts := `"+strings.ReplaceAll(evil, "`", "")+"`\n\tif s == \"</script><script>window.__pwned=7</script>\" {\n\t\treturn `<b onclick=x>`\n\t}\n\treturn \"\\u202e</code>\"\n}\n")
	fn := f.fn(path, evil, "func Evil")
	entry := f.block(fn, trace.BlockEntry, "if s ==")
	pass := f.block(fn, trace.BlockThen, "return `<b onclick=x>`")
	fail := f.block(fn, trace.BlockNext, `return "\u202e</code>"`)
	frame := trace.Frame{Func: evil, File: "/home/gopher/m/" + path, Line: 9}
	d := &divergence.Divergence{
		Goroutine: &trace.Goroutine{Entry: frame}, Class: []trace.Frame{frame, {File: evil, Line: 3}}, FailingRun: 1, PassingRun: 2, CommonPrefix: 1,
		Common: counted(entry), Path: []divergence.Call{{Func: fn, Block: entry}}, LastCommon: trace.Event(entry),
		PassNext: trace.Event(pass), FailNext: trace.Event(fail), Table: divergence.Table{FailTaken: 1, PassNot: 2}, P: 0.3,
	}
	test := &finding.Test{
		Package: "example.com/m/" + evil, Name: "TestX/" + evil, Runs: runs(3, finding.Failed, 1), Warnings: []string{evil},
		Failures: []*finding.Failure{{
			Signature: "TestX: " + evil, Message: evil, Output: evil, Dump: evil, Frame: frame, Runs: []int{1},
			Analysis: &divergence.Analysis{
				Chain: []*divergence.Divergence{d}, Warnings: []error{fmt.Errorf("%s", evil)},
			},
			Values:   []finding.Value{{Expr: evil, At: frame, Source: evil, Passing: []finding.Seen{{Text: evil, Runs: []int{2}}}, Failing: []finding.Seen{{Text: evil, Runs: []int{1}}}}},
			Hang:     hostileHang(frame),
			Suspects: []finding.Suspect{{Span: finding.Span{File: path, Start: 5, End: 5}, Rule: evil, Reason: hostileReason(frame)}},
			Data:     []finding.DataDivergence{{Kind: finding.DataValue, Expr: evil, At: frame, Source: evil, Operand: evil, Found: &divergence.DataDivergence{Rule: divergence.RuleEqual}, Passing: []finding.Seen{{Text: evil, Runs: []int{2}}}, Failing: []finding.Seen{{Text: "1", Runs: []int{1}}}}},
		}},
		Verdicts: []finding.Verdict{verdicttest.Verdict{
			Class: finding.Proved, Category: evil, Signature: "TestX: " + evil, Proof: proof.Proof{Version: proof.Version, Message: evil, Plan: verdicttest.Named("stall"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 1, Of: 1}, Cure: finding.Count{Of: 1}}}, Replay: evil, Started: frame,
			Window: []finding.Span{{File: path, Start: 5}}, Cure: []finding.Span{{File: evil, Start: 1}},
		}.Make()},
	}
	locks := hostileReason(frame).(verdicttest.Reason) // has a picture
	locks.Claims.Deadlock = true
	test.Failures = append(test.Failures, &finding.Failure{Signature: "TestX: locks", Message: evil, Frame: frame, Runs: []int{1},
		Hang: hostileHang(frame), Suspects: []finding.Suspect{{Span: finding.Span{File: path, Start: 9, End: 9}, Rule: evil, Reason: locks,
			Evidence: finding.Evidence{Class: finding.Mechanism, Link: finding.Decides}}}})
	r := f.result(test)
	r.Command, r.Go, r.Module, r.Platform, r.Version = []string{"fdebug", evil}, evil, "example.com/m", evil, evil
	r.Warnings = []string{evil}
	r.Notes = evil + "\n\n[a](javascript:window.__pwned=8) ![b](http://127.0.0.1:1/x.png) ![](data:text/html,x) [c](//127.0.0.1/x) " +
		"<javascript:window.__pwned=9> <http://127.0.0.1:1/> http://127.0.0.1:1/auto [d](data:text/html,x) ![e][r]\n\n[r]: javascript:alert(1)\n"
	return r, test
}

// hostileReason says what it can with nothing but evil texts.
func hostileReason(at trace.Frame) finding.Reason {
	return verdicttest.Reason{Label: say.WhyHolds, Claims: finding.Claim{Other: at}, Say: func(s *finding.Suspect, c finding.Coder) finding.Words {
		return finding.Words{
			Cause: []say.Sentence{say.Leaves.With(c.Name(evil), c.Named(evil, s.Span))}, Mark: say.MarkHolds.With(c.Name(evil)),
			Other: []finding.MarkedPlace{{At: at, Mark: say.MarkHolds.With(c.Name(evil))}}, Fix: []say.Sentence{say.FixLockOrder.With(c.Name(evil), c.Name(evil))},
		}
	}}
}

// hostileHang is a hang with nothing but evil texts.
func hostileHang(at trace.Frame) *finding.Hang {
	by, held := finding.Actor{Started: at}, []finding.HeldLock{{Lock: evil, At: at}}
	w := finding.Wait{By: by, At: at, Reason: evil, For: evil, Since: 1, Holds: held, Past: 1}
	benign := w
	benign.Benign, benign.By = true, finding.Actor{Started: trace.Frame{Func: evil}}
	return &finding.Hang{Kind: finding.HangTimeout, Run: 1, Failing: 1, Passing: 2, Waits: []finding.Wait{w, w, benign}, LockOrder: []int{0, 1}, FailNow: at}
}

// TestHostile opens pages in which everything is hostile, and clicks on all of
// it: nothing runs, nothing is asked for.
func TestHostile(t *testing.T) {
	b := browsers.Open(t)
	r, test := hostile(t)
	var index bytes.Buffer
	if err := newViewer(r).index(&index); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string][]byte{"hostile.html": pageOf(t, r, test), "index.html": index.Bytes()} {
		b.Look("light", 1280, 900)
		b.Show(name, page)
		browsertest.Eval[int](b, `(function () {
			document.querySelectorAll("details").forEach(function (d) { d.open = true; });
			document.querySelectorAll("*").forEach(function (e) { ["mouseover", "focus", "error", "load"].forEach(function (x) { e.dispatchEvent(new Event(x)); }); });
			document.querySelectorAll("button").forEach(function (b) { b.click(); });
			return 0;
		})()`)
		if got := browsertest.Eval[string](b, `String(window.__pwned)`); got != "undefined" {
			t.Errorf("%s: code number %s ran", name, got)
		}
		if n := browsertest.Eval[int](b, `document.querySelectorAll("img, iframe, object, embed, link, audio, video, base, script:not(:last-of-type), [onclick], [onerror], [onload], [onmouseover], [style]").length`); n > 0 {
			t.Errorf("%s: %d elements that ought not to be there", name, n)
		}
		bad := browsertest.Eval[[]string](b, `Array.from(document.querySelectorAll("a[href]")).map(function (a) { return a.getAttribute("href"); }).filter(function (h) { return !/^(#|https?:\/\/|[\w.%-]+\.html(#run-\d+)?$)/.test(h); })`)
		if len(bad) > 0 {
			t.Errorf("%s: links %q", name, bad)
		}
		if text := browsertest.Eval[string](b, `document.body.innerText`); strings.ContainsAny(text, "\u202e\x1b\x00\x07") {
			t.Errorf("%s: control characters are left", name)
		}
	}
	b.Quiet()
}

// TestHostileFiles writes them: names are safe, and all parts are valid.
func TestHostileFiles(t *testing.T) {
	r, test := hostile(t)
	dir := t.TempDir()
	files := written(t, dir, r)
	if len(files) != 4 {
		t.Errorf("%d files, want 4", len(files))
	}
	for _, file := range files {
		if filepath.Dir(file) != dir || strings.ContainsAny(filepath.Base(file), `<>:"|?*\/ `) {
			t.Errorf("file name %q", file)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := ReadJSON(bytes.NewReader(data)); err != nil || len(d.Tests) != 1 {
		t.Errorf("result.json: %v, %v", d, err)
	}
	var md bytes.Buffer
	if err := Markdown(&md, r, test); err != nil {
		t.Fatal(err)
	}
	// Outside of code there is no markup but our own, no mention and no escape.
	if out := outsideCode(md.String()); strings.Contains(strings.ReplaceAll(out, `\<`, ""), "<script") || strings.Contains(out, "@someone") {
		t.Errorf("markup in Markdown:\n%s", out)
	}
	if strings.ContainsAny(md.String(), "\x1b\x00\x07\u202e") {
		t.Error("control characters in Markdown")
	}
}

// outsideCode drops code blocks and code spans.
func outsideCode(md string) string {
	var b strings.Builder
	for fence, lines := "", strings.Split(md, "\n"); len(lines) > 0; lines = lines[1:] {
		l := lines[0]
		switch ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]; {
		case fence != "" && l == fence:
			fence = ""
		case fence != "":
		case len(ticks) >= 3 && !strings.Contains(l[len(ticks):], "`"):
			fence = ticks
		default:
			b.WriteString(dropSpans(l) + "\n")
		}
	}
	return b.String()
}

func dropSpans(l string) string {
	out := ""
	for {
		i := strings.IndexByte(l, '`')
		for i > 0 && l[i-1] == '\\' {
			j := strings.IndexByte(l[i+1:], '`')
			if j < 0 {
				return out + l
			}
			i += 1 + j
		}
		if i < 0 {
			return out + l
		}
		out += l[:i]
		n := len(l[i:]) - len(strings.TrimLeft(l[i:], "`"))
		j := strings.Index(l[i+n:], l[i:i+n])
		if j < 0 {
			return out + l[i:]
		}
		l = l[i+n+j+n:]
	}
}

// TestBounds renders a result that is far too large in every way.
func TestBounds(t *testing.T) {
	times := 1
	if !testing.Short() {
		times = 8
	}
	f := newFixture(t)
	var src strings.Builder
	src.WriteString("package big\n")
	for i := range 400 {
		fmt.Fprintf(&src, "func F%d() {\n%s}\n", i, strings.Repeat("\tcall(\"<some rather long line of code with & in it>\", 12345, nil, true)\n", 120))
	}
	f.file("big/big.go", src.String())
	var common []divergence.Count
	for i := range 400 {
		fn := len(f.sites.Funcs)
		line := 2 + i*122
		f.sites.Funcs = append(f.sites.Funcs, trace.Func{File: len(f.sites.Files) - 1, Name: fmt.Sprintf("F%d", i), Line: line, End: line + 121})
		f.sites.Blocks = append(f.sites.Blocks, trace.Block{Func: fn, StartLine: line + 1, StartCol: 2, EndLine: line + 120, EndCol: 60})
		common = append(common, divergence.Count{Block: len(f.sites.Blocks) - 1, N: 3})
	}
	n := len(f.sites.Blocks) - 1
	test := &finding.Test{Package: "example.com/m/big", Name: "TestBig", Runs: runs(20000, finding.Failed, 1, 2, 3)}
	test.Failures = []*finding.Failure{{
		Message: strings.Repeat("<message & more>\n", 1<<16), Output: strings.Repeat("\x1b[31m<output & more>\x1b[0m\n", times*(100<<17)/26), Dump: strings.Repeat("goroutine <1>\n", times<<17), Runs: []int{1, 2, 3},
		Analysis: &divergence.Analysis{
			Chain: []*divergence.Divergence{{Goroutine: &trace.Goroutine{}, Common: common, Path: []divergence.Call{{Func: f.sites.Blocks[n].Func, Block: n}},
				LastCommon: trace.Event(n - 1), PassNext: trace.Event(n), FailNext: 0, Table: divergence.Table{FailTaken: 3, PassNot: 19997}}},
		},
	}}
	start := time.Now()
	page := pageOf(t, f.result(test), test)
	t.Logf("page of %d bytes in %v", len(page), time.Since(start))
	for _, want := range []string{"left out here", "Too large"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say that something was cut (%q)", want)
		}
	}
	var md bytes.Buffer
	if err := Markdown(&md, f.result(test), test); err != nil {
		t.Fatal(err)
	}
	if md.Len() > maxMarkdown {
		t.Errorf("Markdown of %d bytes", md.Len())
	}
	if !strings.Contains(md.String(), "Too large") {
		t.Error("the Markdown does not say that it was cut")
	}
}

// TestManyFailures has more ways to fail and more tests than pages can hold.
func TestManyFailures(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	failure := *test.Failures[0]
	lines, tests := 1<<16, 3000
	if testing.Short() {
		lines, tests = 1<<12, 1500
	}
	failure.Output, failure.Dump = strings.Repeat("<output & more>\n", lines), strings.Repeat("goroutine <1>\n", lines)
	test.Verdicts[0].Proof.Signature.Message = "of none that is shown" // its runs would be more than there are
	test.Failures = nil
	for range 300 {
		test.Failures = append(test.Failures, &failure)
	}
	page := pageOf(t, f.result(test), test)
	t.Logf("page of %d bytes", len(page))
	if !bytes.Contains(page, []byte("280 more failures left out")) {
		t.Error("the page does not say that ways to fail were left out")
	}
	r := f.result(test)
	for other, i := f.rng(), 0; i < tests; i++ {
		r.Tests = append(r.Tests, other)
	}
	var index bytes.Buffer
	if err := newViewer(r).index(&index); err != nil {
		t.Fatal(err)
	}
	t.Logf("index of %d bytes", index.Len())
}

// TestSlim makes a page that is too big in a part that has no bound of its own.
func TestSlim(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	v := newViewer(f.result(test))
	x := v.test(test)
	x.Failures[0].Output = strings.Repeat("x", maxPage)
	var b bytes.Buffer
	if err := v.page(&b, x); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("Too large")) {
		t.Error("the page does not say that it was cut")
	}
}

// TestSize is the size of an ordinary page.
func TestSize(t *testing.T) {
	for name, page := range allPages(t) {
		if len(page) > 300<<10 {
			t.Errorf("%s has %d bytes", name, len(page))
		}
	}
}

// Values in a sentence are never markup, and a place is a link only where its line is on the page.
func TestWords(t *testing.T) {
	s := say.Order.With(say.CanFail, say.Code{Text: "<b>`x`|", Place: "a.go:1", Href: "#a"}, say.Code{Place: "b.go:2"}).Likely()
	want := "Likely: Can fail when <code>&lt;b&gt;`x`|</code> (" +
		`<a class="place" href="#a">a.go:1</a>) runs before <span class="place">b.go:2</span>.`
	if got := string(words(s)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHostileJSON has the secret of an environment, an escape and a home directory in all texts of result.json: none is left
// but in the names of the test and its package.
func TestHostileJSON(t *testing.T) {
	r, _ := hostile(t)
	r.Environ = []string{"DEPLOY_TOKEN=window.__pwned"}
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	texts := 0
	var look func(field string, x any)
	look = func(field string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for k, v := range x {
				look(k, v)
			}
		case []any:
			for _, v := range x {
				look(field, v)
			}
		case string:
			texts++
			if field != "test" && field != "package" && strings.Contains(x, "window.__pwned") {
				t.Errorf("a secret in %s: %q", field, x)
			}
			if slices.Contains([]string{"message", "value", "expr", "signature", "code", "for"}, field) && strings.ContainsAny(x, "\x1b\x00\x07\u202e") {
				t.Errorf("an escape in %s: %q", field, x)
			}
			if field == "file" && strings.HasPrefix(x, "/home/gopher/m/") {
				t.Errorf("a file of the module has its directory: %q", x)
			}
		}
	}
	look("", doc)
	if texts < 50 {
		t.Errorf("only %d texts", texts)
	}
}
