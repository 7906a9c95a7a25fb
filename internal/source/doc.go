// Package source is an index of the user's code by block. For each block of a [trace.Sites] it
// has the operations of that block, what they are on, and what decides where control goes next.
//
// The index consists of operations, [Op]: a read, a write, a wait, a release, a call and so on.
// An operation is on a path of go/types objects, from a variable through fields: s, conn, mu for
// s.conn.mu. So two things with one name are told apart, and one thing with two names is
// recognised. The questions are
//
//   - [Index.Block], [Index.Lines]: what does this block do, and what is in these lines?
//   - [Index.Of], [Index.Enders]: where else is something done with this, and what may end
//     this wait?
//   - [Index.Decision], [Index.Clause]: what decides at the end of a block,
//     and which case was taken if that block came next?
//   - [Index.CallAt], [Index.Check]: which call is in this line, and what does it look at,
//     if it is a check?
//   - [Index.Flow], [Index.Around]: what may this be computed from, and under which
//     conditions?
//   - [Index.Same], [Index.Apart]: may these be on one thing, or are they certainly on
//     different structs?
//
// The answers say what the text allows. They are no evidence for what happened in a run.
//
// # Types
//
// [Load] asks the go command for the packages, with the flags of the user's build. It type-checks
// the user's own packages from source, as they were when the tests were built. Their imports come
// from the compiler's export data. Without that, a module or a go command the user's packages are still checked. Then their own
// variables, fields and functions are known, and the functions of the standard library that wait
// or read the time (stubs.txtar). The rest is guessed from names. [Index.Typed] says which it
// was.
//
// # Limits
//
// Pointers are followed where an address or a reference is passed to a parameter, assigned, or
// stored in a field. They are not followed through maps and slices. A call of an interface's
// method may be any of the user's methods that implement it. A function from elsewhere is assumed
// to change its receiver if its name says so (std.go), and whatever it gets the address of.
// [Op.Maybe] says that this is a guess. Objects of one variable in two calls of its function are
// one object here.
package source
