package smtlib

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/speckl/kraftprove/solver"
	"github.com/speckl/kraftprove/solver/smt"
)

// dialect is how one solver differs from the others.
type dialect struct {
	name    string
	binary  string
	version *regexp.Regexp // of the output of --version

	// args are the arguments that make it read commands from standard input.
	args func(solver.Limits) []string
	// options are the settings to be made before set-logic.
	options func(solver.Limits) []option
	// logic names the logic to set, or "" for none.
	logic func(f fragment, scopes bool) string
	// shellMemory says that it cannot bound its memory, and the shell that
	// starts it must.
	shellMemory bool
	// reasons map what it says, in lower case, when it does not know or gives
	// up, to what that means. The first part that is contained counts.
	reasons []reason
}

// fragment is how much of the logic a formula needs. Each has all before it.
type fragment uint8

const (
	propositional fragment = iota
	bitVectors
	firstOrder
)

func fragmentOf(f *smt.Term) fragment {
	switch {
	case f.FirstOrder():
		return firstOrder
	case f.HasBitVec():
		return bitVectors
	}
	return propositional
}

type option struct{ key, value string }

type reason struct {
	part string
	is   solver.Reason
}

// dialects are the solvers we know.
var dialects = []dialect{z3, cvc5}

var z3 = dialect{
	name:    "z3",
	binary:  "z3",
	version: regexp.MustCompile(`version (\S+)`),
	args: func(l solver.Limits) []string {
		args := []string{"-in", "-smt2"}
		if l.MemoryMB > 0 {
			args = append(args, fmt.Sprintf("-memory:%d", l.MemoryMB))
		}
		return args
	},
	options: func(l solver.Limits) []option {
		var opts []option
		if l.Timeout > 0 {
			opts = append(opts, option{"timeout", strconv.FormatInt(max(1, l.Timeout.Milliseconds()), 10)})
		}
		if l.Steps > 0 {
			opts = append(opts, option{"rlimit", strconv.Itoa(l.Steps)})
		}
		if l.Seed != 0 {
			seed := strconv.Itoa(l.Seed)
			opts = append(opts, option{"smt.random_seed", seed}, option{"sat.random_seed", seed})
		}
		return opts
	},
	// Z3 4.8.12 chooses its solver by the logic, and for purely Boolean queries
	// that decides everything. Consecution of a Raft model, user seconds of a
	// query asked once: no logic 0.55 and 0.78, QF_FD 0.63 and 1.1, QF_BV 1.0
	// and 6.0, QF_UF 1.6 and 2.3. Behind a push or under assumptions: QF_FD 0.58
	// and 1.5, QF_BV 0.48 and 1.4, QF_UF 1.0 and 5.0, no logic 1.8 and 7.3.
	logic: func(f fragment, scopes bool) string {
		switch {
		case f == bitVectors:
			return "QF_BV"
		case f == propositional && scopes:
			return "QF_FD"
		}
		return ""
	},
	reasons: []reason{
		{"out of memory", solver.Memory},
		{"memout", solver.Memory},
		{"max. memory", solver.Memory},
		{"resource limit", solver.ResourceLimit},
		{"timeout", solver.Timeout},
		{"canceled", solver.Timeout}, // by its own timer: an interrupt of ours kills it
		{"interrupted", solver.Cancelled},
		{"incomplete", solver.Incomplete},
	},
}

var cvc5 = dialect{
	name:    "cvc5",
	binary:  "cvc5",
	version: regexp.MustCompile(`version (\S+)`),
	args: func(l solver.Limits) []string {
		args := []string{"--lang=smt2", "--quiet"}
		if l.Incremental || l.Cores { // it has no unsat assumptions otherwise
			args = append(args, "--incremental")
		}
		if l.Timeout > 0 {
			args = append(args, fmt.Sprintf("--tlimit-per=%d", max(1, l.Timeout.Milliseconds())))
		}
		if l.Steps > 0 {
			args = append(args, fmt.Sprintf("--rlimit-per=%d", l.Steps))
		}
		if l.Seed != 0 {
			args = append(args, fmt.Sprintf("--seed=%d", l.Seed), fmt.Sprintf("--sat-random-seed=%d", l.Seed))
		}
		return args
	},
	options: func(solver.Limits) []option { return nil },
	logic: func(f fragment, _ bool) string {
		// ALL proves no more, and takes more names for those of theories.
		return [...]string{propositional: "QF_UF", bitVectors: "QF_BV", firstOrder: "UFBVDTLIA"}[f]
	},
	shellMemory: true,
	reasons: []reason{
		{"bad_alloc", solver.Memory},
		{"out of memory", solver.Memory},
		{"memout", solver.Memory},
		{"resourceout", solver.ResourceLimit},
		{"timeout", solver.Timeout},
		{"interrupted", solver.Timeout},
		{"incomplete", solver.Incomplete},
	},
}

// reason maps what the solver said, false if it means nothing known.
func (d *dialect) reason(text string) (solver.Reason, bool) {
	text = strings.ToLower(text)
	for _, r := range d.reasons {
		if strings.Contains(text, r.part) {
			return r.is, true
		}
	}
	return solver.Incomplete, false
}

// command returns the program and arguments to start.
func (d *dialect) command(path string, l solver.Limits) []string {
	argv := append([]string{path}, d.args(l)...)
	if !d.shellMemory || l.MemoryMB <= 0 {
		return argv
	}
	// Where the shell cannot set the bound there is none: the answer is the
	// same, only later.
	script := fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$@"`, l.MemoryMB*1024)
	return append([]string{"/bin/sh", "-c", script, "sh"}, argv...)
}

// prelude returns the commands that begin a dialogue.
func (d *dialect) prelude(l solver.Limits, f fragment) []string {
	opts := []option{{"print-success", "false"}, {"produce-models", "true"}}
	if l.Cores {
		opts = append(opts, option{"produce-unsat-assumptions", "true"})
	}
	opts = append(opts, d.options(l)...)
	for _, key := range slices.Sorted(maps.Keys(l.Options)) {
		if own, ok := strings.CutPrefix(key, d.name+"."); ok {
			opts = append(opts, option{own, l.Options[key]})
		}
	}
	var commands []string
	for _, o := range opts {
		commands = append(commands, fmt.Sprintf("(set-option :%s %s)", o.key, o.value))
	}
	if logic := d.logic(f, l.Incremental || l.Cores); logic != "" {
		commands = append(commands, fmt.Sprintf("(set-logic %s)", logic))
	}
	return commands
}
