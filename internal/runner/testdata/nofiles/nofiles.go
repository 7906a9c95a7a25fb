// Package nofiles has no test files.
package nofiles
