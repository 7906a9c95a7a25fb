package main

import (
	"embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/perturb"
)

//go:embed help/*.txt
var helpTexts embed.FS

// helpCmd prints help to stdout: it was asked for.
func (a *app) helpCmd(args []string) (int, error) {
	name := "fdebug"
	if len(args) > 0 {
		name = args[0]
	}
	if len(args) > 1 {
		return exitUsage, usagef("help takes one command")
	}
	if name == "perturbations" {
		printPerturbations(a.stdout)
		return exitOK, nil
	}
	if !a.printHelp(a.stdout, name) {
		return exitUsage, a.unknownCommand(name)
	}
	return exitOK, nil
}

// printHelp prints the help text of a command, or the overview for "fdebug".
func (a *app) printHelp(w io.Writer, name string) bool {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return false
	}
	w.Write(text)
	if name == "fdebug" {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, c := range commands() {
			fmt.Fprintf(tw, "\t%s\t%s\n", c.name, c.summary)
		}
		tw.Flush()
		fmt.Fprintf(w, "\nUse \"fdebug help COMMAND\" for more.\n")
	}
	return true
}

// printPerturbations prints the catalogue of what hunt varies.
func printPerturbations(w io.Writer) {
	fmt.Fprintf(w, "What fdebug hunt varies, and why a program has to cope with it:\n")
	for _, k := range perturb.Kinds() {
		fmt.Fprintf(w, "\n%s\n", k.Name)
		for _, line := range []string{k.Varies, k.Legal, "(" + k.Source + ")"} {
			fmt.Fprintf(w, "%s\n", wrap(line, "    ", 79))
		}
		sites := "Where: " + k.Sites + "."
		if k.Dose != "" {
			sites += " How much: " + k.Dose + "."
		}
		fmt.Fprintf(w, "%s\n", wrap(sites, "    ", 79))
	}
}

// wrap breaks text into lines of at most width columns, indented.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	column := width
	for _, word := range strings.Fields(text) {
		if column+1+len(word) > width {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(indent)
			column = len(indent)
		} else {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

func (a *app) versionCmd(args []string) (int, error) {
	if len(args) > 0 {
		return exitUsage, usagef("version takes no arguments")
	}
	fmt.Fprintf(a.stdout, "fdebug %s (built with %s for %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK, nil
}

// version returns the module version that the binary was installed as.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
