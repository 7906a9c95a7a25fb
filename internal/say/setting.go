package say

// A Setting is what is said where an act on the system around the program decides. It stands with that act.
type Setting struct {
	Cause            Cause
	With, Cure, Mark Label
	Fix              []Template
}

// A Choice is what is said where a choice decides. It stands with its freedom.
type Choice struct {
	Why              Label // of a place that failing runs made another one at
	With, Cure, Mark Label
	Cause            func(Verb, Chosen) Sentence
	Fix              func(Chosen) []Sentence
}

// A Chosen is where a choice is made.
type Chosen struct {
	At     Code // the line
	Drawn  Code // the call there that draws a number, else the line
	Ranged Code // what a range statement there goes through, without text if there is none
	Taken  Code // the case that failing runs take of a select, without place if that is not known
	// random numbers from From to To, below Unit, and what of several; zero if that is not known
	Unit, From, To int64
	Of             int
	Key, Before    Name // keys of a map
}

// A Cause says that an act decides, with what it sets.
type Cause func(Verb, Set) Sentence

// A Set is what an act sets.
type Set struct {
	Value    int64
	From, To int64 // values that do the same, parts of a Unit; both 0 if that is not known
	Unit     int64
	Text     Name
}

// Decides is the cause of a template with the verb and more values.
func Decides(t Template, values ...func(Set) Value) Cause {
	return func(does Verb, s Set) Sentence {
		list := []Value{does}
		for _, v := range values {
			list = append(list, v(s))
		}
		return t.With(list...)
	}
}

// What an act sets, as a value.
func SetTime(s Set) Value    { return Duration(s.Value) }
func SetCount(s Set) Value   { return Count(s.Value) }
func SetPercent(s Set) Value { return Percent(float64(s.Value) / 100) }
func SetText(s Set) Value    { return s.Text }

// Called is a name that is the same whatever the act sets.
func Called(n Name) func(Set) Value { return func(Set) Value { return n } }
