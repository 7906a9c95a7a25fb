package diagnose

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// maxSuspects is the largest number of hypotheses that Rank returns.
const maxSuspects = 5

// An Input has the facts about one failure of a test.
type Input struct {
	Test    *finding.Test
	Failure *finding.Failure
	Sites   *trace.Sites
	Source  *source.Index
	Without []string // names of rules to leave out
}

// A Rule looks for one kind of cause.
type Rule struct {
	Name string
	Doc  string // one paragraph: its aim, its evidence, its errors
	find func(*scene) []finding.Suspect
}

// Rules returns all rules, those with the strongest evidence first.
func Rules() []Rule {
	return []Rule{
		experimentRule, raceRule, hangRule, outlivesRule, testsRule, drawRule,
		factRule, concurrentRule, divergenceRule, checkRule,
	}
}

// Find returns the hypotheses of all rules, ranked.
func Find(in Input) []finding.Suspect {
	s := newScene(in)
	var list []finding.Suspect
	for _, r := range Rules() {
		if slices.Contains(in.Without, r.Name) {
			continue
		}
		for _, h := range r.find(s) {
			if h.File != "" && h.Start > 0 {
				h.Rule = r.Name
				list = append(list, h)
			}
		}
	}
	return rank(list)
}

// rank orders hypotheses by their evidence, and where that is equal by the order of
// the rules. One that another explains comes after that. Of two on the same lines, it keeps the better.
func rank(list []finding.Suspect) []finding.Suspect {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b finding.Suspect) int {
		return cmp.Or(cmp.Compare(standing(&b), standing(&a)), a.Evidence.Compare(b.Evidence))
	})
	var kept []finding.Suspect
	for _, h := range list {
		if !slices.ContainsFunc(kept, func(o finding.Suspect) bool { return onSameLines(o, h) }) {
			kept = append(kept, h)
		}
	}
	out := behindExplainers(kept)
	return out[:min(len(out), maxSuspects)]
}

// behindExplainers moves hypotheses behind the last one with evidence as good that
// explains them.
func behindExplainers(list []finding.Suspect) []finding.Suspect {
	out := slices.Clone(list)
	for _, h := range list {
		from := slices.IndexFunc(out, func(o finding.Suspect) bool { return o.Meets(h.Span) && o.Rule == h.Rule })
		for i := len(out) - 1; i > from; i-- {
			if explains(out[i], h) {
				out = slices.Insert(out, i+1, h)
				out = slices.Delete(out, from, from+1)
				break
			}
		}
	}
	return out
}

// explains reports whether a hypothesis accounts for another, with evidence of no
// worse a class.
func explains(o, h finding.Suspect) bool {
	return o.Class >= h.Class && slices.ContainsFunc(o.Explains, func(f trace.Frame) bool {
		return h.Meets(line(f)) && !o.Meets(line(f))
	})
}

// onSameLines reports whether a hypothesis is on lines of a better one: a check that failed has the line of its
// condition, too.
func onSameLines(better, h finding.Suspect) bool {
	return better.Meets(h.Span) || is(h, whyCheck) && better.Meets(line(h.Reason.Claim().Other))
}

// is reports whether a hypothesis has a plain reason of a kind.
func is(h finding.Suspect, k kind) bool {
	r, ok := h.Reason.(reason)
	return ok && r.kind == k
}
