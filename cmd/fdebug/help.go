package main

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/templates"
)

//go:embed help/*.txt
var helpTexts embed.FS

// helpCmd prints help to stdout, because the user asked for it.
func (a *app) helpCmd(args []string) (int, error) {
	args, err := newFlagSet("help").parse(args)
	if err != nil {
		return exit.Usage, err
	}
	name := "fdebug"
	if len(args) > 0 {
		name = args[0]
	}
	if len(args) > 1 {
		return exit.Usage, advice.Usagef("help takes one command")
	}
	if !a.printHelp(a.Stdout, name) {
		return exit.Usage, a.unknownCommand(name)
	}
	return exit.OK, nil
}

// printHelp prints the help text of a command, the advice on a kind of flakiness, or the overview for "fdebug".
func (a *app) printHelp(w io.Writer, name string) bool {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		text, err = templates.FS.ReadFile("advice/" + name + ".md")
	}
	if err != nil {
		return false
	}
	w.Write(text)
	switch name {
	case "perturbations":
		printKinds(w)
	case "rules":
		printRules(w)
	case "shards":
		printExecutors(w)
	}
	if name == "fdebug" {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, c := range commands() {
			fmt.Fprintf(tw, "\t%s\t%s\n", c.name, c.summary)
		}
		tw.Flush()
		fmt.Fprintf(w,
			"\nUse \"fdebug help COMMAND\" for more, and \"fdebug help perturbations\" for what may\nvary between two runs.\n")
	}
	return true
}

// printKinds prints the catalogue of perturbations.
func printKinds(w io.Writer) {
	for _, k := range freedom.Settable() {
		fmt.Fprintf(w, "\n  %s\n", k.Name)
		printFilled(w, k.Varies)
		printFilled(w, "Why it is legal: "+k.Legal)
		printFilled(w, "Source: "+k.Source)
		sites := "Done at: " + k.Sites + "."
		if k.Dose != "" {
			sites += " Dose: " + k.Dose + "."
		}
		printFilled(w, sites)
	}
}

// printExecutors prints the variables that -shard auto reads.
func printExecutors(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range shard.Executors() {
		if e.Index != "" {
			fmt.Fprintf(tw, "\t%s\t%s, from %s\t%s\n", e.Name, e.Index, cmp.Or(e.Min, fmt.Sprint(e.First)),
				cmp.Or(e.Total, "auto/N"))
		}
	}
	tw.Flush()
}

// printFilled prints a paragraph of help, filled to the width of its texts.
func printFilled(w io.Writer, text string) {
	const indent, width = "      ", 84
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len(line)+len(word) > width {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = indent
		}
		line += word + " "
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

// printRules prints the documentation of the rules.
func printRules(w io.Writer) {
	for _, r := range diagnose.Rules() {
		fmt.Fprintf(w, "\n%s\n", r.Name)
		for _, line := range strings.Split(r.Doc, "\n") {
			fmt.Fprintf(w, "\t%s\n", line)
		}
	}
}

func (a *app) versionCmd(args []string) (int, error) {
	if len(args) > 0 {
		return exit.Usage, advice.Usagef("version takes no arguments")
	}
	fmt.Fprintf(a.Stdout, "fdebug %s (built with %s for %s/%s)\n", version(), runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
	return exit.OK, nil
}

// version returns the module version that the binary was installed as.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
