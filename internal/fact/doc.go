// Package fact ranks what was observed in runs by how well it separates those that
// failed from those that passed.
//
// It knows nothing of traces or of causes. An [Observation] is a number for each run, or
// none where a run says nothing. Each gives ways to divide the runs in two: a [Shape] says
// which. The best divisions are the [Fact] values of [Rank].
//
// # Significance
//
// A division has the p-value of Fisher's exact test. It is corrected for all that was looked
// at: outcomes are permuted, and from how small the least p-value of a kind of observation
// becomes by chance follows how many independent tests the kind is worth. The corrected p-value
// is p times that number times the number of kinds. Many observations that say the same
// cost no more than one.
//
// # What keeps consequences out
//
// The caller leaves out what comes after the failure. Rank does the rest:
//
//   - Missing is no value. What is known less often in runs of one outcome is left out,
//     because that it is missing may follow from the failure.
//   - What nothing in a run can have caused (Exogenous) comes before what it may have caused.
//   - A fact that adds nothing to those before it is behind them: [Fact.Behind].
//     Those that add something are the least set that explains the failures.
//   - Outcomes drift, because machines are busy for a while. A fact must hold among
//     neighbouring runs too.
//   - A time that comes round must have been met in several periods.
package fact
