// Package phrasing has what no text of fdebug may say, for tests.
package phrasing

import "regexp"

// Forbidden matches phrases that native writers do not use, or that hide who does what.
var Forbidden = regexp.MustCompile(
	`(?i)\b(of which|of those|of whom|likewise|but for|hangs on|tells the outcome|the how manieth|as asked for at|which of those|what comes here|who comes)\b`)
