package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/team"
)

// leastToken is how long a token must be: it can be guessed as fast as the server answers.
const leastToken = 16

// A Serve shows the history and stored reports in the browser.
type Serve struct {
	*Keeper
	Addr    string // "" for the default
	Token   string
	Out     string
	Reports string
	Branch  string
}

func (j *Serve) Check() error {
	if j.Team == nil {
		return advice.With(errors.New("this fdebug is built without the pages"), teamHint)
	}
	if err := j.CheckDB(); err != nil {
		return err
	}
	if j.Token != "" && len(j.Token) < leastToken {
		return advice.With(advice.Usagef("FDEBUG_TOKEN: want at least %d characters", leastToken),
			"openssl rand -hex 16 makes one")
	}
	if j.Addr != "" {
		if !strings.Contains(j.Addr, ":") {
			return advice.With(advice.Usagef("-http %s: not an address", j.Addr),
				"want host:port such as localhost:8080, or :8080 for all addresses of this machine")
		}
	}
	if j.Reports != "" {
		if info, err := os.Stat(j.Reports); err != nil || !info.IsDir() {
			return advice.With(advice.Usagef("-reports %s: no such directory", j.Reports),
				"it is the one that fdebug push -reports writes")
		}
	}
	return nil
}

func (j *Serve) Run(ctx context.Context) (int, error) {
	st := j.StoreIn(j.Out)
	err := j.Team.Serve(ctx, team.Pages{
		Addr: j.Addr, Token: j.Token,
		Open:   func(ctx context.Context) (*history.DB, error) { return j.open(ctx, st) },
		Filter: history.Filter{Branch: j.Branch},
		Local:  filepath.Join(st.Dir, "runs"), Shared: j.Reports,
		Warnf: j.Warnf, Ready: j.ready,
	})
	if errors.Is(err, team.ErrToken) {
		return exit.Usage, advice.With(advice.Usagef("-http %s: %v", j.Addr, err),
			"FDEBUG_TOKEN=SECRET in the environment: openssl rand -hex 16 makes one",
			"without -http only this machine is answered")
	} else if err != nil {
		return exit.Trouble, err
	}
	return exit.OK, nil
}

// ready tells where the pages are.
func (j *Serve) ready(url string) {
	fmt.Fprintln(j.Stdout, url)
	if j.Token != "" {
		fmt.Fprintln(j.Stderr, "a browser asks for the token once; programs send it as Authorization: Bearer TOKEN")
	}
}

// open opens the history to be read.
func (j *Serve) open(ctx context.Context, st store.Store) (*history.DB, error) {
	db, err := j.openReadOnly(ctx, st)
	switch {
	case j.URL != "":
	case errors.Is(err, fs.ErrNotExist):
		return nil, explainNoHistory("")
	case history.IsNewer(err):
		return nil, advice.With(err, "a newer fdebug has written it: install that one")
	}
	return db, err
}
