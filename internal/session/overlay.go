package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// WriteOverlay writes files into a directory, with an overlay for go build -overlay that puts
// them in place of the module's files, below root. It returns the name of the overlay.
func WriteOverlay(dir, root string, files map[string][]byte) (string, error) {
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = file
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}
