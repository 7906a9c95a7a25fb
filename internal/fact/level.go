package fact

const (
	leastKnown   = 0.85 // share of the runs of each outcome in which an observation is known
	leastSide    = 2    // runs on either side of a division
	blockLen     = 10   // neighbouring runs that a fact must hold among
	leastPeriods = 3    // of what comes round, that were met
	permutations = 200  // of outcomes
	maxBins      = 40   // into which what comes round is divided
)

// MaxRuns is how many runs are looked at, the first.
const MaxRuns = 256
