# SPDX-License-Identifier: Apache-2.0
# For tests of one resource at a time, whose attributes stand on standard input. Load this after lib.bash, and
# give the resource a name:
#
#     line() { one "line: it" "path: $work/f" -- "$@"; }
#     line becomes 'a\nb\n' <<<'text: b'

# Writes a manifest out of the title, more attributes up to "--", and standard input, which may go on with
# further resources; then runs the command with it.
one() {
    {
        printf 'resources:\n  - %s\n' "$1"
        shift
        while [ "$1" != -- ]; do
            printf '    %s\n' "$1"
            shift
        done
        sed '/^  - /,$!s/^/    /'
    } >"$BATS_TEST_TMPDIR/body"
    shift
    "$@" <"$BATS_TEST_TMPDIR/body"
}

# The attributes on standard input: {a: 1, b: 2} becomes a line for each, as one() takes them.
attributes() {
    sed -E '/^\{.*\}$/ { s/^\{(.*)\}$/\1/; s/, ([a-z_]+: )/\n\1/g }'
}

# The file "f" gets this content; it is written once, and a second run finds nothing to do.
becomes() {
    cp f before
    for RHOST_ISOLATION in $isolations; do
        cp before f
        converges <"$BATS_TEST_TMPDIR/body"
        printf %b "$1" | diff - f
    done
}

# It fails with this message, and leaves the file "f", if there is one, as it was.
fails() {
    rm -f before
    [ ! -e f ] || cp f before
    run apply <"$BATS_TEST_TMPDIR/body"
    [ "$status" -ne 0 ]
    says "$1"
    [ ! -e before ] || cmp f before
}
