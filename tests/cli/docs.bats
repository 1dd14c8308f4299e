#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the documentation names is there.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

in_tree() {
    cd "$abs_top_srcdir" || return
    [ -d core ] || skip "needs the tree"
}

@test "links from page to page lead somewhere" {
    in_tree
    for page in *.md docs/*.md docs/*/*.md docs/*/*/*.md plugins/*/*.md; do
        grep -oE '\]\([^)#:]+\)' "$page" | sed 's/](\(.*\))/\1/' | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done >"$work/broken"
    is_empty "$work/broken"
}

@test "files of the tree that pages name are there" {
    in_tree
    for page in *.md docs/*.md docs/*/*.md docs/*/*/*.md; do
        grep -oE '`(core|sdk|plugins|tests|docs)/[a-zA-Z0-9_./-]+`' "$page" | tr -d '`' |
            grep -v '[A-Z]\{4,\}' | while read -r path; do
            [ -e "$path" ] || echo "$page: $path"
        done
        grep -oE '(\*\*|`)(base|datatype|schema|catalog|provider|plugin|manifest|run|cli)/[a-z0-9-]*(\.[ch])?(\*\*|`)' \
            "$page" | tr -d '`*' | while read -r path; do
            [ -e "core/$path" ] || echo "$page: $path"
        done
    done >"$work/missing"
    is_empty "$work/missing"
}

@test "docs/contributors/architecture.md names each room that there is" {
    in_tree
    for room in core/*/ core/manifest/*/; do
        grep -q "^ *$(basename "$room")/  " docs/contributors/architecture.md || echo "$room"
    done >"$work/missing"
    is_empty "$work/missing"
}

@test "words that the manual explains are known" {
    rhost schema >schema.json
    for word in $(sed -n '/^## All words/,/^A reference/s/^| \(`[^|]*`\) |.*/\1/p' \
        "$abs_top_srcdir/docs/reference/keywords.md" | tr -d '`,'); do
        echo "# $word"
        grep -q "\"$word\": {" schema.json
    done
}
