package experiment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	engine "github.com/fdebug/fdebug/internal/search"
)

// findByFacts is Find by package search, which ranks what may decide in place of making steps in an order.
func (e *Experimenter) findByFacts(ctx context.Context) (*Result, error) {
	b, res := &bench{search: e.newSearch(ctx), sigs: make(map[string]*Outcome), first: make(map[string]int), seeds: make(map[uint64]*proof.Count)}, &Result{}
	err := b.runPlain()
	res.Plain = b.plainCount(nil)
	switch {
	case err != nil:
	case res.Plain.Of == 0:
		res.NotRun = true
	default:
		res.Sites, res.All = len(b.p.Sites()), b.p.all
		for _, seed := range b.recordedPasses() {
			b.seeds[seed] = &proof.Count{Of: 1}
		}
		for _, r := range b.failingSeeds() {
			b.seeds[r.Seed] = &proof.Count{Failed: 1, Of: 1}
		}
		err = b.look(res)
	}
	b.confirming(false)
	e.took += e.now().Sub(b.started)
	res.Findings, res.provoked, res.explained = b.found, e.grace, b.explained()
	if errors.Is(err, errSpent) {
		return res, nil
	}
	return res, err
}

// A bench has the engine make runs of one test.
type bench struct {
	*search
	sigs  map[string]*Outcome // the first with each failure, by the name that the engine has for it
	alone bool                // runs are being made that a verdict rests on
	spent bool
	back  map[siteKey][]Site // of a goroutine, all positions in order
	first map[string]int     // runs until each failure first came
	seeds map[uint64]*proof.Count
	// pass and fail are the ones of them that are taken to pass, and to fail.
	pass, fail uint64
}

// other returns a seed of all choices with which the test had the other outcome than with a given one, 0 if none is
// known. It stays the same as long as no run tells otherwise.
func (b *bench) other(seed uint64) uint64 {
	c := b.seeds[seed]
	fails := c != nil && c.Of > 0 && c.Failed == 0
	last := &b.pass
	if fails {
		last = &b.fail
	}
	if b.went(*last, fails) {
		return *last
	}
	*last = 0
	most := 0
	for seed, c := range b.seeds {
		if b.went(seed, fails) && (c.Of > most || c.Of == most && seed < *last) {
			*last, most = seed, c.Of
		}
	}
	return *last
}

// went reports whether each run with a seed failed, or passed.
func (b *bench) went(seed uint64, fails bool) bool {
	c := b.seeds[seed]
	return c != nil && (fails && c.Failed == c.Of || !fails && c.Failed == 0)
}

// draw notes what became of a run in which all choices followed a seed, and what it chose.
func (b *bench) draw(p engine.Plan, o *Outcome) {
	b.p.addDraws(o.Draws)
	if len(p) != 1 || !o.Ran {
		return
	}
	a, ok := p[0].(seeded)
	if !ok {
		return
	}
	if b.seeds[a.seed] == nil {
		b.seeds[a.seed] = &proof.Count{}
	}
	if b.seeds[a.seed].Of++; o.Failed {
		b.seeds[a.seed].Failed++
	}
}

