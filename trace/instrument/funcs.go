package instrument

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// funcNames names function literals as the compiler does: F.func1, F.func1.2.
type funcNames struct {
	name      string
	literals  int
	inLiteral bool // whether it is a literal itself
}

func (f *funcNames) literal() *funcNames {
	f.literals++
	format := "%s.func%d"
	if f.inLiteral {
		format = "%s.%d"
	}
	return &funcNames{name: fmt.Sprintf(format, f.name, f.literals), inLiteral: true}
}

// packageFacts are facts about the whole package that the rewriting of a file needs.
type packageFacts struct {
	// shadowed are functions of the package that have the name of a builtin.
	shadowed map[string]bool
	// funcTypes are types of the package that are functions, as far as a line tells.
	funcTypes map[string]bool
	// inits counts what the compiler numbers through all files of a package, by package name,
	// because an external test is a package of its own.
	inits map[string]*initNames
}

// initNames names the functions called init, and the literals in initialisers of package
// variables, which belong to an init function that the compiler makes.
type initNames struct {
	global funcNames
	inits  int
}

var (
	topLevelFunc = regexp.MustCompile(`(?m)^func (\w+)[(\[]`)
	funcType     = regexp.MustCompile(`(?m)^type (\w+)(?:\[.*\])? (?:= )?(?:func\(|iter\.Seq)`)
)

func findFacts(sources [][]byte) packageFacts {
	facts := packageFacts{shadowed: make(map[string]bool), funcTypes: make(map[string]bool), inits: make(map[string]*initNames)}
	for _, src := range sources {
		for _, m := range topLevelFunc.FindAllSubmatch(src, -1) {
			facts.shadowed[string(m[1])] = true
		}
		for _, m := range funcType.FindAllSubmatch(src, -1) {
			facts.funcTypes[string(m[1])] = true
		}
	}
	return facts
}

func (p *packageFacts) initsOf(pkg string) *initNames {
	if p.inits[pkg] == nil {
		p.inits[pkg] = &initNames{global: funcNames{name: "init"}}
	}
	return p.inits[pkg]
}

// declName returns the name of a function in the form "(*Queue).Drain".
func (r *rewriter) declName(d *ast.FuncDecl) string {
	if d.Recv != nil && len(d.Recv.List) > 0 {
		return methodName(d)
	}
	if d.Name.Name != "init" {
		return d.Name.Name
	}
	in := r.names.initsOf(r.file.Name.Name)
	in.inits++
	return fmt.Sprintf("init.%d", in.inits-1)
}

func methodName(d *ast.FuncDecl) string {
	star := false
	t := ast.Unparen(d.Recv.List[0].Type)
	if p, ok := t.(*ast.StarExpr); ok {
		star, t = true, ast.Unparen(p.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	id, ok := t.(*ast.Ident)
	if !ok {
		return d.Name.Name
	}
	if star {
		return "(*" + id.Name + ")." + d.Name.Name
	}
	return id.Name + "." + d.Name.Name
}

// findForbidden finds the functions whose pragmas forbid a call in them: a probe costs about 30
// of the 792 bytes of stack that nosplit functions share. The compiler takes pragmas from all
// comments since the previous declaration, not only from the doc comment.
func findForbidden(f *ast.File, pragmas map[string]bool) map[ast.Decl]bool {
	forbidden := make(map[ast.Decl]bool)
	next := 0 // the declaration after the comment
	for _, group := range f.Comments {
		for _, c := range group.List {
			for next < len(f.Decls) && f.Decls[next].Pos() < c.Pos() {
				next++
			}
			outside := next == 0 || f.Decls[next-1].End() <= c.Pos()
			if word, _, _ := strings.Cut(c.Text, " "); outside && next < len(f.Decls) && pragmas[word] {
				forbidden[f.Decls[next]] = true
			}
		}
	}
	return forbidden
}

// noCalls are the pragmas in user code that forbid a call.
var noCalls = map[string]bool{
	"//go:nosplit": true, "//go:systemstack": true, "//go:nowritebarrier": true,
	"//go:nowritebarrierrec": true, "//go:yeswritebarrierrec": true,
}
