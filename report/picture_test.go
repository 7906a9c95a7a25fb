package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/browsertest"
	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
)

// ordered is a test that looks at the queue (line 44) before its worker is done (line 37).
func (f *fixture) ordered() *finding.Test {
	t := f.queue()
	t.Name, t.Plain, t.PlainFailure, t.Failures[0].Analysis = "TestOrder", nil, nil, nil
	t.Verdicts = []finding.Verdict{orderVerdict().Make()}
	return t
}

func orderVerdict() verdicttest.Verdict {
	d := provedBy(verdicttest.Named("order"))
	d.Signature = "TestDrain queue_test.go:15 Drain() = queue: not drained in time"
	d.Window = []finding.Span{line(44), line(37)}
	d.Events = []finding.Hold{{}, {Started: queueGo(22)}}
	return d
}

// TestPictures draws laws as text. On a page a line can be linked to once.
func TestPictures(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		name string
		with func(*verdicttest.Verdict)
	}{
		{"order", nil},
		{"between", func(d *verdicttest.Verdict) {
			d.Proof.Law = proof.Law{Kind: proof.LawBetween, After: &proof.Place{Shown: line(34)}}
		}},
		{"two of one kind at one line", func(d *verdicttest.Verdict) {
			d.Window[0] = line(37)
			d.Events = []finding.Hold{{Started: queueGo(22), Nth: 2}, {Started: queueGo(22), Nth: 1}}
		}},
		{"without source, and of goroutines that are not known", func(d *verdicttest.Verdict) {
			d.Window[0].File, d.Events = "gone.go", nil
		}},
	} {
		d := orderVerdict()
		if c.with != nil {
			c.with(&d)
		}
		f := newFixture(t)
		test := f.queue()
		v := newViewer(f.result(test))
		v.of(test)
		p := v.picture(d.New())
		b.WriteString("-- " + c.name + " --\n" + p.Text())
		var ids []string
		for _, s := range slices.Concat(p.Sides[0].Steps, p.Sides[1].Steps) {
			if s.ID != "" {
				ids = append(ids, s.ID)
			}
		}
		if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) || len(ids) == 0 {
			t.Errorf("%s: ids %q", c.name, ids)
		}
	}
	f := newFixture(t)
	test := f.circle()
	c := newViewer(f.result(test)).test(test).Failures[0]
	b.WriteString("-- a circle of locks --\n" + c.Cause.Picture.Text())
	if len(c.Others) > 0 {
		t.Errorf("of a circle also %v", c.Others)
	}
	golden.File(t, "testdata/golden/pictures.txt", b.String())
}

// circle is a test in which two workers hold a lock each (line 34) and wait for that of the other (line 35).
func (f *fixture) circle() *finding.Test {
	t := f.hang()
	t.Failures = t.Failures[:1]
	x := t.Failures[0]
	w := finding.Wait{By: finding.Actor{Started: queueGo(22)}, At: queueGo(35), Failing: 2,
		Holds: []finding.HeldLock{{Lock: "from.mu", At: queueGo(34)}}}
	x.Hang = &finding.Hang{Kind: finding.HangTimeout, Failing: 2, Waits: []finding.Wait{w, w}, LockOrder: []int{0, 1}}
	locks := verdicttest.Reason{Claims: finding.Claim{Deadlock: true}, Say: func(*finding.Suspect, finding.Coder) finding.Words {
		return finding.Words{Cause: []say.Sentence{say.Locks.With()}}
	}}
	for _, n := range []int{35, 34} {
		x.Suspects = append(x.Suspects, finding.Suspect{Span: line(n), Reason: locks,
			Evidence: finding.Evidence{Class: finding.Mechanism, Link: finding.Decides}})
	}
	return t
}

// Two goroutines that nothing tells apart have no picture.
func TestNoPicture(t *testing.T) {
	d := orderVerdict()
	d.Window[0], d.Events = d.Window[1], nil
	v := newViewer(newFixture(t).result())
	v.of(&finding.Test{})
	if p := v.picture(d.New()); p != nil {
		t.Errorf("got\n%s", p.Text())
	}
}

// TestPictureRead reads the picture as somebody does who sees no colour and no columns: the steps of either outcome in
// their order, each with its place.
func TestPictureRead(t *testing.T) {
	f := newFixture(t)
	test := f.ordered()
	_, page, _ := bytes.Cut(pageOf(t, f.result(test), test), []byte(`<div class="picture">`))
	page, _, _ = bytes.Cut(page, []byte("</div>\n<table class=\"bars\">"))
	got := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(page), " ")), " ")
	const want = "✓ passing runs Step go q.work() ( queue.go:22 ) TestOrder " +
		"1 q.done. Store ( true ) queue.go:37 (*Queue).work 2 if q.done. Load () { queue.go:44 (*Queue).Drain " +
		"✗ failing runs Step go q.work() ( queue.go:22 ) TestOrder " +
		"1 if q.done. Load () { queue.go:44 (*Queue).Drain comes too early 2 q.done. Store ( true ) queue.go:37 (*Queue).work"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPictureSeen looks at the picture in a browser: passing beside failing runs on a desktop and above them on a phone,
// each step below the one before and in the column of its goroutine.
func TestPictureSeen(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.ordered()
	b.Show("picture.html", pageOf(t, f.result(test), test))
	for width, want := range map[int64]string{1280: "beside", 360: "below"} {
		b.Look("light", width, 900)
		got := browsertest.Eval[string](b, `(() => {
			const at = e => e.getBoundingClientRect();
			const [pass, fail] = document.querySelectorAll(".picture table");
			for (const table of [pass, fail]) {
				const [one, two] = table.querySelectorAll(".step");
				if (at(two).top < at(one).bottom) { return "step 2 is not below step 1"; }
				if (at(one).left < at(two).left !== (table === pass)) { return "a step is in the wrong column"; }
			}
			return at(fail).left >= at(pass).right && at(fail).top === at(pass).top ? "beside" :
				at(fail).top >= at(pass).bottom ? "below" : "neither";
		})()`)
		if got != want {
			t.Errorf("at %d: %s, want %s", width, got, want)
		}
	}
	b.Quiet()
}
