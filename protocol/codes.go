package protocol

import "github.com/speckl/kraftprove/protocol/diag"

const (
	codeYAML         diag.Code = "KP0001"
	codeTooLarge     diag.Code = "KP0002"
	codeTab          diag.Code = "KP0003"
	codeYAMLFeature  diag.Code = "KP0004"
	codeDuplicateKey diag.Code = "KP0005"
	codeUnknownKey   diag.Code = "KP0006"

	codeUnknown     diag.Code = "KP0201"
	codeDuplicate   diag.Code = "KP0202"
	codeArity       diag.Code = "KP0203"
	codeMismatch    diag.Code = "KP0204"
	codeBadName     diag.Code = "KP0205"
	codeReserved    diag.Code = "KP0206"
	codeHides       diag.Code = "KP0207"
	codeBadType     diag.Code = "KP0208"
	codeCyclic      diag.Code = "KP0209"
	codeSortUnknown diag.Code = "KP0210"
	codeMisplaced   diag.Code = "KP0211"
	codeTwice       diag.Code = "KP0212"

	codePrime      diag.Code = "KP0301"
	codeState      diag.Code = "KP0302"
	codeGhost      diag.Code = "KP0303"
	codeRefutation diag.Code = "KP0304"
	codeScope      diag.Code = "KP0305"
)
