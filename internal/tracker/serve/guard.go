package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// cookieName and cookieAge are of what a browser keeps instead of the token.
const (
	cookieName = "fdebug"
	cookieAge  = 30 * 24 * 60 * 60 // seconds
)

// again marks a request that a page of ours has asked to make once more.
const again = "again"

// ServeHTTP implements http.Handler: it decides whether a request is answered at all, in
// the same way whatever it asks for, and sets what all answers have.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", s.pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case s.Loopback && !isLoopbackName(r.Host):
		http.Error(w, "This server answers for localhost only.", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Nothing can be changed here.", http.StatusMethodNotAllowed)
	case !isPlain(r.URL.Path):
		s.notFound(w, "There is no such page.")
	case s.Token == "":
		s.route(w, r)
	default:
		s.withToken(w, r)
	}
}

// isLoopbackName reports whether a Host header names this machine to itself.
func isLoopbackName(host string) bool {
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// isPlain reports whether a path is what it seems to be: no "..", nothing doubled, and no
// characters that some system takes for a separator.
func isPlain(p string) bool {
	if !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "\\\x00") {
		return false
	}
	return path.Clean(p) == p
}

// withToken answers a request that knows the token: by header, by cookie, or, once, by
// parameter, which a cookie then replaces.
func (s *Server) withToken(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case query.Has("token"):
		if !s.isToken(query.Get("token")) {
			s.unauthorized(w, r)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.cookie(), Path: "/", MaxAge: cookieAge,
			HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
		query.Del("token")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String())
		w.WriteHeader(http.StatusSeeOther)
	case s.knows(r):
		s.route(w, r)
	default:
		s.unauthorized(w, r)
	}
}

// knows reports whether a request has the token in a header, or the cookie.
func (s *Server) knows(r *http.Request) bool {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return s.isToken(strings.TrimSpace(token))
	}
	c, err := r.Cookie(cookieName)
	return err == nil && equal(c.Value, s.cookie())
}

func (s *Server) isToken(token string) bool { return equal(token, s.Token) }

// equal compares in a time that says nothing of the strings, not even how long they are.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// cookie proves that a browser knew the token, and does not tell it.
func (s *Server) cookie() string {
	m := hmac.New(sha256.New, []byte(s.Token))
	m.Write([]byte("fdebug serve cookie"))
	return hex.EncodeToString(m.Sum(nil))
}

// unauthorized answers a request without the token, whatever it asked for. A browser that
// follows a link from elsewhere, as from within the sandbox of a report, keeps its cookie
// to itself: it is told to ask again, from a page of ours.
func (s *Server) unauthorized(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="fdebug"`)
	p := messagePage{shell: s.shell("A token is needed", "", nil), Ask: true,
		Text: "This server shows its pages to those who know its token."}
	query := r.URL.Query()
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && !query.Has(again) && !query.Has("token") {
		query.Set(again, "1")
		p.Again = (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	s.render(w, http.StatusUnauthorized, "message.html", p)
}
