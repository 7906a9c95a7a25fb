package main

// gone says, for commands and flags that fdebug once had, what does their work now.
var gone = map[string]string{
	"completion":         "fdebug help COMMAND lists the flags",
	"diff":               "coverage has no order: fdebug run shows where failing runs first differ from passing ones",
	"export -pkg":        "RUN may be the name of a file with a trace",
	"export -sites":      "-o DIR says where fdebug build wrote to",
	"fix -times":         "goroutines are held 3 times as long as was found to suffice",
	"help -man":          "fdebug help COMMAND prints the same text",
	"history -half-life": "a run counts half for each 30 days that it is older than the newest",
	"history -limit":     "what fails in less than 1 % of runs is not skipped",
	"hunt -every":        "goroutines are held once where nobody can tell the difference",
	"import -attempt":    "the environment of a CI job says it",
	"import -go":         "nothing showed it",
	"import -job":        "the environment of a CI job says it",
	"import -platform":   "nothing showed it",
	"import -time":       "results without a time have that of their file: touch -d sets it",
	"issue -short":       "what is folded begins at <details>",
	"push -to":           "-reports DIR names the directory, as for fdebug serve",
	"replay -dlv":        "fdebug replay -patch TEST | git apply, then any debugger: it fails without fdebug",
	"replay -rr":         `-exec "rr record" records each run`,
	"replay -times":      "goroutines are held 3 times as long as was found to suffice",
	"serve -token":       "FDEBUG_TOKEN=SECRET in the environment keeps it out of lists of processes",
	"verify -bundle":     "fdebug replay -bundle FILE says how often the tests in it fail; an edit is judged where the source is",
	"verify -times":      "a test that passes is run with longer holds as well",
}
