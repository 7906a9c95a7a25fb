package finding

import "testing"

// A command that fdebug names is under the conditions of the runs that it is about.
func TestTyped(t *testing.T) {
	o := Options{
		C: "../m", Out: "out dir", Run: "^TestA$", Skip: "B", CPU: "1,2",
		Flags: []string{"-race", "-vet=off"}, Packages: []string{"m/queue"}, Args: []string{"-seed", "3"},
	}
	if got, want := o.Typed("run"), "fdebug -C ../m run -o 'out dir' m/queue -run '^TestA$' -skip B -race -vet=off -cpu=1,2 -- -seed 3"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := (&Options{Packages: []string{"./queue"}}).Typed("hunt"), "fdebug hunt ./queue"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
