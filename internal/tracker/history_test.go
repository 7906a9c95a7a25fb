package tracker

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	renderer "github.com/yuin/goldmark/renderer/html"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/score"
)

// historyOf makes a job for a history of tests with these names. Each test fails in every fourth
// of 40 runs.
func historyOf(names ...string) *History {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	minute := int32(at.Unix() / 60)
	t := &history.Tally{Commits: []history.Commit{{Hash: strings.Repeat("0123", 10)}}, Oldest: at, Newest: at.Add(40 * time.Minute), Sessions: 1, Runs: 40}
	for _, name := range names {
		x := &history.Test{Package: "example.com/m", Name: name, Weekly: 40}
		for i := range int32(40) {
			p := score.Point{Minute: minute + i, Runs: 1}
			if i%4 == 0 {
				p.Failed = 1
			}
			x.Points = append(x.Points, p)
		}
		x.Signatures = []*history.Signature{{Text: name, Message: strings.Repeat(name+" ", 100), Failures: 10}}
		t.Tests = append(t.Tests, x)
	}
	j := &History{Keeper: &Keeper{Console: &session.Console{Stdout: new(bytes.Buffer)}}, tally: t, Now: at.Add(time.Hour), For: 24 * time.Hour}
	j.list = t.Rank()
	return j
}

// The body of an issue is never too long, and all tests are in it or counted.
func TestIssueBody(t *testing.T) {
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf("TestNumber%d/%s", i, strings.Repeat("é`|", i%80)))
	}
	for _, n := range []int{0, 1, 30, 3000} {
		j := historyOf(names[:n]...)
		for _, limit := range []int{maxIssue, 5000} {
			body := j.issueBody(limit)
			if len(body) > limit {
				t.Errorf("%d tests: %d bytes, want at most %d", n, len(body), limit)
			}
			rows := strings.Count(body, "\n| `")
			var more int
			if _, rest, ok := strings.Cut(body, "\nAnd "); ok {
				fmt.Sscan(rest, &more)
			}
			if rows+more != n {
				t.Errorf("%d tests: %d rows and %d more", n, rows, more)
			}
		}
	}
}

// Names of tests may contain anything: none becomes a link, a mention or markup.
func TestIssueHostile(t *testing.T) {
	hostile := []string{"TestX/@everyone", "TestX/</summary><script>alert(1)</script>", "TestX/[a](javascript:x)", "TestX/``` `` `", "TestX/\n# head\n", "TestX/|a|b"}
	body := historyOf(hostile...).issueBody(maxIssue)
	var html bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(renderer.WithUnsafe()))
	if err := md.Convert([]byte(body), &html); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<a ", "<h1"} {
		if strings.Contains(html.String(), bad) {
			t.Errorf("%s in\n%s", bad, html.String())
		}
	}
	if n := strings.Count(html.String(), "<tr>"); n != len(hostile)+1 {
		t.Errorf("%d rows, want %d", n, len(hostile)+1)
	}
	for line := range strings.Lines(body) {
		if before, _, ok := strings.Cut(line, "@everyone"); ok && strings.Count(before, "`")%2 == 0 {
			t.Errorf("a mention: %s", line)
		}
	}
}

// Tests below the limit, and those that have not failed for long, are not skipped.
func TestQuarantine(t *testing.T) {
	j := historyOf("TestB", "TestA/it's")
	list := j.quarantines()
	if len(list) != 1 || list[0].Skip != "^TestA$/^it's$|^TestB$" {
		t.Errorf("%+v", list)
	}
	j.Now = j.Now.Add(24 * time.Hour)
	if list := j.quarantines(); len(list) != 0 {
		t.Errorf("a day later: %+v", list)
	}
	j = historyOf("TestB")
	j.list[0].Score.Rate = 0.009
	if list := j.quarantines(); len(list) != 0 {
		t.Errorf("below the limit: %+v", list)
	}
}

// As many tests are taken as there is time for, and at least one.
func TestAffordable(t *testing.T) {
	list := historyOf("TestA", "TestB", "TestC").list
	for i := range list {
		list[i].Slowest = time.Second
	}
	for budget, want := range map[time.Duration]int{time.Second: 1, 120 * time.Second: 1, 220 * time.Second: 2, time.Hour: 3} {
		j := &session.Session{Config: session.Config{N: 45, Plain: 5}} // 15 s for the package, 100 s for each test
		j.Budget.Whole = budget
		if got := affordable(j, list); got != want {
			t.Errorf("%v: %d tests, want %d", budget, got, want)
		}
	}
}
