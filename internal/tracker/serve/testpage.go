package serve

import (
	"net/http"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// maxSignatures and maxVerdicts are how many a page lists.
const (
	maxSignatures = 25
	maxVerdicts   = 25
	maxReports    = 40
)

// A testPage is the data of the page of one test.
type testPage struct {
	shell
	row
	Sentences  []string
	Chart      *chart
	Signatures []signature
	Verdicts   []verdict // the newest first
	Notes      []history.Note
	Failures   []failure
	Reports    []choice // the newest first
	Runs       int      // of the test
	// MoreSignatures and so on are how many are not listed.
	MoreSignatures, MoreVerdicts, MoreReports int
}

// A signature is one way to fail, with its score.
type signature struct {
	Message  string
	Failures int
	Rate     string
	Interval string
	Last     time.Time
	Gone     bool // it is no longer seen, for long enough
}

func (s *Server) testPage(w http.ResponseWriter, r *http.Request, snap *snapshot) {
	v := r.URL.Query()
	key := testKey{v.Get("pkg"), v.Get("name")}
	i, ok := snap.at[key]
	if !ok {
		s.notFound(w, "The history has no failure of such a test.")
		return
	}
	x := &snap.list[i]
	verdicts := snap.verdicts[key]
	p := testPage{
		shell: s.shell(titleOf(x.Name)+" (fdebug)", "", snap), row: snap.rows[i], Sentences: snap.tally.Sentences(x),
		Chart: snap.chart(x, verdicts), Failures: snap.failuresOf(x), Notes: x.Notes, Runs: x.Score.Runs,
	}
	p.Reports, p.MoreReports = choices(snap.reports.of[key])
	p.Verdicts = slices.Clone(verdicts)
	slices.Reverse(p.Verdicts)
	p.Verdicts, p.MoreVerdicts = cut(p.Verdicts, maxVerdicts)
	var signs []*history.Signature
	signs, p.MoreSignatures = cut(x.Signatures, maxSignatures)
	for _, sign := range signs {
		sub := snap.tally.ScoreOf(x.Test, sign)
		p.Signatures = append(p.Signatures, signature{
			history.OneLine(sign.Message, sign.Text), sign.Failures, history.Rate(&sub), history.Interval(&sub),
			history.FromMinute(sub.Last), sub.Gone.Yes,
		})
	}
	s.render(w, http.StatusOK, "test.html", p)
}

// A choice is a report that may be one of two to be compared. The newest two are chosen
// at first, the newest as B.
type choice struct {
	*reported
	Side string // "A", "B" or ""
}

func choices(list []*reported) (out []choice, more int) {
	list, more = cut(list, maxReports)
	for i, t := range list {
		c := choice{reported: t}
		if i < 2 {
			c.Side = "BA"[i : i+1]
		}
		out = append(out, c)
	}
	return out, more
}

// cut returns the first n of a list, and how many more there are.
func cut[T any](list []T, n int) ([]T, int) {
	if len(list) <= n {
		return list, 0
	}
	return list[:n], len(list) - n
}
