#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Does what pages show: each "$ command" of a console block is run, and says what stands below it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# All console blocks of a page.
blocks() {
    awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$1"
}

rhost() {
    local command=$1
    shift
    "$abs_top_builddir/rhost" "$command" --state-dir "$BATS_TEST_TMPDIR/state" \
        --plugin-dir "$abs_top_builddir/docs/examples/providers/.libs" "$@"
}

# Runs the commands of a page one after the other, in a directory that stands for /srv.
walk() {
    local page=$abs_top_srcdir/docs/$1 command
    mkdir "$work/srv"
    for file in "$abs_top_srcdir"/docs/examples/*.yaml \
        "$abs_top_srcdir"/docs/examples/providers/*.yaml; do
        sed "s|/srv|$work/srv|g" "$file" >"$(basename "$file")"
    done
    cp "$abs_top_srcdir"/docs/examples/*.lua .
    cp -R "$abs_top_srcdir"/docs/examples/site site
    chmod -R u+w site
    sed "s|/srv|$work/srv|g" "$abs_top_srcdir"/docs/examples/site/site.yaml >site/site.yaml
    blocks "$page" >expected
    while read -r command; do
        printf '%s\n' "\$ $command"
        eval "${command//\/srv/$work/srv}" 2>&1 || true
    done < <(sed -n 's/^\$ //p' expected) |
        sed "s|$work/srv|/srv|g; s| · [0-9.]* s| · 0.00 s|" >actual
    diff -u <(without_codes <expected) <(without_codes <actual)
}

@test "docs/authors/load-and-converge.md shows what the example providers do" {
    walk authors/load-and-converge.md
}

@test "docs/authors/provider-guide.md shows what its examples do" {
    walk authors/provider-guide.md
}

@test "docs/authors/provider-in-use.md shows what its examples do" {
    walk authors/provider-in-use.md
}

@test "docs/concepts/action-list.md shows what is executed, and in which order" {
    walk concepts/action-list.md
}

@test "docs/guides/site.md shows what its site does" {
    walk guides/site.md
}

@test "docs/reference/recipes.md shows what the examples of RFC 23 print" {
    walk reference/recipes.md
}