// look has the engine look for what decides each failure that is to be explained.
func (b *bench) look(res *Result) error {
	for _, wanted := range b.groups() {
		s := &engine.Search{Runner: b, Freedoms: b.freedoms(), Known: b.known(), Wanted: wanted, Parallel: b.Parallel, Tell: b.told}
		found, err := s.Find(b.ctx)
		if found != nil {
			if err := b.take(found, res); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	if b.spent {
		return errSpent
	}
	res.Complete = !b.brief || b.explained()
	return nil
}

// groups returns the failures that are wanted, by the subtest that fails; one group of none where nothing has failed.
func (b *bench) groups() (list [][]string) {
	byTest := make(map[string]int)
	for _, sig := range b.wanted() {
		i, ok := byTest[sig.Test]
		if !ok {
			i = len(list)
			byTest[sig.Test], list = i, append(list, nil)
		}
		if name := nameOf(sig); !slices.Contains(list[i], name) {
			list[i] = append(list[i], name)
		}
	}
	if list == nil {
		return [][]string{nil}
	}
	return list
}

// nameOf names a failure for the engine: those of one check are one.
func nameOf(sig runner.Signature) string {
	return sig.Test + "\n" + cmp.Or(sig.Place(), sig.Message)
}

// known counts the plain runs, and the recorded ones if the test fails as often in them.
func (b *bench) known() engine.Tally {
	t := engine.Tally{Failed: make(map[string]int)}
	add := func(ran, failed bool, sig runner.Signature) {
		switch {
		case !ran:
		case failed:
			t.Failed[nameOf(sig)]++
		default:
			t.Passed++
		}
	}
	for _, o := range b.search.plain {
		add(o.Ran, o.Failed, o.Signature)
	}
	if proof.Chance(b.plainCount(nil), b.recorded(nil)) < proof.ShamDiffers {
		return t
	}
	for _, r := range b.Recorded {
		add(true, r.Failed, r.Signature)
	}
	return t
}

// Usual is how long a run takes.
func (b *bench) Usual() time.Duration { return b.usualTime() }

// Run makes a run of each plan.
func (b *bench) Run(ctx context.Context, plans []engine.Plan, fresh bool) ([]engine.Outcome, error) {
	step := "search"
	if fresh {
		step = "confirm"
	}
	b.confirming(fresh)
	outs := make([]engine.Outcome, len(plans))
	err := b.each(ctx, len(plans), func(i int) error {
		t := b.trial(plans[i])
		o, err := b.runNoted(ctx, logLine{Step: step, Again: fresh}, t, fresh && b.Traces)
		if err == nil {
			outs[i] = b.outcome(&t, o)
		}
		return err
	})
	for i, x := range outs {
		if o, ok := x.Done.(*Outcome); ok {
			b.draw(plans[i], o)
		}
	}
	b.tell(step, 0, 0)
	if errors.Is(err, errSpent) {
		b.spent = true
		return nil, engine.ErrSpent
	}
	return outs, err
}

// confirming tells who runs beside that runs begin or have ended which nothing may overlap with.
func (b *bench) confirming(on bool) {
	if b.alone != on && b.Confirming != nil {
		b.Confirming(on)
	}
	b.alone = on
}

func (b *bench) outcome(t *Trial, o *Outcome) engine.Outcome {
	n := b.sofar()
	x := engine.Outcome{Missed: !o.Ran || !t.acted(o), Unmet: !t.met(o), Done: o}
	if o.Ran && o.Failed {
		x.Failure = nameOf(o.Signature)
		b.mu.Lock()
		if b.sigs[x.Failure] == nil {
			b.sigs[x.Failure], b.first[x.Failure] = o, n
		}
		b.mu.Unlock()
	}
	return x
}

// trial returns what a run with a plan is subjected to.
func (b *bench) trial(p engine.Plan) (t Trial) {
	for _, a := range p {
		a.(deed).add(&t)
	}
	return t
}

// told gives more time to what was found and is not confirmed.
func (b *bench) told(f *engine.Found) {
	b.mu.Lock()
	b.grace = true
	b.mu.Unlock()
	if f.Verdict == proof.Proved && f.First == nil {
		b.tell("found: "+b.kindOf(f), 0, 0)
	}
}

func (b *bench) kindOf(f *engine.Found) string {
	t := b.trial(append(slices.Clone(f.Plan), f.Opposite...))
	return t.Kind()
}

// take keeps what the engine has found.
func (b *bench) take(found *engine.Found, res *Result) error {
	f, err := b.finding(found)
	if err != nil {
		return err
	}
	if f.Verdict == proof.None {
		if b.spent && f.Confirmed.With.Of == 0 {
			res.Open = f
		}
		return nil
	}
	if err := b.paths(f); err != nil {
		return err
	}
	f.Runs, f.Kept = b.madeAndKept()
	f.Took = b.took + b.now().Sub(b.started)
	b.found = append(b.found, f)
	return nil
}

// finding turns what the engine has found into what is written and told.
func (b *bench) finding(x *engine.Found) (*Finding, error) {
	o := b.sigs[x.Failure]
	f := &Finding{Proof: proof.Proof{Test: b.Test, Message: o.Message, Found: b.first[x.Failure], Always: x.Always, Confirmed: x.Confirmed, Verdict: x.Verdict}, Sig: o.Signature}
	f.Natural = b.natural(o.Signature)
	f.Trial = b.trial(x.Plan)
	if x.Elsewhere != nil {
		f.sham = ptr(b.trial(x.Elsewhere))
	}
	b.holds(f, x)
	b.chosen(f, x)
	b.others(f, x)
	for _, a := range slices.Concat(x.Plan, x.Opposite) {
		switch a := a.(type) {
		case turn:
			if f.ordered == nil {
				f.ordered = &Ordered{First: a.o.first[0], Then: a.then}
			}
		case setting:
			if list := b.askers(a.act.Kind); f.blocks == nil && len(list) <= maxAskers {
				for _, block := range list {
					f.blocks = append(f.blocks, int(block))
				}
			}
		}
	}
	with := &side{trial: &f.Trial}
	for _, o := range x.Shown {
		with.add(o.Done.(*Outcome), &f.Sig)
		f.Traces.Fail = keptTrace(f.Traces.Fail, o, true)
	}
	for _, o := range x.Plain {
		f.Traces.Pass, f.Traces.Plain = keptTrace(f.Traces.Pass, o, false), keptTrace(f.Traces.Plain, o, true)
	}
	f.Confirmed.Held = with.lasted()
	return f, b.windowOf(f, x)
}

func keptTrace(list []*Outcome, o engine.Outcome, failed bool) []*Outcome {
	if x := o.Done.(*Outcome); x.Failed == failed {
		return append(list, x)
	}
	return list
}

// holds completes a finding by where goroutines are held, and how long.
func (b *bench) holds(f *Finding, x *engine.Found) {
	dose := time.Duration(0)
	for _, a := range x.Plan {
		if h, ok := a.(held); ok {
			f.sites = append(f.sites, h.site)
			dose = h.least
		}
	}
	if len(f.sites) == 1 {
		f.Smallest, f.dose = dose, dose
	}
	opposite := x.Opposite
	if len(opposite) > len(x.Plan) && len(f.sites) == 1 && slices.Contains(opposite, x.Plan[0]) {
		too := opposite[len(opposite)-1].(held)
		if f.Confirmed.Cured() {
			f.early, f.Early = &too.site, &proof.Early{Held: x.Confirmed.Cure}
		}
		f.Confirmed.Cure = proof.Count{} // a replay file has it as Early
		return
	}
	if opposite == nil {
		return
	}
	f.cure = ptr(b.trial(opposite))
	if h, ok := opposite[0].(held); ok && len(opposite) == 1 {
		f.cureSite = &h.site
	}
}

// chosen completes a finding by the choices that decide.
func (b *bench) chosen(f *Finding, x *engine.Found) {
	for _, a := range slices.Concat(x.Plan, x.Opposite) {
		p, ok := a.(pin)
		if !ok {
			continue
		}
		if kind := p.act.Kind.String(); !slices.Contains(f.Decides, kind) && len(x.Plan) > 1 {
			f.Decides = append(f.Decides, kind)
		}
		if block := int(p.act.At.Block); !slices.Contains(f.blocks, block) {
			f.blocks = append(f.blocks, block)
		}
	}
	f.Nap = b.isNap(f)
}

// others completes a finding by the tests that must run before for this one to pass.
func (b *bench) others(f *Finding, x *engine.Found) {
	if f.cure == nil || !x.Always {
		return
	}
	if needs := f.cure.Before; len(needs) > 0 {
		f.Always, f.Needs, f.plain = false, needs, *f.cure
		f.Confirmed.Plain = f.Confirmed.Cure
	}
}

// windowOf completes a finding by where a hold makes it fail.
func (b *bench) windowOf(f *Finding, x *engine.Found) error {
	first, ok := x.First.(held)
	last, is := x.Last.(held)
	if !ok || !is || x.Always {
		return nil
	}
	all, err := b.positions(first.site)
	if err != nil {
		return err
	}
	i, k := indexOf(all, first.site), indexOf(all, last.site)
	if i < 0 || k < 0 {
		return nil
	}
	f.window = &Window{First: all[i], Last: all[k], FromBeginning: i == 0, toEnd: k == len(all)-1}
	if i > 0 {
		f.window.Before = all[i-1].Block
	}
	return nil
}

// positions returns all positions of the goroutine of a site, in order.
func (b *bench) positions(site Site) ([]Site, error) {
	key := siteKey{site.Class, int(site.G.ID)}
	if list, ok := b.back[key]; ok {
		return list, nil
	}
	blocks, err := b.stream(b.p, site)
	if err != nil {
		return nil, err
	}
	var list []Site
	hits := make(map[int]int)
	for i, block := range blocks {
		if block == 0 {
			continue
		}
		hits[block]++
		next := site
		next.Event, next.Block, next.Hit = int64(i), block, hits[block]
		list = append(list, next)
	}
	if b.back == nil {
		b.back = make(map[siteKey][]Site)
	}
	b.back[key] = list
	return list, nil
}

func indexOf(list []Site, site Site) int {
	return slices.IndexFunc(list, func(o Site) bool { return o.Event == site.Event && o.Block == site.Block })
}

// acts adds perturbations to a trial, each once.
func (t *Trial) acts(list ...perturb.Act) {
	for _, a := range list {
		if !slices.Contains(t.Plan.Acts, a) {
			t.Plan.Acts = append(t.Plan.Acts, a)
		}
	}
}
