package report

import (
	"encoding/json"
	"fmt"
	"math/bits"

	"github.com/speckl/kraftprove/protocol"
	"github.com/speckl/kraftprove/protocol/state"
	"github.com/speckl/kraftprove/protocol/syntax"
)

func (p printer) jsonState(s *state.State) jsonState {
	out := jsonState{Variables: []jsonValue{}, Messages: []jsonMessage{}}
	for _, x := range p.st.System.State {
		out.Variables = append(out.Variables, p.jsonValue(x.Name, x.Sort, s.Vars[x.Index]))
	}
	for _, typ := range p.st.System.Messages {
		for _, m := range s.Msgs[typ.ID] {
			out.Messages = append(out.Messages, p.jsonMessage(typ, m))
		}
	}
	return out
}

func (p printer) jsonSubsets() []jsonValue {
	out := []jsonValue{}
	for _, s := range p.st.System.Sorts {
		if x := s.Subset; x != nil {
			out = append(out, p.jsonValue(x.Name, x.Sort, state.Value{N: p.st.Subset(x)}))
		}
	}
	return out
}

func (p printer) jsonCall(a *protocol.Action, args []state.Value) jsonCall {
	call := jsonCall{Name: a.Name, Location: place(a.Span), Args: []jsonValue{}}
	for i, x := range a.Params {
		call.Args = append(call.Args, p.jsonValue(x.Name, x.Sort, args[i]))
	}
	return call
}

// jsonBroken is why the property of the view is false.
func (v *view) jsonBroken() jsonBroken {
	out := jsonBroken{
		Formula:   syntax.FormatExpr(v.property.Source),
		Variables: []jsonValue{},
		Literals:  []jsonLiteral{},
	}
	for _, b := range v.broken.Vars {
		out.Variables = append(out.Variables, v.jsonValue(b.Var.Name, b.Var.Sort, b.Value))
	}
	for _, l := range v.literals {
		lit := jsonLiteral{Text: l.text(0), After: l.after}
		if v.paired {
			lit.Before = &l.before
		}
		out.Literals = append(out.Literals, lit)
	}
	return out
}

func (p printer) jsonValue(name string, sort *protocol.Sort, v state.Value) jsonValue {
	return jsonValue{name, sort.Name, p.value(sort, v), p.appendJSON(nil, sort, v)}
}

func (p printer) jsonMessage(typ *protocol.Sort, m state.Value) jsonMessage {
	return jsonMessage{typ.Name, p.value(typ, m), p.appendJSON(nil, typ, m)}
}

// appendJSON appends a value as JSON: a Boolean or a natural as such, an element
// or a constant as its name, a set or a quorum as the list of its members, a
// sequence as a list, a record, a message or a function as an object, Nil as
// null. Keys are in the order of fields and arguments.
func (p printer) appendJSON(b []byte, sort *protocol.Sort, v state.Value) []byte {
	switch sort.Kind {
	case protocol.BoolKind:
		if v.N != 0 {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case protocol.NaturalKind:
		return fmt.Appendf(b, "%d", v.N)
	case protocol.ElementKind, protocol.EnumKind:
		return appendString(b, p.value(sort, v))
	case protocol.QuorumKind:
		return p.appendMembers(b, sort.Elem, p.st.Quorum(sort, v.N))
	case protocol.SetKind:
		return p.appendMembers(b, sort.Elem, v.N)
	case protocol.OptionKind:
		if v.N == 0 {
			return append(b, "null"...)
		}
		return p.appendJSON(b, sort.Elem, v.Kids[0])
	case protocol.UnionKind:
		typ, m := message(sort, v)
		return p.appendJSON(b, typ, m)
	case protocol.SeqKind:
		b = append(b, '[')
		for i, k := range v.Kids {
			b = p.appendJSON(comma(b, i), sort.Elem, k)
		}
		return append(b, ']')
	case protocol.RecordKind, protocol.MessageKind:
		b = append(b, '{')
		for i, f := range sort.Fields {
			b = append(appendString(comma(b, i), f.Name), ':')
			b = p.appendJSON(b, f.Sort, v.Kids[i])
		}
		return append(b, '}')
	case protocol.FuncKind:
		b = append(b, '{')
		for i, k := range v.Kids {
			b = append(appendString(comma(b, i), p.key(sort.Domain, i)), ':')
			b = p.appendJSON(b, sort.Elem, k)
		}
		return append(b, '}')
	case protocol.Invalid:
	}
	panic(fmt.Sprintf("no values of sort %s", sort))
}

func (p printer) appendMembers(b []byte, elem *protocol.Sort, members int) []byte {
	b = append(b, '[')
	for i := 0; members != 0; i++ {
		b = appendString(comma(b, i), p.key(elem, bits.TrailingZeros(uint(members))))
		members &= members - 1
	}
	return append(b, ']')
}

func comma(b []byte, position int) []byte {
	if position > 0 {
		return append(b, ',')
	}
	return b
}

func appendString(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return append(b, text...)
}
