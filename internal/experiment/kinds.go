package experiment

import "slices"

// stepKinds are the kinds of perturbation that steps try, by their names. A step that is
// not listed is always made: it only goes on with what others have found. Those of draws
// try all three at once.
var stepKinds = map[string][]string{
	"tests before":          {"tests"},
	"other tests":           {"tests"},
	"what passes":           {"stall", "select", "map", "rand", "limits"},
	"facts":                 {"clock"},
	"seeds":                 {"select", "map", "rand"},
	"orders":                {"order"},
	"suggested":             {"stall"},
	"meetings":              {"order"},
	"pins":                  {"select", "map", "rand"},
	"more pins":             {"select", "map", "rand"},
	"hinted clock":          {"clock"},
	"clock":                 {"clock"},
	"calendar":              {"clock"},
	"late timers":           {"timer"},
	"collector":             {"gc"},
	"collections":           {"gc"},
	"reads":                 {"read"},
	"directories":           {"dir"},
	"hinted limits":         {"limits"},
	"limits":                {"limits"},
	"yields":                {"yield"},
	"priorities":            {"sched"},
	"random stalls":         {"yield"},
	"stalls before selects": {"stall"},
	"stalls":                {"stall"},
	"classes":               {"stall"},
	"later visits":          {"stall"},
	"pairs":                 {"stall"},
	"stalls with a seed":    {"stall"},
	"long stalls":           {"stall"},
}

// tries reports whether a step is to be made.
func (e *Experimenter) tries(step string) bool {
	kinds, listed := stepKinds[step]
	return !listed || e.does(kinds...)
}

// does reports whether any of some kinds of perturbation is to be tried.
func (e *Experimenter) does(kinds ...string) bool {
	return e.Kinds == nil || slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(e.Kinds, k) })
}
