package page

import (
	"strings"
	"testing"
)

var articles = []Article{
	{"Hello", []string{"go", "news"}},
	{"Maps", []string{"go", "maps"}},
	{"More maps", []string{" Go", "maps"}},
	{"Tests", []string{"go", "tests"}},
}

func TestCloud(t *testing.T) {
	got := Cloud(articles)
	if want := `<b class="m">go</b> <b class="s">maps</b>`; got != want {
		t.Errorf("cloud:\n%s\nwant:\n%s", got, want)
	}
}

func TestRareTagsAreLeftOut(t *testing.T) {
	if got := Cloud(articles); strings.Contains(got, "news") {
		t.Errorf("cloud: %s", got)
	}
}

func TestNoArticles(t *testing.T) {
	if got := Cloud(nil); got != "" {
		t.Errorf("cloud: %q", got)
	}
}
