// Package source is an index of the user's code by block: for each block of a
// [trace.Sites] the operations that it consists of, on what they are, and what
// decides where control goes from there.
//
// There is one kind of thing in it, the [Op]: a read, a write, a wait, a
// release, a call and so on. What an operation is on is told by objects of
// go/types and not by names: a path from a variable through fields, as s, conn,
// mu for s.conn.mu. So equal names are not taken for one thing, nor one thing
// under two names for two. The questions are
//
//   - [Index.Block], [Index.Lines]: what does this block do, or what stands in these
//     lines?
//   - [Index.Of], [Index.Enders]: where else is something done with this; what may
//     end this wait?
//   - [Index.Decision], [Index.Way], [Index.Clause]: what decides at the end of
//     a block, and which way was taken if that block came next?
//   - [Index.CallAt], [Index.Check]: which call stands in this line, and what does
//     it look at, if it is a check?
//   - [Index.Flow], [Index.Around]: what may that be computed from, and under
//     which conditions?
//   - [Index.Same], [Index.Apart]: may these be on one thing, or are they on
//     different structs for certain?
//
// The answers say what the text allows. They are no evidence for what happened
// in a run.
//
// # Types
//
// [Load] asks the go command for the packages, with the flags of the user's
// build, and type-checks the user's own from source, as they were when the tests
// were built. What they import comes from the compiler's export data, or from
// source where that is of a release of Go that this program does not know. If
// there is no module any more, or no go command, the user's packages are checked
// nevertheless: their own variables, fields and functions are known then, what
// waits and tells the time in the standard library too (stubs.txtar), and the
// rest is told by the names of functions and methods. [Index.Typed] says which
// it was.
//
// # Limits
//
// Pointers are followed where an address, or a reference, is passed to a
// parameter, assigned or put into a field; not through maps and slices. A call of
// an interface's method may be one of each of the user's methods that implements
// it. A function of others is taken to change its receiver if its name
// says so (std.go), and what it is given the address of; [Op.Maybe] says that
// this is a guess. Objects of one variable in two calls of its function are one
// object here.
package source
