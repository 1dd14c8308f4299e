# SPDX-License-Identifier: Apache-2.0
# What the tests of the letter share: a plugin that notes each call, and a world for it to manage.
#
# A mark such as `# S43 S44` above a case names the requirements that it proves; docs/evidence/specification.md
# is made of them (tests/conformance/specification.awk).

own_plugin tests/conformance/.libs/letter.so
export LETTER=$BATS_TEST_TMPDIR/world
[ -z "$BATS_TEST_TMPDIR" ] || mkdir -p "$LETTER"

# world TYPE: the resources that exist, from standard input, one a line, with blanks for tabs; a line
# "!get it is broken" is what goes wrong.
world() {
    tee >(sed -n 's/^!//p' >"$LETTER/$1.wrong") | grep -v '^!' | tr ' ' '\t' >"$LETTER/$1" || true
    wait
}

# Applies the resources on standard input, which are the list of a manifest.
applies() {
    { echo "resources:"; cat; } >"$BATS_TEST_TMPDIR/site.yaml"
    : >"$LETTER/calls"
    run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" --color=never "$@" \
        "$BATS_TEST_TMPDIR/site.yaml"
}

resource() {
    : >"$LETTER/calls"
    run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@"
}

# The calls of a type, but those of open and close, are exactly the lines on standard input.
calls_are() {
    diff -u <(sed 's/ *$//') <(grep -vE '^[a-z_]+ (open|close)' "$LETTER/calls") && return
    echo "those were the calls; output:"
    echo "$output"
    return 1
}

# How often a call was made: n_calls letter_get get
n_calls() {
    grep -c "^$1 $2" "$LETTER/calls" || true
}

# A line of the output, from its beginning to its end.
line_is() {
    grep -qxF -- "$1" <<<"$output" && return
    echo "output lacks the line '$1':"
    echo "$output"
    return 1
}
