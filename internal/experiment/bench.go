package experiment

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

// knowSeeds notes the outcomes of recorded runs with their seeds.
func (b *bench) knowSeeds() {
	for _, r := range b.Recorded {
		if r.Seed != 0 {
			b.seeds[r.Seed] = &proof.Count{}
			addRun(b.seeds[r.Seed], &Trial{}, r.outcome(), nil)
		}
	}
}

// Other returns a seed of all choices with which the test had the other outcome than with a given one, 0 if none is
// known. It stays the same as long as no run tells otherwise.
func (b *bench) Other(seed uint64) uint64 {
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
	return c != nil && c.Of > 0 && (fails && c.Failed == c.Of || !fails && c.Failed == 0)
}

// draw notes the choices of a run, and its outcome if all of them followed a seed.
func (b *bench) draw(p search.Plan, o *Outcome) {
	b.p.addDraws(o.Draws)
	if len(p) != 1 {
		return
	}
	a, ok := p[0].(act)
	if !ok || a.What != freedom.AllChoices {
		return
	}
	if b.seeds[a.Seed] == nil {
		b.seeds[a.Seed] = &proof.Count{}
	}
	addRun(b.seeds[a.Seed], &Trial{}, o, nil)
}

// look searches for causes, until each failure that is to be explained is, or nothing is found any more.
func (b *bench) look(res *Result) error {
	for {
		names := b.unexplained()
		if len(names) == 0 && len(b.Like) > 0 {
			res.Complete = true
			return nil
		}
		f, err := b.searchFor(names, b.freedoms())
		if f != nil {
			if err := b.take(f, res); err != nil {
				return err
			}
		}
		switch {
		case err != nil:
			return err
		case b.spent:
			return errSpent
		case f == nil || b.explained() || !b.finding(f).explains():
			res.Complete, res.Spared = !b.cut || b.explained(), b.cut && b.Most == 0
			return nil
		}
	}
}

// searchFor searches freedoms for the cause of some failures, or of any if there are none.
func (b *bench) searchFor(failures []string, of []search.Proposer) (*search.Found, error) {
	s := &search.Search{Runner: b, Proposers: of, Known: b.known(), Wanted: failures, Parallel: b.Parallel,
		Most: b.Most, Worth: b.worth, Tell: b.told, Empty: b.empty, Lend: b.lend}
	f, err := s.Find(b.ctx)
	b.cut = b.cut || s.Cut
	return f, err
}

// worth reports whether the search goes on for a plan: when no time is to spare, for one that was not tried, and only holds
// goroutines, and not for long.
func (b *bench) worth(p search.Plan, tried bool) bool {
	return b.spare.IsZero() || b.now().Before(b.spare) || !tried && !slices.ContainsFunc(p, func(a search.Act) bool {
		h, ok := a.(act)
		return !ok || !h.Holds() || h.Dose > sweepDose
	})
}

// nameOf names a failure for a search: those that one is like are one.
func (e *Experimenter) nameOf(sig runner.Signature, message string) string {
	if i := slices.IndexFunc(e.Like, func(s *runner.Seen) bool { return s.Is(sig, message) }); i >= 0 {
		return likeName(i)
	}
	return nameOf(sig)
}

// hides reports whether a run failed in another way than is looked for, and so did not come to that: the search goes on
// with something else, before it asks for the same again.
func (e *Experimenter) hides(x *search.Outcome) bool {
	return len(e.Like) > 0 && x.Is == proof.TellsFailure && !strings.HasPrefix(x.Failure, like)
}

// like begins the names of failures that were seen elsewhere.
const like = "like "

func likeName(i int) string { return like + strconv.Itoa(i) }

// nameOf names a failure for a search: those of one check are one.
func nameOf(sig runner.Signature) string {
	return sig.Test + "\n" + cmp.Or(sig.Place(), sig.Message)
}

