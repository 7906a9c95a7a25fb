package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/report"
)

// A replay grades programs by recorded runs, in seconds and independent of chance.
type replay struct {
	root   string // of the repository
	opener recorded.Opener
}

// errNotRecorded says that there are no recorded runs of a program.
var errNotRecorded = errors.New("no runs are recorded")

// open analyses a program's recorded runs in a directory of its own, which close removes. Its
// source must not have changed since.
func (r *replay) open(p *program) (rec *recorded.Recording, close func(), err error) {
	file := filepath.Join(r.root, "internal", "lab", "accuracy", "testdata", "recorded", p.file())
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: %w", p.name, errNotRecorded)
	}
	if err := p.locate(r.root); err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "fdebug-recorded-")
	if err != nil {
		return nil, nil, err
	}
	close = func() { os.RemoveAll(dir) }
	var warnings []string
	rec, err = r.opener.Open(file, dir, func(format string, args ...any) {
		warnings = append(warnings, fmt.Sprintf(format, args...))
	})
	if err == nil && len(warnings) > 0 {
		err = fmt.Errorf("%s: %s", p.name, strings.Join(warnings, "; "))
	}
	if err == nil {
		err = r.same(p, recorded.Module(dir))
	}
	if err != nil {
		close()
		return nil, nil, err
	}
	return rec, close, nil
}

// same reports an error if a program has changed since it was recorded.
func (r *replay) same(p *program, module string) error {
	now, _ := p.dir(r.root)
	return recorded.Files(module, func(name, rel string) error {
		then, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if text, err := os.ReadFile(filepath.Join(now, rel)); err != nil || !bytes.Equal(text, then) {
			return fmt.Errorf(
				"%s: %s was changed since %s was recorded: remove that and go run ./internal/lab/accuracy -record internal/lab/accuracy/testdata/recorded",
				p.name, rel, p.file())
		}
		return nil
	})
}

// document returns the content of result.json.
func document(rec *recorded.Recording) (*report.Document, error) {
	var b bytes.Buffer
	if err := report.JSON(&b, rec.Result); err != nil {
		return nil, err
	}
	doc := new(report.Document)
	return doc, json.Unmarshal(b.Bytes(), doc)
}
