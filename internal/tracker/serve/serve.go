// Package serve shows a history and stored reports in the browser. It lists the tests that
// cost most, what is known of each, and the pages of its runs. The server makes all of it,
// so it works without script. It writes nothing.
//
// A [Server] is an http.Handler that answers from a snapshot in memory. It makes a new
// one when the database or the reports have changed, so that no request waits for a query.
//
// Who may ask is decided in guard.go, before anything else. Reports were written by
// whatever ran the tests, and are served as hostile (stored.go).
package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/team"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/templates"
)

// Options say what a server shows, and to whom.
type Options struct {
	team.Pages
	// Loopback is set if only this machine is to be answered: then nobody may ask for
	// another host, as a page in the user's browser could under a name of its own.
	Loopback bool
	clock    func() time.Time // nil for the clock
}

// A Server is the handler.
type Server struct {
	Options
	pages        *template.Template
	style        template.HTML
	pagePolicy   string // of our pages
	reportPolicy string // of stored reports

	clean *listing.Cleaner // of names and messages, which tests make up

	db      *history.DB // nil while it can't be opened
	current atomic.Pointer[snapshot]
}

// New makes a server, and reads what it is to show.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{Options: o, clean: listing.NewCleaner("", nil)}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.Warnf == nil {
		s.Warnf = func(string, ...any) {}
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	snap, err := s.load(ctx, nil)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.current.Store(snap)
	return s, nil
}

// Close closes the history.
func (s *Server) Close() error {
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// prepare reads the templates and makes the policies.
func (s *Server) prepare() error {
	var style strings.Builder
	for _, name := range []string{"base.css", "report.css", "parts.css", "serve/serve.css"} {
		data, err := templates.FS.ReadFile(name)
		if err != nil {
			return err
		}
		style.WriteString(strings.ReplaceAll(string(data), "\r\n", "\n")) // as the browser hashes it
	}
	sum := sha256.Sum256([]byte(style.String()))
	script, err := report.ScriptHash()
	if err != nil {
		return err
	}
	s.style = template.HTML("<style>" + style.String() + "</style>")
	s.pagePolicy = fmt.Sprintf(
		"default-src 'none'; style-src 'sha256-%s'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
	s.reportPolicy = fmt.Sprintf(
		"default-src 'none'; style-src 'unsafe-inline'; script-src '%s'; img-src data:; form-action 'none'; base-uri 'none'; "+
			"frame-ancestors 'self'; sandbox allow-scripts allow-forms", script)
	s.pages, err = template.New("").Funcs(template.FuncMap{"clean": s.line}).ParseFS(templates.FS, "serve/*.html")
	return err
}

// line makes one line of a text that somebody made up, without what would hide or reorder
// it.
func (s *Server) line(text any) string { return s.clean.Line(fmt.Sprint(text), 500) }

// route answers a request that may be answered.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	snap := s.current.Load()
	switch path := r.URL.Path; {
	case path == "/":
		s.listPage(w, r, snap)
	case path == "/test":
		s.testPage(w, r, snap)
	case path == "/reports":
		s.reportsPage(w, r, snap)
	case path == "/compare":
		s.comparePage(w, r, snap)
	case strings.HasPrefix(path, stored):
		s.stored(w, r, snap)
	default:
		s.notFound(w, "There is no such page.")
	}
}

// A shell is what every page has.
type shell struct {
	PageTitle string
	Style     template.HTML
	Here      string // "/" and the like: which of the links at the top this is
	Now       time.Time
	Foot      string // of when what is shown is
	// Trouble says that what is shown is not of now, "" if it is.
	Trouble string
}

func (s *Server) shell(title, here string, snap *snapshot) shell {
	x := shell{PageTitle: title, Style: s.style, Here: here, Now: s.clock()}
	if snap != nil {
		x.Foot, x.Trouble = "Read from the history at "+snap.read.UTC().Format("2006-01-02 15:04:05")+" UTC",
			snap.trouble
	}
	return x
}

// render writes a page as a whole, or an error.
func (s *Server) render(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, data); err != nil {
		s.Warnf("making a page: %v", err)
		http.Error(w, "This page could not be made.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// A messagePage says one thing.
type messagePage struct {
	shell
	Text string
	// Again is where to ask once more, Ask whether to ask for a token.
	Again string
	Ask   bool
}

func (s *Server) notFound(w http.ResponseWriter, text string) {
	s.render(w, http.StatusNotFound, "message.html", messagePage{shell: s.shell("Not found", "", nil), Text: text})
}
