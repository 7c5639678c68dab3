-------------------------------- MODULE Trace --------------------------------
\* 2 steps of counter
\* scenario up
\* breaks Low
EXTENDS Integers, Sequences, TLC

trace == <<
  ( "_TEAction" :> [position |-> 1, name |-> "Init", parameters |-> <<>>] @@
    "zähler" :> 0 @@
    "next" :> (FALSE :> 0 @@ TRUE :> 0) ),
  ( "_TEAction" :> [position |-> 2, name |-> "Up", parameters |-> <<>>, location |-> "counter.yaml:8"] @@
    "zähler" :> 1 @@
    "next" :> (FALSE :> 0 @@ TRUE :> 0) ),
  ( "_TEAction" :> [position |-> 3, name |-> "Up", parameters |-> <<>>, location |-> "counter.yaml:8"] @@
    "zähler" :> 2 @@
    "next" :> (FALSE :> 0 @@ TRUE :> 1) )
>>
==============================================================================
