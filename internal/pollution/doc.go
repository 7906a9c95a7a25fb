// Package pollution finds the package variables through which earlier tests make a test fail.
// Resetting them before that test shows that they decide ("heap state polluters", Gyori et al.,
// ISSTA 2015).
//
// For this a test binary is built with an overlay, in which each package of the module registers
// its variables with [keep]. When a polluting test begins, the state is recorded. When the victim
// begins, the state is put back. Nothing else changes, and no line moves. If no variable is
// named, nothing is put back.
//
// The alternative is to compare the state before and after the polluter. That shows what changed,
// which is nearly always more than what decides. Putting values back is an experiment, and
// putting back all other variables is its control.
package pollution
