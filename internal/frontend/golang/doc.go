// SPDX-License-Identifier: Apache-2.0

// Package golang reads Go types: it loads a package from source with go/packages, takes its SSA form (go/ssa), and lowers the
// exported methods and the constructors of a type to an open program.
//
// Everything that errors can depend on in the component's own package (relevance.go) is inlined as far as the limits of call.go
// allow. Other packages are the environment, except for short functions and for those that are given an object of the component.
// What is not modelled exactly is recorded with its position. Package lower knows whether an error site hangs on such a
// guess, so a guess never becomes a claim.
//
// # How a program comes about
//
//  1. golang/load.go loads the package and all it imports from source, without the network, and builds go/ssa with
//     instantiated generics. maker.go and resolve.go say how objects come to be: functions, chains of calls that make child
//     objects, or the places where the package allocates the type (allocation.go); factory.go lowers them. alphabet.go has
//     the calls: methods of the component and of the other objects that a chain made, or the functions of a package.
//
//  2. Each constructor and exported method is walked block by block (frame.go); calls are inlined (call.go has the limits).
//     SSA registers become terms over locals that only loads, choices and joins assign, so most instructions leave no trace
//     in the program. Every instruction is modelled or recorded as an approximation. Before that, relevance.go decides on
//     the SSA form what explicit errors can depend on, and only that is lowered: reach.go has the functions that may be
//     followed, those that the environment is given and may call, and locations (fields, variables) with their writers;
//     disguise.go the same for objects that are seen as ones of another type; fields_functions.go the functions that a
//     package stores into a field; flows.go what calls of function values and of methods of interfaces may call, by a
//     control-flow analysis without contexts in which other code is one node; cancel.go the rule that Err of a context is
//     not nil after a receive from Done; control.go control dependence; dead.go code that is never run because conditions
//     are constants, options are left out or nothing sets a hook, and unset.go fields that nothing sets, given which calls
//     there are; late.go, late_flows.go and late_errors.go what is in objects that clients made by code which no call leads
//     to, and late_here.go which objects are none of these; relevance_types.go what unknown code may write and which
//     references may come back from it (beyond.go the same in lowering, by way of containers and unsafe pointers); mod.go
//     what a function that is not followed writes by its own body, contained.go which package variables it writes if that is
//     too large, recursion.go what errs below recursive calls. A value that was taken for irrelevant and is met all the same
//     is any value. The checks of the run time depend on nearly everything. Most of them are proved fine on SSA
//     (obvious*.go; of types of other packages in a proof about their package alone, obvious_abroad.go; with what
//     initialization and escaping functions call, obvious_early.go; of fields that callers have tested, obvious_passed.go,
//     and what they have asked a function for that is asked again, obvious_again.go; of parameters of function literals that
//     come back from other packages, obvious_handed.go; if need be for arguments that are not nil, obvious_need.go;
//     obvious_refuted.go finds, before anything else, explicit panics that are unreachable and blocks that make errors, and
//     where all constants are exhausted that a value can be: obvious_cases.go; numbers that count down from the largest
//     there is are not negative: obvious_down.go); the others are lowered apart, in programs of what they depend on
//     (checks*.go): one, or several with some of the methods or checks if that is too large, each with its own limits;
//     checks_scope.go says which checks in code of other packages count, contexts.go what a call runs that gives a function
//     away. joined.go has the packages that count as the component's own because they make errors that are asked for,
//     foreign.go finds the calls that may return an error under study which other code returns or has put into another
//     error, or that was put where values are not followed. Limits are counted in edges. Beyond them less is inlined, and
//     the component is lowered at coarse levels (coarse.go): conditions of error sites and the locations that they read,
//     then what is written there, and so on (at one level not when errors of others are put where those under study may be,
//     nor what loops count); the rest is any value, any object of its type (weak.go), or what code may write by its types
//     (gifts.go; strangers.go has what only clients call), and a value counts as an error under study only if the flow of
//     errors reaches it (wanted.go, wanted_flow.go, wanted_others.go); tests of constants, also of those that some calls
//     give, and of state that is followed anyway are kept at every level (coarse_tests.go), and a value that is not followed
//     is chosen once if code tests it and hands it on (told.go), and is what the instruction that makes it says: not nil, or
//     so long (solid.go). Errors that only code makes which such a program does not lower are one value in it (unmet.go).
//     What an error says only if it is empty is not said by one that the code has found not to be (errortype_empty.go).
//     Other code returns the component's own errors only where it is asked for them (asked.go, asked_never.go). Such
//     programs have all runs of the component and more; Result.Programs makes them one by one, from the coarsest, and they
//     are tried first, or after the whole program where nothing had to be left out of it. A level at which the same is
//     relevant as at an earlier one is left out, and a program whose text is that of an earlier one is not asked again
//     (package ladder). Last comes the program in which calls that leave something open, and of which a flow of
//     information (arguments*.go) shows that only their arguments decide whether they err, are not followed to their errors
//     (opaque.go here and in package ladder), nor are calls whose errors the same flow shows to be unreachable, or
//     that recover all panics of their callees (stopped.go); a component of which that holds for all calls need not be
//     followed at all if it is too large; if that is too large, its coarsest form; and if even that is, methods are left out
//     (leftout.go). Constructors, before which there is no state, are opaque there if nothing else decides them
//     (opaque_first.go). Of a large component in which nothing else decides it comes first. The flow tells state from
//     answers of the environment, leaves out code that types and constants make unreachable (arguments_live.go), takes state
//     that no call of the alphabet writes for arguments (arguments_fixed.go), knows the tables of which nothing ever changes
//     (arguments_deep.go), passes over mutexes that are free whenever a call begins (arguments_locks.go), analyses functions
//     of plain values by themselves, and of returned errors asks only whether they are under study (arguments_results.go).
//
//  3. Objects are places; a reference is an enum over them. What references may hold is not known before everything is
//     lowered, so lowering is repeated until no set grows. Repeated allocations are one place for the most recent object and
//     one for all older ones. Objects of other packages that get out of sight are given up; objects of the component's own
//     package stay, and every unknown reference of their type may be one of them. A component that is a part of another
//     object is one of its own if nothing but the constructor gets at it by way of that (parts.go). What clients give to
//     constructors by pointer is an object made of parameters (entrusted.go); what constructors find out about what such
//     objects lead to, and that nobody changes it, is proved on SSA (obvious_validated.go). What contracts say of results is
//     solved for them where that is possible (solved.go). Arguments may be only those that clients have (theirs.go), not
//     what the component keeps in containers of its own. Loads of a variable whose address is not yet taken are what was
//     stored there (forward.go). In coarse programs, what several methods make by the same code has one place (shared.go).
//     Fields that are only set where objects are made are not changed by code that is not followed (born.go); those to which
//     all functions that it can run only add are not made less, and are left alone in objects that no call has given away
//     yet (grown.go). What is read twice with nothing in between is one value (reload.go). Equal places are not always equal
//     references (same.go). A string that code compares with constants has one value for each constant and one for other texts (interned.go).
//
//  4. lower/interpret.go removes what no run takes: sets, intervals, differences of integers and small linear inequalities
//     (knowledge.go, linear.go), copies, conditions (transfer.go), those about one enum variable as sets (member.go); the
//     join over all methods is what state may hold between calls. Most nil and bounds checks end here. What is known of the
//     state between calls is promised in the programs made of it (promise.go, invariant in the text form): the engine with
//     predicates and the judge start from there.
//
//  5. lower/judge.go decides blame: a run is the environment's fault if the branch that decides its error tests an answer of
//     the same call (content*.go say which contents are answers). Where that differs from way to way, a flag beside the
//     variable says so in each run (answer.go). It also marks sites that hang on something unmodelled; such values are guess
//     in the program, and the engine says which calls may fail whatever they are (engine/cegar/sure.go).
//
//  6. lower/slice.go makes programs of growing depth: what error sites and results depend on in so many steps is kept
//     exactly, everything else becomes a choice. What decides that a call waits for ever counts as a result: a program that
//     leaves it out is not complete. Such a program has every run of the component and more: what it allows is allowed, and
//     what always fails in it fails. Package ladder climbs until an interface says nothing else, or takes the one that
//     decides most along words (its answer.go); first without results that are numbers, then with their classes. If none
//     does, the cells that may fail in an incomplete or unsure program are unknown, and lead to a state of which nothing is
//     known (with a certificate they stay, and permissive is unknown).
//
//  7. An argument that is kept and used later without a test must not be nil (lower/need.go): if that decides checks, it is
//     assumed, listed as a convention, and part of the guards of the calls that take it.
//
//  8. Implicit checks that are left are tried one by one with a small budget: never reached, part of the protocol, or
//     uncovered. Those that a call fails only if the environment and its arguments have it so are tried together, in
//     programs with favoured calls (lower/favour.go, and favour.go in package ladder): runs in which answers and arguments do
//     their part, whatever the guesses and the state are; if none of these returns where the call may fail, there is an
//     erring run for sure.
//
//  9. With -error block, waits are error sites (block.go; lower/endless.go for loops), so that a call that never returns
//     fails by construction. Waits that are uncertain are left out and make verdicts unknown (block.go in package ladder).
//
//  10. Lowered programs get the strategies of every other program, and a smaller budget: steps, and so many refinements for
//     each method. What is not decided then is unknown; a larger program may follow. What is done for all programs of a type
//     is counted together (limits.go in package ladder), and when that is used up, no other is started and the best answer
//     stands. The file says which program it is of (component.lowering), and verify makes it again.
//
// A register code of its own between the front ends and lower was not built: a front end drives an emitter (lower.Method)
// directly, and its own intermediate form is the register code.
package golang
