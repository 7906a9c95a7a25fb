package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/fdebug/fdebug/trace"
)

// A rewriter puts probes into one source file.
type rewriter struct {
	fset  *token.FileSet
	file  *ast.File
	edit  edit
	sites *trace.Sites // where functions and blocks are added
	index int          // of the file in sites.Files
	names probeNames

	fn   int    // index in sites.Funcs of the function being rewritten
	call string // the function of fdebugrt that its probes call, or "" if they are inlined
	body *ast.BlockStmt
	// local is set in call-free code, which keeps the position in a local variable.
	local    bool
	declared map[string]bool      // names of call-free calls declared in the current declaration
	ranged   map[string]token.Pos // the result of rangedIn for it
	name     *funcNames           // of that function
	halves   map[token.Pos]half   // first halves of the pairs that the probes at these positions complete
}

// probeNames are the identifiers used in rewritten files, chosen so that no
// identifier of the package equals them.
type probeNames struct {
	pkg string // alias of the import of fdebugrt
	pos string // variable that holds the position in call-free code
	val string // alias of the import of fdebugval

	packageFacts

	calls    bool            // whether every probe is a call
	callFree bool            // whether call-free code may keep the position in a variable
	declared map[string]bool // names of call-free calls that the package declares
	noCalls  map[string]bool // pragmas of functions that must not have probes
	values   []ValueProbe    // of the current file
	inside   []inside        // of the current file
	first    int             // number of the first position inside a statement
	placed   []trace.Block   // where these are; see writer
	shown    string          // the current file as the program sees it, if not where the build does
}

// parse parses src for rewriting. The error is about the user's file and has the file and
// position as the compiler would give them.
func parse(name string, src []byte) (*token.FileSet, *ast.File, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	return fset, f, err
}

// rewrite returns src with probes, and adds its file, functions and blocks to sites. It returns
// nil if there is nothing to probe.
func rewrite(sites *trace.Sites, tf trace.File, fset *token.FileSet, f *ast.File, src []byte, names probeNames) []byte {
	r := &rewriter{fset: fset, file: f, edit: edit{old: src}, sites: sites, index: len(sites.Files), names: names,
		halves: make(map[token.Pos]half)}
	before := len(sites.Blocks)
	sites.Files = append(sites.Files, tf)
	r.decls()
	if len(sites.Blocks) == before {
		sites.Files = sites.Files[:r.index]
		return nil
	}
	if names.shown != "" {
		p := r.position(f.Name.End())
		r.edit.insert(p.Offset, fmt.Sprintf("/*line %s:%d:%d*/", names.shown, p.Line, p.Column))
	}
	r.edit.insert(r.offset(f.Name.End()), fmt.Sprintf("; import %s %q", names.pkg, "fdebugrt"))
	r.values(names.values)
	r.insides(before)
	return r.edit.bytes()
}

func (r *rewriter) decls() {
	global := &r.names.initsOf(r.file.Name.Name).global
	forbidden := findForbidden(r.file, r.names.noCalls)
	for _, d := range r.file.Decls {
		r.declared, r.ranged = make(map[string]bool), nil
		declaredIn(d, r.declared)
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.funcDecl(d, forbidden[d])
		case *ast.GenDecl:
			r.name, r.fn = global, -1
			r.exprs(d)
		}
	}
}

func (r *rewriter) funcDecl(d *ast.FuncDecl, forbidden bool) {
	if d.Body == nil || d.Name.Name == "_" || forbidden {
		return
	}
	if r.mayBeCallFree() {
		r.ranged = r.rangedIn(d)
	}
	r.function(&funcNames{name: r.declName(d)}, d.Recv, d.Type, d.Body, d.Pos())
}

