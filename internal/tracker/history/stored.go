package history

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// What is kept of texts, in bytes. Results are what any program printed.
const (
	maxName      = 1 << 10
	maxEnv       = 256 // three of them are one key of an index, which PostgreSQL limits
	maxSignature = 512
	maxMessage   = 600
)

// stored returns a session as it is kept.
func (s Session) stored() Session {
	s.Key, s.Started = keyOf(s.Key), inMillis(s.Started)
	s.Commit.Hash, s.Commit.Time = clean(s.Commit.Hash, maxName), inMillis(s.Commit.Time)
	s.Branch, s.Job, s.Reports = clean(s.Branch, maxName), clean(s.Job, maxName), clean(s.Reports, maxName)
	s.Env = Environment{clean(s.Env.Go, maxEnv), clean(s.Env.Platform, maxEnv), clean(s.Env.CI, maxEnv)}
	return s
}

// stored returns a run as it is kept. The package itself has a result: it passes unless
// it fails.
func (r Run) stored() Run {
	r.Key, r.Package = keyOf(r.Key), clean(r.Package, maxName)
	results := make([]Result, 0, len(r.Results)+1)
	whole := false
	for _, res := range r.Results {
		res.Test = clean(res.Test, maxName)
		res.Signature, res.Message = clean(res.Signature, maxSignature), clean(res.Message, maxMessage)
		whole = whole || res.Test == ""
		results = append(results, res)
	}
	if !whole {
		results = append(results, Result{Status: Passed})
	}
	r.Results = results
	r.Notes = slices.Clone(r.Notes)
	for i, n := range r.Notes {
		r.Notes[i] = Note{clean(n.Test, maxName), clean(n.Key, maxName), clean(n.Value, maxName)}
	}
	return r
}

// stored returns a verdict as it is kept.
func (v Verdict) stored() Verdict {
	for _, text := range []*string{&v.Package, &v.Test, &v.Class, &v.Kind, &v.Category, &v.Place} {
		*text = clean(*text, maxName)
	}
	v.Signature = clean(v.Signature, maxSignature)
	return v
}

// keyOf makes text of a key, of at most maxName bytes: itself, mostly.
func keyOf(key string) string {
	if len(key) <= maxName && utf8.ValidString(key) && !strings.Contains(key, "\x00") {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256 " + hex.EncodeToString(sum[:])
}

// clean makes text of what any program printed, of at most max bytes.
func clean(s string, max int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= max {
		return s
	}
	for !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// inMillis is a time as it is kept: in UTC, to the millisecond.
func inMillis(t time.Time) time.Time { return FromMillis(Millis(t)) }

// minuteOf is the minute of a point.
func minuteOf(t time.Time) int32 { return int32(Millis(t) / 60000) }

// FromMinute is the time of a point.
func FromMinute(m int32) time.Time { return time.Unix(int64(m)*60, 0).UTC() }

// Millis is a time in milliseconds since 1970, 0 for none.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMillis is the inverse of Millis.
func FromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
