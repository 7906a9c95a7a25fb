package analyze

import "testing"

func TestArch(t *testing.T) {
	for platform, want := range map[string]string{
		"linux/386, 2 CPUs, GOMAXPROCS=2":             "386",
		"linux/arm64, 3 machines of 2 to 4 CPUs each": "arm64",
		"linux/amd64": "amd64",
		"":            "",
	} {
		if got := (&Meta{Platform: platform}).arch(); got != want {
			t.Errorf("%q: %q, want %q", platform, got, want)
		}
	}
}
