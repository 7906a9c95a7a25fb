package history

import (
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// errURL is returned for what is not the URL of a server, or may not be what is meant. It
// does not say how: that could show the password.
var errURL = errors.New("not the URL of a PostgreSQL database")

// hidden is shown of a URL of which can't be told where the password is.
const hidden = "postgres://..."

// CheckServer refuses what is not the URL of a server. It refuses too what would be
// understood, but not as it is meant: a password with a slash in it would become part of
// the host and of the database's name, which are shown.
func CheckServer(raw string) error {
	_, err := configOf(raw)
	return err
}

func configOf(raw string) (*pgx.ConnConfig, error) {
	if ShowServer(raw) == hidden {
		return nil, errURL
	}
	cfg, err := pgx.ParseConfig(raw)
	if err != nil {
		return nil, errURL
	}
	return cfg, nil
}

// ShowServer returns the URL of a server as it may be shown: user, host and database.
func ShowServer(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Opaque != "" {
		return hidden
	}
	_, after, _ := strings.Cut(raw, "://")
	if end := strings.IndexAny(after, "/?#"); end >= 0 && strings.Contains(after[end:], "@") || u.Fragment != "" {
		return hidden
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	return shown.String()
}
