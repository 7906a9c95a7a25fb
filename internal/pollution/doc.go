// Package pollution finds the package variables by which earlier tests make a test fail.
// Putting these back before that test shows that they decide ("heap state polluters",
// Gyori et al., ISSTA 2015).
//
// For that a test binary is built with an overlay. In it each package of the module makes
// its variables known to [keep]. When a polluting test begins, the state is noted. When the
// victim begins, the state is put back. Nothing else is changed, and no line moves. If no
// variable is named, nothing is put back.
//
// An alternative would be to compare the state before and after the polluter. That tells
// what changed, which is nearly always more than what decides. Putting back tells this by
// experiment. Putting back all other variables instead is its control.
package pollution
