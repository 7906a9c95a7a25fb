package terminal

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
)

// EditorEnv names the editor that links open.
const EditorEnv = "FDEBUG_EDITOR"

// editors are addresses that open a line of a file in an editor.
var editors = map[string]string{
	"vscode":   "vscode://file{file}:{line}",
	"cursor":   "cursor://file{file}:{line}",
	"zed":      "zed://file{file}:{line}",
	"goland":   "goland://open?file={file}&line={line}",
	"idea":     "idea://open?file={file}&line={line}",
	"sublime":  "subl://open?url=file://{file}&line={line}",
	"textmate": "txmt://open?url=file://{file}&line={line}",
}

// editor returns a function that makes addresses for the user's editor, or nil without one.
func (s *Screen) editor() func(file string, line int) string {
	form := s.Getenv(EditorEnv)
	if known := editors[form]; known != "" {
		form = known
	}
	if checkEditor(form) != nil || form == "" {
		return nil
	}
	return func(file string, line int) string {
		path := (&url.URL{Path: urlPath(file)}).EscapedPath()
		return strings.NewReplacer("{file}", path, "{line}", strconv.Itoa(line)).Replace(form)
	}
}

// checkEditor refuses anything but the name of an editor, or an address with the place of a file:
// a browser that followed one of these schemes would run what it says.
func checkEditor(form string) error {
	if form == "" || editors[form] != "" {
		return nil
	}
	u, err := url.Parse(strings.NewReplacer("{file}", "/x", "{line}", "1").Replace(form))
	if err != nil || u.Scheme == "" || !strings.Contains(form, "{file}") || u.Scheme == "javascript" ||
		u.Scheme == "data" || u.Scheme == "vbscript" {
		return advice.With(advice.Usagef("%s=%s: want the name of an editor, or an address with {file} and {line}",
			EditorEnv, form),
			"for example vscode, goland, or myeditor://open?file={file}&line={line}")
	}
	return nil
}