// function rewrites a body that may run on a goroutine of its own.
func (r *rewriter) function(names *funcNames, recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt,
	pos token.Pos) {
	outer, outerFn, outerBody, outerCall := r.name, r.fn, r.body, r.call
	r.name, r.fn, r.body = names, len(r.sites.Funcs), body
	r.sites.Funcs = append(r.sites.Funcs, trace.Func{
		File: r.index, Name: names.name, Line: r.position(pos).Line, End: r.position(body.Rbrace).Line,
	})
	r.call = r.callFor(recv, typ, body)
	r.local = r.mayBeCallFree() && r.isCallFree(body)
	if r.local {
		r.edit.insert(r.offset(body.Lbrace+1), fmt.Sprintf("%s:=%s.Here();", r.names.pos, r.names.pkg))
	}
	r.list(body.List, trace.BlockEntry, body.Lbrace+1, body.Rbrace)
	if r.local && typ.Results.NumFields() == 0 {
		r.keep(body.Rbrace, ";%s.Keep(%s)")
	}
	r.local = false
	r.name, r.fn, r.body, r.call = outer, outerFn, outerBody, outerCall
}

// callFor returns the function that the probes of a body call, or "" if they are inlined.
func (r *rewriter) callFor(recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) string {
	switch {
	case r.names.calls || r.isLarge(body):
		return "At"
	case r.isLeaf(body) || r.isClosing(recv, typ, body):
		return "Leaf"
	}
	return ""
}

// stmt rewrites the bodies and function literals inside a statement.
func (r *rewriter) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		r.list(s.List, trace.BlockNext, s.Lbrace+1, s.Rbrace)
	case *ast.IfStmt:
		r.ifStmt(s)
	case *ast.ForStmt:
		r.forStmt(s, s.Pos())
	case *ast.RangeStmt:
		r.rangeStmt(s, s.Pos())
	case *ast.SwitchStmt:
		r.exprs(s.Init, s.Tag)
		r.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		r.exprs(s.Init, s.Assign)
		r.clauses(s.Body)
	case *ast.SelectStmt:
		r.clauses(s.Body)
	case *ast.LabeledStmt:
		r.labeled(s)
	case *ast.ReturnStmt:
		if r.local {
			r.keep(s.Pos(), "%s.Keep(%s);")
		}
		r.exprs(s)
	default:
		r.exprs(s)
	}
}

// ifStmt wraps an else-if in braces, to make room for a probe before its condition: else if c {}
// becomes else {probe; if c {}}.
func (r *rewriter) ifStmt(s *ast.IfStmt) {
	r.exprs(s.Init, s.Cond)
	r.list(s.Body.List, trace.BlockThen, s.Body.Lbrace+1, s.Body.Rbrace)
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		r.list(e.List, trace.BlockElse, e.Lbrace+1, e.Rbrace)
	case *ast.IfStmt:
		r.edit.insert(r.offset(e.Pos()), "{")
		r.list([]ast.Stmt{e}, trace.BlockElse, e.Pos(), e.End())
		r.edit.insert(r.offset(e.End()), "}")
	}
}

func (r *rewriter) clauses(body *ast.BlockStmt) {
	for i, c := range body.List {
		end := body.Rbrace
		if i+1 < len(body.List) {
			end = body.List[i+1].Pos()
		}
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				r.exprs(x)
			}
			r.clause(c.Body, trace.BlockCase, c.Pos(), c.Colon, end)
		case *ast.CommClause:
			r.exprs(c.Comm)
			r.clause(c.Body, trace.BlockComm, c.Pos(), c.Colon, end)
		}
	}
}

// clause rewrites the statements after a colon. The case itself belongs to the block, which says
// that the case was chosen.
func (r *rewriter) clause(list []ast.Stmt, kind trace.BlockKind, pos, colon, end token.Pos) {
	first := len(r.sites.Blocks)
	r.list(list, kind, colon+1, min(end, colon+1))
	p := r.position(pos)
	b := &r.sites.Blocks[first]
	b.StartLine, b.StartCol = p.Line, p.Column
}

