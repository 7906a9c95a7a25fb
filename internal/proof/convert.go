package proof

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
)

// A version1 is what files of version 1 have otherwise: a list for each kind of act.
type version1 struct {
	Kind     string
	Stalls   []stall1
	Cure     []stall1
	Orders   []order1
	Other    []order1 `json:"other_order"`
	First    *Place
	Then     *Place
	Yield    *random1
	Sched    *random1
	Pins     []pin1
	Draws    []Place
	Settings []setting1
	CuredBy  []setting1 `json:"cured_by"`
	Collect  []Place
	Asked    []Place
	Window   []Place
}

type (
	stall1 struct {
		At   Place
		Dose time.Duration `json:"dose_ns"`
	}
	order1 struct {
		Hold, Until Place
		Limit       time.Duration `json:"limit_ns"`
	}
	pin1 struct {
		Kind string
		Seed uint64 `json:"seed,string"`
		At   []Place
		Pass uint64 `json:"pass,string"`
	}
	random1 struct {
		Seed    uint64        `json:"seed,string"`
		Per1024 uint32        `json:"per_1024"`
		Stalls  time.Duration `json:"stalls_ns"`
	}
	setting1 struct {
		Kind        string
		What        perturb.Aspect
		Value, Unit int64
		Text        string
		At          *Place
	}
)

// convert reads a file of version 1. What is done to runs stays the same.
func convert(data []byte) (*Proof, error) {
	p, v := &Proof{}, &version1{}
	if err := json.Unmarshal(data, v); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, err
	}
	p.Version = Version
	p.Plan, p.Opposite = v.plan(p.Smallest), v.opposite()
	p.Always = p.Always || !p.does() && len(v.Cure) > 0 // files did not say it before
	if p.Always && len(p.Opposite) == 0 || v.pinsDiffer() {
		p.Decides = strings.Split(v.Kind, "+")
	}
	p.At = v.at()
	return p, nil
}

// plan returns what makes the test fail, where the shortest dose that suffices is known.
func (v *version1) plan(smallest time.Duration) (acts Acts) {
	acts = append(stalls(v.Stalls), orders(v.Orders)...)
	if y := v.Yield; y != nil {
		acts = append(acts, Act{Kind: "yield", Seed: y.Seed, Per1024: y.Per1024, Dose: y.Stalls})
	}
	if s := v.Sched; s != nil {
		acts = append(acts, Act{Kind: "sched", Seed: s.Seed, Per1024: s.Per1024})
	}
	for i := range v.Collect {
		acts = append(acts, Act{Kind: "gc", At: &v.Collect[i]})
	}
	for _, a := range settings(v.Settings) {
		if a.dosed() && len(v.Stalls) == 0 {
			a.Dose = smallest
		}
		acts = append(acts, a)
	}
	for _, pin := range v.Pins {
		acts = append(acts, pin.acts(pin.Seed)...)
	}
	return acts
}

// opposite returns what makes the test pass, as far as the file says it.
func (v *version1) opposite() (acts Acts) {
	acts = append(append(stalls(v.Cure), orders(v.Other)...), settings(v.CuredBy)...)
	for _, pin := range v.Pins {
		if pin.Pass != 0 && len(v.Stalls) == 0 {
			acts = append(acts, pin.acts(pin.Pass)...)
		}
	}
	return acts
}

// pinsDiffer reports whether choices of whole kinds follow from different seeds.
func (v *version1) pinsDiffer() bool {
	seeds := make(map[uint64]bool)
	for _, pin := range v.Pins {
		if len(pin.At) == 0 {
			seeds[pin.Seed] = true
		}
	}
	return len(seeds) > 1
}

// at returns what the file names beside the places of acts.
func (v *version1) at() []Place {
	switch {
	case v.First != nil && v.Then != nil:
		return []Place{*v.First, *v.Then}
	case len(v.Window) > 0:
		return v.Window
	case len(v.Asked) > 0:
		return v.Asked
	}
	return v.Draws
}

// acts returns the choices of a pin by a seed.
func (x *pin1) acts(seed uint64) (acts Acts) {
	if len(x.At) == 0 {
		return Acts{{Kind: x.Kind, Seed: seed}}
	}
	for i := range x.At {
		acts = append(acts, Act{Kind: x.Kind, Seed: seed, At: &x.At[i]})
	}
	return acts
}

func stalls(list []stall1) (acts Acts) {
	for i := range list {
		acts = append(acts, Act{Kind: "stall", At: &list[i].At, Dose: list[i].Dose})
	}
	return acts
}

func orders(list []order1) (acts Acts) {
	for i := range list {
		acts = append(acts, Act{Kind: "order", At: &list[i].Hold, Until: &list[i].Until, Dose: list[i].Limit})
	}
	return acts
}

func settings(list []setting1) (acts Acts) {
	for _, x := range list {
		acts = append(acts, Act{Kind: x.Kind, What: x.What, Value: x.Value, Unit: x.Unit, Text: x.Text, At: x.At})
	}
	return acts
}