// known counts the plain runs, and the recorded ones if the test fails as often in them.
func (b *bench) known() search.Tally {
	t := search.Tally{Failed: make(map[string]int)}
	add := func(o *Outcome) {
		switch o.Tells(nil) {
		case proof.TellsFailure:
			t.Failed[b.nameOf(o.Signature, o.Message)]++
		case proof.TellsPass:
			t.Passed++
		}
	}
	for _, o := range b.plain {
		add(o)
	}
	if namesTests(b.hints()) || b.differsAlone() ||
		proof.Chance(b.plainCount(nil), b.recorded(nil)) < proof.ShamDiffers {
		return t
	}
	for _, r := range b.Recorded {
		add(r.outcome())
	}
	return t
}

// Left is for how long runs may still begin.
func (b *bench) Left() time.Duration {
	if until := b.until(); !until.IsZero() {
		return until.Sub(b.now())
	}
	return math.MaxInt64
}

// Run makes a run of each plan.
func (b *bench) Run(ctx context.Context, plans []search.Plan, fresh bool) ([]search.Outcome, error) {
	b.confirming(fresh)
	outs, trials := make([]search.Outcome, len(plans)), make([]Trial, len(plans))
	for i, p := range plans {
		trials[i] = b.trial(p)
	}
	err := b.each(ctx, len(plans), func(i int) error {
		o, err := b.runFor(ctx, trials[i], fresh && b.Traces, fresh)
		if err == nil {
			outs[i] = b.outcome(&trials[i], o)
		}
		return err
	})
	doing := ""
	for i, x := range outs {
		if o, ok := x.Done.(*Outcome); ok {
			b.draw(plans[i], o)
			b.misses(plans[i], x.Is)
			if !fresh && len(plans[i]) > 0 && b.hides(&x) {
				outs[i].Is = proof.TellsMissed
			}
			doing = cmp.Or(trials[i].Kind(), doing)
		}
	}
	b.tell(Progress{Doing: doing, Confirms: fresh})
	if errors.Is(err, errSpent) {
		b.spent = true
		return nil, search.ErrSpent
	}
	return outs, err
}

// misses notes that a goroutine did not come to where it was to be held: another one of its class may come instead.
func (b *bench) misses(p search.Plan, is proof.Tells) {
	if len(p) != 1 || is != proof.TellsMissed {
		return
	}
	if a, ok := p[0].(act); ok && a.Holds() && a.At.G.ID != 0 && a.At.Class != 0 {
		b.absent[a.At] = true
	}
}

// confirming tells the others that make runs beside when runs begin, and have ended, that nothing may overlap with.
func (b *bench) confirming(on bool) {
	if b.alone != on && b.Confirming != nil {
		b.Confirming(on)
	}
	b.alone = on
}

func (b *bench) outcome(t *Trial, o *Outcome) search.Outcome {
	n, _ := b.madeAndKept()
	x := t.outcome(o)
	if x.Failure != "" {
		x.Failure = b.nameOf(o.Signature, o.Message)
		b.mu.Lock()
		if b.sigs[x.Failure] == nil {
			b.sigs[x.Failure], b.came[x.Failure] = o, n
		}
		b.mu.Unlock()
	}
	return x
}

// trial returns the trial of a plan.
func (b *bench) trial(p search.Plan) (t Trial) {
	for _, a := range p {
		a.(deed).add(&t)
	}
	if len(t.Before) > 0 {
		t.Shuffle = b.orderOf(t.Before, t.Shuffle)
	}
	return t
}

// told gives more time to a find that is not confirmed.
func (b *bench) told(f *search.Found) {
	b.mu.Lock()
	b.grace, b.provoked = f != nil, true
	b.mu.Unlock()
	if f != nil && f.Verdict == proof.Proved && f.First == nil {
		b.tell(Progress{Doing: b.kindOf(f), Found: true})
	}
}

func (b *bench) kindOf(f *search.Found) string {
	t := b.trial(append(slices.Clone(f.Plan), f.Opposite...))
	return t.Kind()
}