// exprs rewrites the function literals in nodes.
func (r *rewriter) exprs(nodes ...ast.Node) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			l, ok := n.(*ast.FuncLit)
			if ok {
				r.function(r.name.literal(), nil, l.Type, l.Body, l.Pos())
			}
			return !ok
		})
	}
}

// block adds the block from start to end to the sites and returns its number.
func (r *rewriter) block(kind trace.BlockKind, start, end token.Pos, stmts int) int {
	s, e := r.position(start), r.position(end)
	r.sites.Blocks = append(r.sites.Blocks, trace.Block{
		Func: r.fn, Kind: kind, Stmts: stmts,
		StartLine: s.Line, StartCol: s.Column, EndLine: e.Line, EndCol: e.Column,
	})
	return len(r.sites.Blocks) - 1
}

// probe inserts the probe of a block that starts at position at. If the block is the first of a
// pair, the probes of its branches complete it. The second block of a pair is never the first of
// another.
func (r *rewriter) probe(at token.Pos, b half, branches ...token.Pos) {
	first, second := r.halves[at]
	if second {
		r.edit.insert(r.offset(at), r.pairText(first, b.block))
		return
	}
	for _, pos := range branches {
		r.halves[pos] = b
	}
	if b.how != held {
		r.edit.insert(r.offset(at), r.probeText(b))
	}
}

// probeText returns the statement that records a block, see package fdebugrt. It does not begin
// like a statement of the user's, because the place of a compiler error is found by comparing the
// texts (runner.align).
func (r *rewriter) probeText(b half) string {
	pkg, pos := r.names.pkg, r.names.pos
	switch {
	case r.call != "":
		return fmt.Sprintf("%s.%s(%d);", pkg, r.call, b.block)
	case b.how == marked:
		return fmt.Sprintf(";if %[1]s.Full(){%[1]s.MarkAt(%[2]d)}else{%[1]s.Mark(%[2]d)};", pkg, b.block)
	case r.local:
		return fmt.Sprintf(";if %[2]s==%[1]s.End(){%[2]s=%[1]s.Next(%[2]s,%[3]d)};%[2]s=%[1]s.PutAt(%[2]s,%[3]d);",
			pkg, pos, b.block)
	}
	return fmt.Sprintf(";if %[1]s.Full(){%[1]s.At(%[2]d)}else{%[1]s.Put(%[2]d)};", pkg, b.block)
}

// pairText returns the statement that records the rest of a pair.
func (r *rewriter) pairText(first half, second int) string {
	pkg, pos := r.names.pkg, r.names.pos
	switch {
	case first.how == marked:
		return fmt.Sprintf(";if %[1]s.Last(){%[1]s.After(%[2]d)}else{%[1]s.PutAfter(%[2]d)};", pkg, second)
	case r.local:
		return fmt.Sprintf(
			";if %[2]s+4>=%[1]s.End(){%[2]s=%[1]s.Next2(%[2]s,%[3]d,%[4]d)}else{%[2]s=%[1]s.Put2At(%[2]s,%[3]d,%[4]d)};",
			pkg, pos, first.block, second)
	}
	return fmt.Sprintf(";if %[1]s.Full2(){%[1]s.At2(%[2]d,%[3]d)}else{%[1]s.Put2(%[2]d,%[3]d)};", pkg,
		first.block, second)
}

// position ignores //line: a block's identity must not depend on it.
func (r *rewriter) position(p token.Pos) token.Position { return r.fset.PositionFor(p, false) }

func (r *rewriter) offset(p token.Pos) int { return r.position(p).Offset }

// chooseNames returns names that none of the package's files use.
func chooseNames(sources [][]byte) probeNames {
	free := func(name string) string {
		for taken(sources, name) {
			name += "_"
		}
		return name
	}
	return probeNames{pkg: free("fdebugrt"), pos: free("fdebugp"), val: free("fdebugval"), packageFacts: findFacts(sources)}
}

func taken(sources [][]byte, name string) bool {
	for _, src := range sources {
		if bytes.Contains(src, []byte(name)) {
			return true
		}
	}
	return false
}
