package smt

import (
	"fmt"
	"slices"
)

// Func is an uninterpreted function of one [Builder], or a constant if it has no
// arguments. Functions are equal exactly if their pointers are.
type Func struct {
	name   string
	args   []Sort
	result Sort
	id     uint32
	info   info  // of applications without free variables
	term   *Term // of a constant
}

// Name returns the name.
func (f *Func) Name() string { return f.name }

// Args returns the sorts of the arguments. The caller must not change them.
func (f *Func) Args() []Sort { return f.args }

// Result returns the sort of the function's values.
func (f *Func) Result() Sort { return f.result }

// Func returns the function with the given name, which must always be asked for
// with the same sorts. A name must not have '|' or '\', nor start with '$'.
func (b *Builder) Func(name string, args []Sort, result Sort) *Func {
	if f, ok := b.funcs[name]; ok {
		if f.result != result || !slices.Equal(f.args, args) {
			panic(fmt.Sprintf("smt: %s is of %s and %s", name, f.signature(), signature(args, result)))
		}
		return f
	}
	checkName(name)
	if b.values[name] != nil {
		panic(fmt.Sprintf("smt: function %s has the name of a value", name))
	}
	for _, s := range args {
		b.use(s)
	}
	b.use(result)
	f := &Func{name: name, args: slices.Clone(args), result: result, id: uint32(len(b.funcs))}
	f.info.fn = f
	if len(args) == 0 {
		f.term = b.alloc(OpConst, result)
		f.term.info = &f.info
	}
	b.funcs[name] = f
	return f
}

// Const returns the constant with the given name: a function of no arguments.
func (b *Builder) Const(name string, s Sort) *Term {
	if f, ok := b.funcs[name]; ok && f.term != nil && f.result == s {
		return f.term
	}
	return b.Func(name, nil, s).term
}

// Apply returns f(args...).
func (b *Builder) Apply(f *Func, args ...*Term) *Term {
	if len(args) != len(f.args) {
		panic(fmt.Sprintf("smt: %s applied to %d arguments, it takes %d", f.name, len(args), len(f.args)))
	}
	for i, a := range args {
		if a.sort != f.args[i] {
			panic(fmt.Sprintf("smt: argument %d of %s is %s, not %s", i+1, f.name, a.sort, f.args[i]))
		}
	}
	if f.term != nil {
		return f.term
	}
	return b.intern(OpApp, f.result, f, args)
}

// Enum returns the value of an enumeration that has the given name.
func (b *Builder) Enum(s Sort, value string) *Term {
	b.use(s)
	t := b.values[value]
	if t == nil || t.sort != s {
		panic(fmt.Sprintf("smt: %s has no value %s", s, value))
	}
	return t
}

// use makes sure that the builder's sorts and the values of its enumerations
// have different names.
func (b *Builder) use(s Sort) {
	if s == (Sort{}) {
		panic("smt: a symbol of no sort")
	}
	if !s.declared() {
		return
	}
	name := s.decl.Value().name
	if known, ok := b.sorts[name]; ok {
		if known != s {
			panic(fmt.Sprintf("smt: two sorts are named %s", name))
		}
		return
	}
	b.sorts[name] = s
	for _, v := range s.Values() {
		if b.values[v] != nil || b.funcs[v] != nil {
			panic(fmt.Sprintf("smt: value %s of %s has a name in use", v, s))
		}
		t := b.alloc(OpEnum, s)
		t.info = &info{name: v}
		b.values[v] = t
	}
}

// Symbols returns the functions and constants that occur in the terms, in order
// of first occurrence.
func Symbols(ts ...*Term) []*Func {
	var funcs []*Func
	seen := map[*Term]bool{}
	have := map[*Func]bool{}
	stack := slices.Clone(ts)
	slices.Reverse(stack)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		if f := t.Func(); f != nil && !have[f] {
			have[f] = true
			funcs = append(funcs, f)
		}
		for _, a := range slices.Backward(t.args) {
			stack = append(stack, a)
		}
	}
	return funcs
}

func (f *Func) signature() string { return signature(f.args, f.result) }

// signature writes sorts as a declaration does.
func signature(args []Sort, result Sort) string {
	return string((*names)(nil).appendSignature(nil, args, result))
}

func (n *names) appendSignature(buf []byte, args []Sort, result Sort) []byte {
	buf = append(buf, '(')
	for i, s := range args {
		if i > 0 {
			buf = append(buf, ' ')
		}
		buf = append(buf, n.sort(s)...)
	}
	buf = append(buf, ") "...)
	return append(buf, n.sort(result)...)
}
