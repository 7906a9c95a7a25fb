package session

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
)

// WriteOverlay writes files into a directory, with an overlay for go build -overlay that puts
// them in place of the module's files, below root; nil removes a file. It returns the name of the overlay.
func WriteOverlay(dir, root string, files map[string][]byte) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		was := filepath.Join(root, filepath.FromSlash(name))
		if text == nil {
			overlay.Replace[was] = ""
			continue
		}
		file := filepath.Join(dir, url.PathEscape(name))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return "", err
		}
		overlay.Replace[was] = file
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}
