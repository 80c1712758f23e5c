// SPDX-License-Identifier: Apache-2.0

package prog

// This file declares the syntax tree of the text form. It lives only between
// parser and checker, so one struct serves all expressions and one all
// statements; kinds tell which fields are used.

import "math/big"

type ident struct {
	name string
	segs []string
	bare bool // without backquotes and dots
	pos  Pos
}

type sourceFile struct {
	name    *ident // of the component; nil if missing
	uses    []*usesDecl
	enums   []*enumDecl
	consts  []*constDecl
	state   []*varDecl
	invs    []*expr       // invariants
	methods []*methodDecl // constructors among them
}

type enumDecl struct {
	name   *ident
	values []*ident
}

type constDecl struct {
	name *ident
	typ  *ident // nil: typed by use
	x    *expr
}

// A varDecl declares one variable: of the state, a parameter, a result, a local.
type varDecl struct {
	name *ident
	typ  *ident
	init *expr // nil: none
}

type methodDecl struct {
	constructor     bool
	name            *ident
	params, results []*varDecl
	body            []*stmt
	end             Pos // of the closing brace
}

type exprKind uint8

const (
	badExpr    exprKind = iota // an error was reported
	intExpr                    // val
	nameExpr                   // id
	unaryExpr                  // op x
	binaryExpr                 // x op y
	callExpr                   // id(args): a conversion or a built-in function
	havocExpr                  // any, choose: origin
	letExpr                    // let ids = args in y
)

type expr struct {
	kind   exprKind
	op     string
	id     *ident
	val    *big.Int
	x, y   *expr
	args   []*expr
	ids    []*ident
	origin Origin
	pos    Pos // of the operator in a binary expression
	depth  int
	paren  bool // written in parentheses

	typed bool // cache of checker.typeOf
	typ   *Type
}

type stmtKind uint8

const (
	varStmt    stmtKind = iota + 1 // vars: one declaration of several names
	assignStmt                     // lhs = rhs; op is "" or the operator of "+=" and so on
	assumeStmt                     // x
	ifStmt                         // x, body, els
	whileStmt                      // x (nil: for ever), body
	breakStmt
	continueStmt
	returnStmt // rhs
	errorStmt  // kindName, msg, blamed
	labelStmt  // id
	gotoStmt   // id
	choiceStmt // alts
	skipStmt
	stopStmt
	useStmt // lhs = id(rhs): a call of a used interface; rewritten before checking
)

type stmt struct {
	kind     stmtKind
	pos      Pos
	vars     []*varDecl
	lhs      []*ident
	op       string
	rhs      []*expr
	x        *expr
	body     []*stmt
	els      []*stmt
	alts     [][]*stmt
	id       *ident
	kindName string
	msg      string
	blamed   bool
}
