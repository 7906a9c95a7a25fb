// Package bundle keeps built tests in one file, to run them on a machine that has neither Go nor
// the source: test binaries, site tables, source for reports, and the files that the tests read.
//
// # Format
//
// A bundle is a ZIP file. Its first entry is bundle.json, the manifest; the others are the files
// that it lists, each once, in its order:
//
//	bundle.json                 a [Manifest]
//	sites.json                  the site table of package trace
//	source/packages.json        what package source knows of the packages, and what those
//	source/exports              export that they import
//	tree/...                    files of the module; Base is where they lay when it was built
//	bin/N/plain/NAME.test       binaries of the N-th package, from 1: as go test builds it,
//	bin/N/traced/NAME.test      with probes,
//	bin/N/race/NAME.test        and with the race detector
//
// Entries are stored or compressed with zstd (method 93), each by itself. So a reader can skip
// entries, and unpack several at once. Binaries of one module have much in common, but
// compressing them together saves little (6 % with a window of 256 MB).
//
// The manifest has the size and the SHA-256 of each file. The SHA-256 of the manifest is the
// bundle's id. So the id depends on all content, but not on when and how well it was compressed.
//
// # Versions
//
// The manifest begins with its version, fdebug_bundle, now 1. A reader refuses newer ones. The
// formats of traces and plans are a matter between the probe runtime in the binaries and the
// fdebug that runs them. They have versions of their own.
//
// # Trust
//
// A bundle is read as hostile input. Whatever it contains, nothing is written outside the
// directory that it is unpacked to, and no more than the manifest says, which is limited.
// Symbolic links must stay in the tree. But the code in it does run, like anything that go test
// runs.
package bundle
