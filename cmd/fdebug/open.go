package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// checkOpen refuses an invalid editor.
func (a *app) checkOpen() error { return checkEditor(a.Getenv(editorEnv)) }

// openReport opens the page of the only test of a result in the browser, or else the index, if
// the user has asked for it. If that fails, it just says so.
func (a *app) openReport(dir string, r *finding.Result, files map[*finding.Test]string) {
	if !a.opens {
		return
	}
	a.opens = false // a run that continued as a hunt has at most one report
	if len(r.Tests) == 0 {
		a.Progressf("-open: there is no report, since nothing was found")
		return
	}
	name := "index.html"
	if len(r.Tests) == 1 && files[r.Tests[0]] != "" {
		name = files[r.Tests[0]] + ".html"
	}
	if edit := a.editor(); edit != nil {
		local, err := writeLocal(dir, r, edit)
		if err != nil {
			a.Warnf("%s: %v", editorEnv, err)
		} else {
			dir = local
		}
	}
	open := a.open
	if open == nil {
		open = a.openInBrowser
	}
	if err := open(filepath.Join(dir, name)); err != nil {
		a.Warnf("-open: %v; the report is %s", err, a.Show(filepath.Join(dir, name)))
	}
}

// writeLocal writes a copy of the reports in which line numbers open the user's editor. Those
// addresses have absolute paths, with a home directory in them, and reports are attached to
// issues. So they are not in any file of the run, but in a separate directory, which is rewritten
// each time.
func writeLocal(dir string, r *finding.Result, edit func(string, int) string) (string, error) {
	local := filepath.Join(filepath.Dir(filepath.Dir(dir)), "local")
	if err := os.RemoveAll(local); err != nil {
		return "", err
	}
	shown := *r
	shown.Edit = func(file string, line int) string {
		path := filepath.Join(r.Sites.Root, filepath.FromSlash(file))
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return ""
		}
		return edit(path, line)
	}
	_, err := report.WriteDir(local, &shown)
	return local, err
}

// openInBrowser passes a file to the browser.
func (a *app) openInBrowser(file string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	args, err := a.browser(runtime.GOOS, fileURL("", abs))
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

// browser returns the command that opens an address.
func (a *app) browser(goos, address string) ([]string, error) {
	if b := a.Getenv("BROWSER"); b != "" {
		return []string{b, address}, nil
	}
	switch goos {
	case "darwin":
		return []string{"open", address}, nil
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", address}, nil
	}
	if a.Getenv("DISPLAY") == "" && a.Getenv("WAYLAND_DISPLAY") == "" && a.Getenv("WSL_DISTRO_NAME") == "" {
		return nil, errors.New("there is no display, and BROWSER names no browser")
	}
	return []string{"xdg-open", address}, nil
}
