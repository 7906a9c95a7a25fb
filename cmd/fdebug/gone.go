package main

// gone says, for commands and flags that fdebug once had, what does their work now.
var gone = map[string]string{
	"build -o":           "fdebug build -bundle FILE takes tests elsewhere, and fdebug export reads the traces of runs",
	"completion":         "fdebug help COMMAND lists the flags",
	"diff":               "coverage has no order: fdebug run shows where failing runs first differ from passing ones",
	"explain":            "fdebug help kinds lists the kinds, and fdebug help KIND prints the same text",
	"export -pkg":        "RUN may be the name of a file with a trace",
	"export -sites":      "-o DIR says where fdebug run wrote to",
	"export -test":       "each goroutine of -text begins with its test; fdebug run -run TEST runs it alone",
	"fix -times":         "goroutines are held 3 times as long as was found to suffice",
	"help -man":          "fdebug help COMMAND prints the same text",
	"history -half-life": "a run counts half for each 30 days that it is older than the newest",
	"history -limit":     "what fails in less than 1 % of runs is not skipped",
	"hunt -shard":        "fdebug hunt of some packages on each machine",
	"import -time":       "results without a time have that of their file: touch -d sets it",
	"merge -next":        "fdebug hunt looks into what failed, on one machine",
	"push -to":           "-reports DIR names the directory, as for fdebug serve",
	"replay -dlv":        "fdebug replay -patch TEST | git apply, then any debugger: it fails without fdebug",
	"replay -rr":         `-exec "rr record" records each run`,
	"replay -times":      "goroutines are held 3 times as long as was found to suffice",
	"run -next":          "fdebug run makes experiments with tests that are flaky, on one machine",
	"serve -token":       "FDEBUG_TOKEN=SECRET in the environment keeps it out of lists of processes",
	"verify -bundle":     "fdebug replay -bundle FILE says how often the tests in it fail; an edit is judged where the source is",
	"verify -times":      "a test that passes is run with longer holds as well",
}
