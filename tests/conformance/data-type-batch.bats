#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The facts about data types once more, through the command that others can ask.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

here=$abs_top_srcdir/tests/conformance

# Without where in the text a type cannot be read, which only the command says.
without_place() {
    sed -E 's/"cannot parse the type at character [0-9]+: /"/'
}

@test "data-type --batch gives the answers that the facts are held against" {
    sed -nE 's/^(\{.*\}),?$/\1/p' "$here/vectors/data-type-cases.json" >questions
    [ "$(wc -l <questions)" -gt 1000 ]
    split rhost data-type --batch --aliases "$here/mymod.types" <questions
    status_is 1 # for what the original only refuses when a value meets it
    is_empty err
    without_place <out >answers
    srcdir=$abs_top_srcdir "$abs_top_builddir/tests/conformance/data-types" --answers >expected
    diff expected answers
    srcdir=$abs_top_srcdir "$abs_top_builddir/tests/conformance/data-types" | grep ' 0 fail$'
}