// take keeps the find of a search.
func (b *bench) take(x *search.Found, res *Result) error {
	f := b.finding(x)
	if f.Verdict < proof.Proved && b.knownLimit(f.Sig) && !b.natural(f.Sig) {
		return nil // it only takes longer than that
	}
	if f.Verdict == proof.None {
		if c := f.Confirmed.With; b.spent && c.Failed == c.Of {
			res.Open = f
		}
		return nil
	}
	f.windowOf(x)
	if err := b.details(f); err != nil && !errors.Is(err, errSpent) {
		return err
	}
	f.Runs, f.Kept = b.madeAndKept()
	f.Took = b.took + b.now().Sub(b.started)
	b.found = append(b.found, f)
	return nil
}

// details finds out the details that a verdict does not rest on.
func (b *bench) details(f *Finding) error {
	if err := b.paths(f); err != nil {
		return err
	}
	if f.Kind() == trace.ActClock.String() && !f.Always {
		return b.reading(f)
	}
	return nil
}

// finding turns the find of a search into a finding, which is written and told.
func (b *bench) finding(x *search.Found) *Finding {
	o := b.sigs[x.Failure]
	f := &Finding{Proof: proof.Proof{Test: b.Test, Message: o.Message, Found: b.came[x.Failure], Always: x.Always,
		Confirmed: x.Confirmed, Verdict: x.Confirmed.Verdict()}, Sig: o.Signature, Tried: x.Tried}
	f.Natural = b.natural(o.Signature)
	f.Trial = b.trial(x.Plan)
	if x.Elsewhere != nil {
		f.sham = ptr(b.trial(x.Elsewhere))
	}
	if x.Law != nil {
		says := x.Law.Says.(ruled)
		f.Law, f.ordered, f.after = says.Law, says.ordered, says.after
		if says.Kind == proof.LawTimers {
			f.blocks = says.blocks
		}
	}
	b.holds(f, x)
	b.chosen(f, x)
	if f.cure != nil && x.Always {
		f.needs()
	}
	for _, a := range slices.Concat(x.Plan, x.Opposite) {
		if a, ok := a.(act); ok {
			b.sets(f, a)
		}
	}
	var held []time.Duration
	for _, o := range x.Shown {
		held = append(held, f.Trial.longestStall(o.Done.(*Outcome)))
		f.Traces.Fail = keptTrace(f.Traces.Fail, o, true)
	}
	for _, o := range x.Plain {
		f.Traces.Pass, f.Traces.Plain = keptTrace(f.Traces.Pass, o, false), keptTrace(f.Traces.Plain, o, true)
	}
	d := median(held)
	f.Confirmed.Held = d.Round(twoDigits(d))
	return f
}

// sets completes a finding by the blocks that ask for the setting: one, or all if they are few.
func (b *bench) sets(f *Finding, a act) {
	if !a.Sets() {
		return
	}
	if a.least > 0 {
		f.Smallest = a.least
	}
	list := b.askers(a.Asks())
	if a.At.Block != 0 {
		list = []uint32{uint32(a.At.Block)}
	}
	if len(list) > maxAskers {
		return
	}
	for _, block := range list {
		if !slices.Contains(f.blocks, int(block)) {
			f.blocks = append(f.blocks, int(block))
		}
	}
}

func keptTrace(list []*Outcome, o search.Outcome, failed bool) []*Outcome {
	if x := o.Done.(*Outcome); x.Failed == failed {
		return append(list, x)
	}
	return list
}

// holds completes a finding by where goroutines are held, and how long.
func (b *bench) holds(f *Finding, x *search.Found) {
	for _, a := range x.Plan {
		switch a, _ := a.(act); {
		case a.Holds():
			f.sites = append(f.sites, a.at())
			f.Smallest = a.least
		case a.Collects():
			f.sites = append(f.sites, a.At)
		}
	}
	if len(f.sites) != 1 || f.Law.Kind == proof.LawTimers {
		f.Smallest = 0
	}
	opposite := x.Opposite
	if len(opposite) == 0 {
		return
	}
	f.cure = ptr(b.trial(opposite))
	for _, a := range opposite {
		if h, _ := a.(act); h.Holds() {
			f.cures = append(f.cures, h.at())
		}
	}
}

