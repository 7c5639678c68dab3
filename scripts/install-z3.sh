#!/usr/bin/env bash
# Installs what kraftprove needs to prove things: the solvers z3 and cvc5, Z3's
# C header and library, and a copy of the Go binding that links to them.
#
#   scripts/install-z3.sh            install what is missing, prepare the binding
#   scripts/install-z3.sh --link     only prepare the binding
#   scripts/install-z3.sh --check    change nothing; fail if z3 is missing
#
# Running it again changes nothing, and needs no network if all is there. The
# binding is for in-process Z3 only (build tag z3); without it everything else
# works. It is used like this:
#
#   go build -modfile=z3.mod -tags z3 ./...
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf 'install-z3: %s\n' "$*"; }
warn() { printf 'install-z3: warning: %s\n' "$*" >&2; }
die() {
	printf 'install-z3: error: %s\n' "$*" >&2
	exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

main() {
	case "${1:-}" in
	'') ;;
	--link)
		link_binding
		return
		;;
	--check)
		check
		return
		;;
	*) die "unknown argument $1; see the head of this file" ;;
	esac
	install_missing
	check
	if ! have_header; then
		warn "no z3.h: in-process Z3 cannot be built, all else works"
	elif ! have go; then
		warn "no go: in-process Z3 is not prepared; run scripts/install-z3.sh --link once Go is there"
	else
		link_binding
	fi
}

# check reports what is there, and fails without z3.
check() {
	have z3 || die "z3 is not installed; see https://github.com/Z3Prover/z3/releases"
	say "z3: $(command -v z3), $(z3 --version)"
	if have cvc5; then
		say "cvc5: $(command -v cvc5), $(cvc5 --version 2>/dev/null | sed -n 1p)"
	else
		warn "no cvc5: proofs cannot be cross-checked; see https://github.com/cvc5/cvc5/releases"
	fi
}

# have_header finds z3.h the way the C compiler will.
have_header() {
	local dir
	for dir in /usr/include /usr/include/z3 /usr/local/include "$(brew_prefix)/include"; do
		if [ -f "$dir/z3.h" ]; then
			return 0
		fi
	done
	return 1
}

brew_prefix() {
	if have brew; then brew --prefix; else echo /opt/homebrew; fi
}

# install_missing installs what is missing with the package manager at hand.
install_missing() {
	local manager pkg
	local -a missing=()
	manager=$(package_manager)
	have z3 || missing+=("$(package "$manager" z3)")
	have_header || missing+=("$(package "$manager" header)")
	if ! have cvc5; then missing+=("$(package "$manager" cvc5)"); fi
	if [ ${#missing[@]} -eq 0 ]; then
		say "z3, its header and cvc5 are there"
		return
	fi
	if [ -z "$manager" ]; then
		warn "no known package manager; install z3, its header and cvc5 by hand"
		return
	fi
	refresh "$manager"
	# One after the other: a distribution may lack one of them. What matters is
	# checked afterwards.
	while read -r pkg; do
		say "installing $pkg with $manager"
		install_package "$manager" "$pkg" || warn "$manager could not install $pkg"
	done < <(printf '%s\n' "${missing[@]}" | sort -u)
}

package_manager() {
	local m
	for m in apt-get dnf pacman apk brew; do
		if have "$m"; then
			echo "$m"
			return
		fi
	done
}

# package prints what manager $1 calls $2.
package() {
	case "$1:$2" in
	apt-get:header) echo libz3-dev ;;
	dnf:header) echo z3-devel ;;
	apk:header) echo z3-dev ;;
	*:header) echo z3 ;;
	*) echo "$2" ;;
	esac
}

refresh() {
	case "$1" in
	apt-get) as_root apt-get update -q || warn "apt-get update failed; trying with the lists that are there" ;;
	pacman) as_root pacman -Sy --noconfirm || warn "pacman -Sy failed; trying with the lists that are there" ;;
	esac
}

install_package() {
	case "$1" in
	apt-get) as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$2" ;;
	dnf) as_root dnf install -y "$2" ;;
	pacman) as_root pacman -S --noconfirm --needed "$2" ;;
	apk) as_root apk add "$2" ;;
	brew) brew install "$2" ;;
	esac </dev/null
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif have sudo; then
		sudo "$@"
	else
		warn "neither root nor sudo: cannot run $*"
		return 1
	fi
}

# link_binding makes a copy of the Go binding that links to the system's Z3, and
# z3.mod, a go.mod that uses the copy. The binding wants a libz3.a in its own
# folder: on Linux a linker script that refers to the shared library, elsewhere
# a link to it.
link_binding() {
	local module=github.com/mitchellh/go-z3 copy=third_party/go-z3
	local version source stage
	have go || die "go is not installed"
	cd "$root"
	version=$(go list -m -f '{{.Version}}' "$module") || die "go.mod does not require $module"
	if [ "$(cat "$copy/.version" 2>/dev/null)" != "$version" ]; then
		say "copying $module $version to $copy"
		go mod download "$module@$version"
		source=$(go list -m -f '{{.Dir}}' "$module")
		stage=$copy.new
		rm -rf "$stage" "$copy"
		mkdir -p "$stage"
		cp -R "$source/." "$stage"
		chmod -R u+w "$stage"
		printf 'module %s\n\ngo 1.12\n' "$module" >"$stage/go.mod"
		make_library "$stage"
		printf '%s\n' "$version" >"$stage/.version"
		mv "$stage" "$copy"
	fi
	{
		printf '// Generated from go.mod by scripts/install-z3.sh.\n'
		cat go.mod
		printf '\nreplace %s => ./%s\n' "$module" "$copy"
	} >z3.mod.new
	if cmp -s z3.mod.new z3.mod && cmp -s go.sum z3.sum; then
		rm z3.mod.new
		touch z3.mod # so that make sees it is newer than go.mod
		say "z3.mod is up to date"
		return
	fi
	mv z3.mod.new z3.mod
	cp go.sum z3.sum
	say "wrote z3.mod; build with: go build -modfile=z3.mod -tags z3 ./..."
}

make_library() {
	local lib
	if [ "$(uname -s)" = Linux ]; then
		echo 'INPUT(-lz3)' >"$1/libz3.a"
		return
	fi
	for lib in "$(brew_prefix)"/lib/libz3.dylib /usr/local/lib/libz3.dylib /usr/local/lib/libz3.so; do
		if [ -f "$lib" ]; then
			ln -s "$lib" "$1/libz3.a"
			return
		fi
	done
	die "no libz3 found"
}

main "$@"
