package ciout

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fdebug/fdebug/internal/finding"
)

// A codeIssue is an element of GitLab's code quality report.
type codeIssue struct {
	Description string   `json:"description"`
	Check       string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// CodeQuality writes GitLab's code quality report: what was found, at the line of its
// cause. What has no line is left out: GitLab wants one.
func (r *Report) CodeQuality(w io.Writer) error {
	clean := r.cleaner()
	list := []codeIssue{}
	for _, f := range r.findings() {
		if f.cause.File == "" {
			continue
		}
		x := codeIssue{
			Description: clean.line(fmt.Sprintf("%s is %s. %s", f.name(), f.said(), f.cause.Said), maxMessage),
			Check:       "fdebug-" + string(f.state()), Severity: "minor",
		}
		switch {
		case f.cause.Proved:
			x.Severity = "critical"
		case f.cause.Verdict == "reproduced" || f.cause.Verdict == "likely":
			x.Severity = "major"
		case f.state() == finding.Recorder:
			x.Severity = "info"
		}
		// The same from run to run, so that GitLab can tell what is new.
		x.Fingerprint = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s", f.Package,
			f.Name, f.cause.Place())))
		x.Location.Path = clean.line(r.inWorkspace(f.cause.File), maxName)
		x.Location.Lines.Begin = max(1, f.cause.Line)
		list = append(list, x)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(list)
}
