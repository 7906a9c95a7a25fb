package freedom

import (
	"reflect"
	"strings"
	"testing"
)

// TestKindsDocumented checks that the catalogue says for each kind what varies and why that is
// legal.
func TestKindsDocumented(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Settable() {
		v := reflect.ValueOf(*k)
		for i := range v.NumField() {
			name, text := v.Type().Field(i).Name, v.Field(i).String()
			if text == "" && name != "Dose" && name != "Category" {
				t.Errorf("%s: no %s", k.Name, name)
			}
			if strings.TrimSpace(text) != text || strings.Contains(text, "\n") || strings.Contains(text, "|") {
				t.Errorf("%s: %s is no plain line: %q", k.Name, name, text)
			}
		}
		if !strings.HasSuffix(k.Varies, ".") || !strings.HasSuffix(strings.TrimSuffix(k.Legal, `"`), ".") {
			t.Errorf("%s: no sentence", k.Name)
		}
		if seen[k.Name] {
			t.Errorf("%s comes twice", k.Name)
		}
		seen[k.Name] = true
	}
}
