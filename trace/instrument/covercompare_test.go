package instrument

import (
	"testing"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/internal/lab/covercheck"
	"github.com/fdebug/fdebug/trace"
)

// A coverComparison compares statement by statement.
type coverComparison struct {
	matcher          *covercheck.Matcher
	hit              []bool // by block
	agree, undecided int
}

// A place is a line and a column in bytes.
type place struct{ line, col int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

// file compares the statements of one file. Package covercheck decides for which ones cover can
// tell the truth.
func (c *coverComparison) file(t *testing.T, prof *cover.Profile) {
	statements, err := c.matcher.File(prof)
	if err != nil {
		t.Fatal(err)
	}
	if len(statements) == 0 {
		t.Logf("%s is not instrumented", prof.FileName)
	}
	for _, s := range statements {
		covered := prof.Blocks[s.Cover].Count > 0
		switch {
		case s.Block == 0:
			t.Errorf("%s: no block of ours", s.Pos)
		case covered == c.hit[s.Block]:
			c.agree++
		case !s.Decides(covered):
			c.undecided++
		default:
			t.Errorf("%s: run according to cover: %v, according to the trace: %v", s.Pos, covered, c.hit[s.Block])
		}
	}
}

// siteBlock returns the innermost block of a file around p, or 0 if there is none.
func siteBlock(sites *trace.Sites, file int, p place) int {
	found := 0
	for i := 1; i < len(sites.Blocks); i++ {
		b := &sites.Blocks[i]
		start, end := place{b.StartLine, b.StartCol}, place{b.EndLine, b.EndCol}
		if sites.FileOf(i) != file || p.before(start) || !p.before(end) {
			continue
		}
		if found == 0 || !start.before(place{sites.Blocks[found].StartLine, sites.Blocks[found].StartCol}) {
			found = i
		}
	}
	return found
}