// chosen completes a finding by the choices that decide: those of the plan or, where that makes all of them, those that
// the opposite makes otherwise. If neither names one, some of all that are made decide. Their kinds do if nothing else
// is done.
func (b *bench) chosen(f *Finding, x *search.Found) {
	var decide []freedom.Chooser
	named := true
	for _, p := range []search.Plan{x.Plan, x.Opposite} {
		if len(decide) == 0 {
			decide = pinned(p)
		}
	}
	if len(decide) == 0 && slices.ContainsFunc(slices.Concat(x.Plan, x.Opposite), isChoice) {
		decide = freedom.Choosers(b.p.Draws)
		named = len(decide) == 1
		none := len(decide) == 0
		for _, d := range b.p.Draws { // where nothing is recorded they are of no block
			if none && freedom.Draws(d.Kind) {
				decide = append(decide, freedom.Chooser{Kind: d.Kind})
			}
		}
	}
	only := !slices.ContainsFunc(x.Plan, func(a search.Act) bool { return !isChoice(a) })
	for _, d := range decide {
		if kind := d.Kind.String(); only && !slices.Contains(f.Decides, kind) {
			f.Decides = append(f.Decides, kind)
		}
		if named && !slices.Contains(f.blocks, int(d.Block)) {
			f.blocks = append(f.blocks, int(d.Block))
		}
	}
}

// pinned returns the blocks whose choices a plan makes.
func pinned(p search.Plan) (list []freedom.Chooser) {
	for _, a := range p {
		if a, _ := a.(act); a.Chooses() && !a.Everywhere() {
			list = append(list, freedom.Chooser{Kind: a.Kind, Block: uint32(a.At.Block)})
		}
	}
	return list
}

func isChoice(a search.Act) bool {
	x, _ := a.(act)
	return x.Chooses()
}

// needs completes a finding of a test that always fails by the tests that must run before for this one to pass.
func (f *Finding) needs() {
	if needs := f.cure.Before; len(needs) > 0 {
		f.Always, f.Needs = false, needs
		f.Confirmed.Plain = f.Confirmed.Cure
	}
}

// windowOf completes a finding by where a hold makes it fail.
func (f *Finding) windowOf(x *search.Found) {
	first, _ := x.First.(act)
	last, _ := x.Last.(act)
	if first.Holds() && last.Holds() && !x.Always && f.ordered == nil {
		f.window = &Window{First: first.At, Last: last.At}
	}
}

// positions returns all positions of the goroutine of a site, in order.
func (b *bench) positions(site Site) ([]Site, error) {
	blocks, err := b.blocks(site)
	return along(site, blocks), err
}

// blocks returns the blocks that the goroutine in which a site was found comes to.
func (b *bench) blocks(site Site) ([]int, error) {
	g := b.p.goroutine(site)
	if g == nil {
		return nil, nil
	}
	return b.courses.blocks(g.trace, g.ID)
}

// along returns the positions of a goroutine, that of a site, which comes to blocks in this order.
func along(site Site, blocks []int) (list []Site) {
	hits := make(map[int]int)
	for i, block := range blocks {
		if block == 0 {
			continue
		}
		hits[block]++
		site.Event, site.Block, site.Hit = int64(i), block, hits[block]
		list = append(list, site)
	}
	return list
}

func indexOf(list []Site, site Site) int {
	return slices.IndexFunc(list, func(o Site) bool { return o.Event == site.Event && o.Block == site.Block })
}

// acts adds perturbations to a trial, each once.
func (t *Trial) acts(list ...freedom.Step) {
	for _, a := range list {
		if !slices.Contains(t.Plan.Acts, a) {
			t.Plan.Acts = append(t.Plan.Acts, a)
		}
	}
}
