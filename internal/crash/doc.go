// Package crash says which other statement a panic or a fatal error of the runtime needs that takes two. It has closed
// the channel of a send, or of a second close, or writes the map.
//
// The words of the runtime say what happened, and the dump says where. The source says what the statement was on, and
// which other statements may be on the same ([source.Index.Same]). The traces say which of them ran in failing runs. A
// process that ended without a word was ended by a goroutine whose last block calls what does so.
package crash
