package history

import (
	"net/url"
	"strings"
)

// A ServerError is about a server, which it names without the password.
type ServerError struct {
	Server string
	Text   string // one line
	Err    error
	// Unreachable is set if the server was not there: later it may be.
	Unreachable bool
	// Occupied is set if other tables stand where those of a history should.
	Occupied bool
}

func (e *ServerError) Unwrap() error { return e.Err }

func (e *ServerError) Error() string { return e.Server + ": " + e.Text }

// HiddenServer is shown of a URL in which the password can't be found.
const HiddenServer = "postgres://..."

// ShowServer returns the URL of a server as it may be shown: user, host and database.
func ShowServer(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" || u.Opaque != "" {
		return HiddenServer
	}
	_, after, _ := strings.Cut(raw, "://")
	if end := strings.IndexAny(after, "/?#"); end >= 0 && strings.Contains(after[end:], "@") || u.Fragment != "" {
		return HiddenServer
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	return shown.String()
}
