package proof

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// outline is what a proof says, in one line.
func outline(p *Proof) string {
	kinds := func(list Acts) (out []string) {
		for _, a := range list {
			text := a.Kind
			if a.What != 0 {
				text += " " + a.What.String()
			}
			if a.At != nil {
				text += fmt.Sprintf(" :%d", a.At.Line)
			}
			if a.Until != nil {
				text += fmt.Sprintf(" until :%d", a.Until.Line)
			}
			if a.Dose != 0 {
				text += " " + a.Dose.String()
			}
			out = append(out, text)
		}
		return out
	}
	var at []int
	for _, x := range p.At {
		at = append(at, x.Line)
	}
	text := fmt.Sprintf("%s: %q, opposite %q, at %v", p.Kind(), kinds(p.Plan), kinds(p.Opposite), at)
	if p.Early != nil {
		text += fmt.Sprintf(", early :%d %v", p.Early.At.Line, p.Early.Dose)
	}
	return text
}

// Files of version 1 say in version 2 what they said, and can be written and read again.
func TestConvert(t *testing.T) {
	for name, want := range map[string]string{
		"hold_early": `stall: ["stall :25 13ms"], opposite [], at [25 26], early :11 117ms`,
		"hold_cure":  `stall: ["stall :83 4.6ms"], opposite ["stall :62 30ms"], at [83 83]`,
		"holds":      `stall: ["stall :38 19.6ms" "stall :32 19.6ms"], opposite [], at []`,
		"class":      `stall: ["stall :13 9.8ms"], opposite [], at [13 13], early :14 88.2ms`,
		"order":      `order: ["order :91 until :33 100ms"], opposite ["order :54 until :94 100ms"], at [60 91]`,
		"select":     `select: ["select :13"], opposite ["select :13"], at []`,
		"map":        `map: ["map :25"], opposite ["map :25"], at []`,
		"rand":       `rand: ["rand :36"], opposite ["rand :36"], at []`,
		"timer":      `timer: ["timer late :20 17ms"], opposite ["timer late :20"], at [20]`,
		"dir":        `dir: ["dir order :111"], opposite ["dir order :111"], at [111]`,
		"port":       `limits: ["limits taken :78"], opposite ["limits free :78"], at [78]`,
		"files":      `limits: ["limits files"], opposite ["limits files"], at []`,
		"gc":         `gc: ["gc :18"], opposite [], at []`,
		"tests":      `tests: [], opposite [], at []`,
	} {
		p, err := Read(filepath.Join("testdata", "v1", name+".replay.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := outline(p); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		again := filepath.Join(t.TempDir(), "x.replay.json")
		if err := p.WriteFile(again); err != nil {
			t.Fatal(err)
		}
		back, err := Read(again)
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("%s: read again as %+v, %v; want %+v", name, back, err, p)
		}
	}
}

// What only hand-made files of version 1 are known to have.
func TestConvertOther(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "v1", "hold_cure.replay.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		edit       func(m map[string]any)
	}{
		{"it fails anyway, and a cure is known", `stall: [], opposite ["stall :62 30ms"], at []`, func(m map[string]any) { delete(m, "stalls") }},
		{"it fails anyway, and passes by other choices", `map+rand: [], opposite [], at []`, func(m map[string]any) {
			m["always"], m["kind"] = true, "map+rand"
			delete(m, "stalls")
			delete(m, "cure")
		}},
		{"choices of a kind decide, and others are as they are when it passes", `map: ["select" "map"], opposite [], at [83]`, func(m map[string]any) {
			at := m["stalls"].([]any)[0].(map[string]any)["at"].(map[string]any)
			m["pins"] = []any{map[string]any{"kind": "select", "seed": "7"}, map[string]any{"kind": "map", "seed": "8"}}
			m["draws"], m["kind"] = []any{at}, "map"
			delete(m, "stalls")
			delete(m, "cure")
		}},
		{"at random events", `yield+sched: ["yield 1ms" "sched"], opposite [], at []`, func(m map[string]any) {
			m["yield"] = map[string]any{"seed": "7", "per_1024": 64, "stalls_ns": 1e6}
			m["sched"] = map[string]any{"seed": "7", "per_1024": 16}
			delete(m, "stalls")
			delete(m, "cure")
		}},
	} {
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "window")
		c.edit(m)
		edited, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parse(edited)
		if err != nil || strings.TrimSpace(outline(p)) != c.want {
			t.Errorf("%s: %v, %v, want %s", c.name, p, err, c.want)
		}
	}
}
