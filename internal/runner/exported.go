package runner

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Exported returns the files with the export data of packages, by import path. Those that test
// binaries of this build were made from need not be compiled again.
func (b *Build) Exported(ctx context.Context, paths []string) (map[string]string, error) {
	_, overlay, err := b.prepare()
	if err != nil {
		return nil, err
	}
	targets := make([]Target, len(paths))
	for i, p := range paths {
		targets[i].ImportPath = p
	}
	cmd := b.goCommand(ctx, []string{"list", "-e", "-export", "-f", "{{.ImportPath}} {{.Export}}"}, overlay, targets)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("running %s list: %w: %s", b.GoCmd, err, bytes.TrimSpace(complaint.Bytes()))
	}
	files := make(map[string]string)
	for line := range strings.Lines(out.String()) {
		path, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		files[path] = file
	}
	return files, nil
}
