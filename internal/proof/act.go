package proof

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// An Act is one thing that is done to a run, at a place that can be found again. Its dose is the shortest that suffices
// of a hold and of a timer that is late, which is done in a multiple of it; of an order the limit.
type Act = freedom.Act[*Place]

// Acts are what is done to one run.
type Acts []Act

// A filed is an act in a replay file.
type filed struct {
	Kind  string         `json:"kind"` // "stall", "order", "map"
	What  freedom.Aspect `json:"what,omitempty"`
	At    *Place         `json:"at,omitempty"` // nil for anywhere
	Until *Place         `json:"until,omitempty"`
	Seed  uint64         `json:"seed,string,omitempty"`
	Value int64          `json:"value,omitempty"`
	Unit  int64          `json:"unit,omitempty"`
	Text  string         `json:"text,omitempty"`
	Dose  time.Duration  `json:"dose_ns,omitempty"`
}

// MarshalJSON writes acts as replay files have them.
func (l Acts) MarshalJSON() ([]byte, error) {
	list := []filed{}
	for _, a := range l {
		list = append(list, filed{a.Kind.String(), a.What, a.At, a.Until, a.Seed, a.Value, a.Unit, a.Text, a.Dose})
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads them. A kind that there is no more is an error.
func (l *Acts) UnmarshalJSON(data []byte) error {
	var list []filed
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, f := range list {
		a := Act{Kind: freedom.Of(f.Kind).Act(), What: f.What, At: f.At, Until: f.Until, Seed: f.Seed, Value: f.Value,
			Unit: f.Unit, Text: f.Text, Dose: f.Dose}
		if a.Kind == 0 {
			return kindError(f.Kind)
		}
		if a.At != nil && a.At.Goroutine != nil {
			a.First = a.At.Goroutine.First || a.Collects() && a.At.Goroutine.ID == 0
		}
		*l = append(*l, a)
	}
	return nil
}

// A kindError is a kind that nothing that is done is of.
type kindError string

func (e kindError) Error() string {
	if freedom.Gone(string(e)) {
		return `"` + string(e) + `" is no longer a kind of perturbation`
	}
	return `nothing that is done is of kind "` + string(e) + `"`
}

// places returns where an act is done.
func places(a Act) (list []*Place) {
	for _, p := range []*Place{a.At, a.Until} {
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// valid reports whether an act can be in a file that fdebug has written.
func valid(a Act) bool {
	switch {
	case a.Holds():
		return a.At != nil && a.At.held() && len(a.At.Goroutine.Chain) > 0 && a.Dose > 0
	case a.Orders():
		return a.At != nil && a.Until != nil && a.At.held() && !a.At.End && a.Until.held() && a.Dose > 0
	case a.Collects():
		return a.At.collects()
	case a.Sets() && a.What == 0:
		return false
	case a.Chooses(), a.Sets():
		return a.At == nil || a.At.draws()
	}
	return false
}

// Of returns the acts that something is true of.
func (l Acts) Of(is func(Act) bool) Acts { return freedom.Those(l, is) }

// Does reports whether there is an act that something is true of.
func (l Acts) Does(is func(Act) bool) bool { return l.First(is) != nil }

// First returns the first act that something is true of, nil if there is none.
func (l Acts) First(is func(Act) bool) *Act {
	for i := range l {
		if is(l[i]) {
			return &l[i]
		}
	}
	return nil
}

// Kind returns the names of the kinds of acts, joined by "+".
func (l Acts) Kind() string { return strings.Join(freedom.Kinds(l), "+") }

// Set returns the acts that set the system around the program, and those that collect garbage.
func (l Acts) Set() Acts {
	return l.Of(func(a Act) bool { return a.Sets() && a.What != 0 || a.Collects() })
}

// choose reports whether a kind is one of choices.
func choose(kind string) bool { return freedom.Draws(trace.KindOf(kind)) }
