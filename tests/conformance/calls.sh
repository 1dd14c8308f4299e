#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts the calls that providers get, in real runs, and prints docs/evidence/calls.md:
#
#     sh tests/conformance/calls.sh BUILD >docs/evidence/calls.md
#
# RHOST_ISOLATION says how providers are run; the page is the same for each.
build=${1:?the build directory}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/plugins" "$work/world" || exit 1
cp "$build/tests/conformance/.libs/letter.so" "$work/plugins/" || exit 1
LETTER=$work/world
RHOST_PASS_ENV=LETTER
export LETTER RHOST_PASS_ENV

# Resources that exist: exist TYPE NAMEVAR FROM TO VALUE
exist() {
    seq "$3" "$4" | sed "s/.*/$2=r&	ensure=present	value=$5	given=g/" >>"$LETTER/$1"
}

# A manifest with resources r1 to rN: manifest TYPE N VALUE
manifest() {
    echo "resources:"
    seq "$2" | sed "s/.*/- {$1: r&, value: $3, given: g}/"
}

# count TYPE WHAT...: the calls of a run
count() {
    type=$1
    shift
    : >"$LETTER/calls"
    "$build/rhost" "$@" --state-dir "$work/state" --isolation="${RHOST_ISOLATION:-worker}" \
        --plugin-dir "$work/plugins" >"$work/out" 2>&1
    gets=$(grep -c "^$type get " "$LETTER/calls")
    asked=$(sed -n "s/^$type get \[\(.*\)\]\$/\1/p" "$LETTER/calls" | tr '{' '\n' | grep -c name:)
    sets=$(grep -cE "^$type (set|create|update|remove) " "$LETTER/calls")
    most=$(sed -n "s/^$type set \([0-9]*\).*/\1/p" "$LETTER/calls" | sort -n | tail -n 1)
    printf ' %s | %s |' "$gets$([ "$asked" -gt 0 ] && echo " ($asked name$([ "$asked" -eq 1 ] || echo s))")" \
        "$sets$([ -n "$most" ] && echo " ($most in it)")"
}

# row TITLE EXISTING WANTED VALUE [WRONG]: applies WANTED resources to EXISTING ones
row() {
    printf '| %s |' "$1"
    for type in letter_get letter_filter letter_simple; do
        name=name
        [ $type = letter_simple ] && name=id
        : >"$LETTER/$type"
        echo "${5-}" >"$LETTER/$type.wrong"
        [ "$2" -gt 0 ] && exist $type $name 1 "$2" x
        manifest $type "$3" "$4" >"$work/site.yaml"
        count $type apply "$work/site.yaml"
    done
    echo
    rm -f "$LETTER"/*.wrong
}

# looking TITLE [NAME]: the resource command
looking() {
    printf '| %s |' "$1"
    for type in letter_get letter_filter letter_simple; do
        name=name
        [ $type = letter_simple ] && name=id
        : >"$LETTER/$type"
        exist $type $name 1 100 x
        count $type resource $type ${2+"$2"}
    done
    echo
}

cat <<'END'
# How often a provider is called

Made by `tests/conformance/calls.sh` from real runs with a plugin that notes each call. `make check` makes
it again, with providers in workers and inline, and compares.

*all* reads everything, whoever asks; *filter* has the feature `simple_get_filter`, and is told the names
that are looked for; *simple* writes one resource at a time, with `create`, `update` and `remove`.

| run | all: get | set | filter: get | set | simple: get | writes |
|---|---|---|---|---|---|---|
END
looking "list 100"
looking "show one of 100" r7
looking "show one that is absent" nope
row "apply 1, in sync" 1 1 x
row "apply 100, in sync" 100 100 x
row "apply 1, to change" 1 1 y
row "apply 100, to change" 100 100 y
row "apply 50, all absent" 0 50 x
row "apply 100, 50 of them absent, 50 in sync" 50 100 x
row "apply 100, get fails" 0 100 x "get it is broken"
row "apply 100 to change, set fails" 100 100 y "set it is broken"
cat <<'END'

What fails in `get` is not asked again: every resource of the type fails with its message. `set` has all
that differs of a batch, which is what stands in a row, of one type, in the order that is applied; a
resource that depends on another one of them waits for the next call. What was read is remembered until
the end of the run, what `set` confirmed as well, and what is absent as well; it is forgotten when
something that the resource depends on was changed, or when a type has run that may change anything, such
as `exec`.
END
