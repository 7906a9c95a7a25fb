// Package listing shows source on a page: the functions of a divergence, marked by which runs came
// to a line, with word bubbles below the lines that they speak of; and excerpts around a cause.
//
// [Sources] reads the source of a result, once. A [Marker] collects what is to be shown at which
// line. A [Coder] makes listings of both, highlighted, within the room that a page has. What
// stands in source, names and messages is hostile: a [Cleaner] makes it fit to be shown.
package listing
