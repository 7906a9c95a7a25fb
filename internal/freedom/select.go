package freedom

import (
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var selectFreedom = Freedom{
	Name:     "select",
	Varies:   "Which of several ready cases a select takes.",
	Legal:    `"If one or more of the communications can proceed, a single one that can proceed is chosen via a uniform pseudo-random selection."`,
	Source:   spec + "Select_statements",
	Sites:    "blocks that draw",
	Category: "concurrency",
	Where:    ByDraws,
	Propose:  []*Proposer{&seeds},
	Verbs:    seedVerbs,
	observe:  observeChoices,
	Choice: say.Choice{
		Why: say.WhyChoice, With: say.BarThis, Cure: say.BarAnother, Mark: say.MarkChoice,
		Cause: func(does say.Verb, at say.Chosen) say.Sentence {
			if at.Taken.Place == "" {
				return say.SelectSome.With(does, at.At)
			}
			return say.Select.With(does, at.Taken)
		},
		Fix: func(at say.Chosen) []say.Sentence { return []say.Sentence{say.FixSelect.With(at.At)} },
	},
}

const (
	maxSelects = 8 // visits of a select that are looked at, from its first and from its last one
	maxCases   = 4 // that are compared with each other
)

// cases returns which of two cases a select looks at first: it takes the first that is ready.
func (q *sequence) cases(r *Runs) (list []fact.Observation) {
	n := q.visit
	if n < 1 || n > 8 {
		return nil
	}
	place := Place{Site: Site{Block: q.block, G: Goroutine{ID: q.id}}, Span: q.statement(r)}
	for visit := range maxSelects {
		for _, last := range []bool{false, true} {
			for a := range min(maxCases, n+1) {
				for b := a + 1; b < min(maxCases, n+1); b++ {
					s := Seen{Measure: CaseFirst, At: []Place{place}}
					list = append(list, q.observe(r, s, fact.Bit, float64(visit)+100*bit(last),
						func(numbers []uint64) float64 {
							at := visit * n
							if last {
								at = len(numbers) - (visit+1)*n
							}
							if at < 0 || at+n > len(numbers) || len(numbers)%n != 0 {
								return nan
							}
							return bit(looksFirst(numbers[at:at+n], a, b))
						}))
				}
			}
		}
	}
	return list
}

// looksFirst reports whether a select looks at case a before case b, as the runtime shuffles them.
func looksFirst(numbers []uint64, a, b int) bool {
	order := []int{0}
	for i, x := range numbers {
		n := i + 1
		j := int(uint32(x % uint64(n+1)))
		order = append(order, 0)
		order[n] = order[j]
		order[j] = n
	}
	for _, c := range order {
		if c == a || c == b {
			return c == a
		}
	}
	return false
}

// statement returns the lines of the select after a block, with its cases.
func (q *sequence) statement(r *Runs) trace.Span {
	span, _ := r.Sites.Pos(q.block)
	fn := r.Sites.Blocks[q.block].Func
	for b := q.block + 1; b < len(r.Sites.Blocks) && r.Sites.Blocks[b].Func == fn; b++ {
		x := r.Sites.Blocks[b]
		if x.Kind != trace.BlockComm || x.StartLine < span.Start {
			continue
		}
		if x.StartLine-span.End > maxGap {
			break
		}
		span.End = x.StartLine
	}
	return span
}

const maxGap = 12 // lines of one case of a select
