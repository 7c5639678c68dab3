// Package smt holds the terms that solvers are asked about: sorts, hash-consed
// terms, their text in SMT-LIB 2, and a reader for what solvers answer.
//
// Terms are built only through a [Builder], which gives equal terms the same
// pointer and simplifies what is free to simplify. A term is immutable and may
// be read from several goroutines; its Builder belongs to one.
//
// Terms are those of first-order logic with integers, enumerations and
// bit-vectors; most of the package is about the purely Boolean ones, which come by
// the hundred thousand.
//
// The package knows neither which solver runs nor what a term is for.
package smt
