#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What README.md shows is what happens.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

readme=$abs_top_srcdir/README.md

# Block number $2 of the kind $1 in README.md.
block() {
    awk -v kind="\`\`\`$1" -v wanted="$2" '
        $0 == kind && !inside { inside = 1; n++; next }
        /^```/ { inside = 0; next }
        inside && n == wanted
    ' "$readme"
}

@test "the manifest does what README.md shows" {
    block yaml 1 | sed "s|/tmp/|$work/|g" >site.yaml
    for n in 1 2 3; do
        block console "$n"
    done >shown
    sed "s|/tmp/|$work/|g" shown >wanted
    play <wanted >got
    diff -u <(timeless <wanted) <(timeless <got)
}

@test "the plugin in README.md compiles as it stands" {
    requires_command cc
    block c 1 >link.c
    cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -D_GNU_SOURCE -I"$abs_top_srcdir/sdk" link.c
}
