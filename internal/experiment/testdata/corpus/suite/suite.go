// Package suite has a test that changes what another one needs.
package suite

var locale = "en"

// SetLocale sets the language of greetings.
func SetLocale(l string) { locale = l }

// Greet greets.
func Greet() string {
	if locale == "de" { // cause locale
		return "Hallo"
	}
	return "Hello"
}
