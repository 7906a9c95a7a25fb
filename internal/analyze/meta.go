package analyze

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
)

// A Meta is what a report says of how the tests were run; kept as meta.json.
type Meta struct {
	Command  []string `json:"command"`
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`

	Options finding.Options `json:"options"`

	// Key names the run in the history, for ever; Origin is what was tested.
	Key    string             `json:"key,omitempty"`
	Origin *provenance.Origin `json:"origin,omitempty"`

	// Hunt is set if the runs were made to provoke failures, whatever the command is called.
	Hunt bool `json:"hunt,omitempty"`

	// Elsewhere is set if the runs were made on other machines. Then the root of the site
	// table names a directory there, and nothing is read from one here that is called so:
	// Module is where the same source lies here, "" for nowhere.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Module    string `json:"module,omitempty"`
	// Bare says, by import path, which files of a package were not recorded, and why.
	Bare map[string][]string `json:"bare,omitempty"`
}

// arch returns the GOARCH of the platform, "" if that is not known.
func (m *Meta) arch() string {
	_, arch, _ := strings.Cut(m.Platform, "/")
	arch, _, _ = strings.Cut(arch, ",")
	return strings.TrimSpace(arch)
}

const metaName = "meta.json"

// WriteFile writes m into a run directory.
func (m *Meta) WriteFile(dir string) error {
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, metaName), append(data, '\n'), 0o666)
}

// ReadFile reads m from a run directory.
func (m *Meta) ReadFile(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, metaName))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, m); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, metaName), err)
	}
	return nil
}
