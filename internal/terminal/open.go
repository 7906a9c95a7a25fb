package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A Screen is where results are shown: a console, and a browser.
type Screen struct {
	*session.Console
	Opens bool          // whether the next report is opened in the browser
	Brief *report.Brief // what is told in place of all else, nil if that is not asked for
	// Browse opens a file in the browser; nil for the user's.
	Browse func(file string) error
}

// OpenReport opens the page of the only test of a result in the browser, or else the index, if
// the user has asked for it. If that fails, it just says so.
func (s *Screen) OpenReport(dir string, r *finding.Result, files map[*finding.Test]string) {
	if !s.Opens {
		return
	}
	s.Opens = false // a run that continued as a hunt has at most one report
	if len(r.Tests) == 0 {
		s.Progressf("-open: there is no report, since nothing was found")
		return
	}
	name := "index.html"
	if len(r.Tests) == 1 && files[r.Tests[0]] != "" {
		name = files[r.Tests[0]] + ".html"
	}
	open := s.Browse
	if open == nil {
		open = s.openInBrowser
	}
	if err := open(filepath.Join(dir, name)); err != nil {
		s.Warnf("-open: %v; the report is %s", err, s.Show(filepath.Join(dir, name)))
	}
}

// Tell adds a result to the brief, if there is one: with the directory of its pages, what all its runs came to, and the
// command to go on with.
func (s *Screen) Tell(r *finding.Result, dir, said, next string) error {
	if s.Brief == nil {
		return nil
	}
	s.Brief.Said, s.Brief.Next = strings.TrimSpace(s.Brief.Said+" "+said), next
	return s.Brief.Add(r, dir)
}

// openInBrowser passes a file to the browser.
func (s *Screen) openInBrowser(file string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	args, err := s.browser(runtime.GOOS, abs)
	if err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
	case <-time.After(3 * time.Second): // a browser that is not the first one keeps running
	}
	return nil
}

// browser returns the command that opens a file.
func (s *Screen) browser(goos, file string) ([]string, error) {
	if b := s.Getenv("BROWSER"); b != "" {
		return []string{b, file}, nil
	}
	switch goos {
	case "darwin":
		return []string{"open", file}, nil
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", file}, nil
	}
	if s.Getenv("DISPLAY") == "" && s.Getenv("WAYLAND_DISPLAY") == "" && s.Getenv("WSL_DISTRO_NAME") == "" {
		return nil, errors.New("there is no display, and BROWSER names no browser")
	}
	return []string{"xdg-open", file}, nil
}

// Write writes the reports, and says which of their source could not be kept. It returns the
// names of the test pages.
func (s *Screen) Write(ctx context.Context, an *analyze.Analyzer, r *finding.Result) (
	map[*finding.Test]string, error) {
	ctx, cancel := exit.Closing(ctx)
	defer cancel()
	names, err := report.WriteDir(ctx, an.Dir, r)
	if err != nil {
		return nil, err
	}
	if err := an.KeepErr(); err != nil {
		s.Warnf("the source that the reports show is not kept for later: %v", err)
	}
	return names, nil
}

// SourcesOf is a result that has nothing but the source of a module.
func SourcesOf(sites *trace.Sites) *finding.Result {
	return &finding.Result{Sites: sites, Module: sites.Module, Source: func(path string) ([]byte, error) {
		return os.ReadFile(filepath.Join(sites.Root, filepath.FromSlash(path)))
	}}
}
