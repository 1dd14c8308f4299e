#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How the manual is written: its spelling, and how long its sentences are.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

pages='README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs/*.md docs/*/*.md docs/*/*/*.md plugins/*/*.md'

in_tree() {
    cd "$abs_top_srcdir" || return
    [ -d core ] || skip "needs the tree"
}

@test "no page has a word that is known to be misspelled" {
    in_tree
    requires_command codespell
    # Names of programs, and mistakes that pages show on purpose.
    codespell --ignore-words-list=crate,chage,doas,fiel,fro,mdoe $pages >"$work/found" || true
    is_empty "$work/found"
}

@test "a misspelled word is found" {
    requires_command codespell
    echo 'Recieve it.' >page.md
    not codespell page.md
}

# spelled PAGE...: each word is one of English, or in the list of words of this project, which has names, terms of the
# field, and words as they are written in Britain.
spelled() {
    LC_ALL=C.UTF-8 python3 "$abs_top_srcdir/tests/tree/prose" "$@" >"$work/prose"
    LC_ALL=C.UTF-8 hunspell -i UTF-8 -d en_US -p "$abs_top_srcdir/tests/tree/dictionary" -l "$work/prose" | sort -u >"$work/unknown"
    is_empty "$work/unknown"
}

@test "each word of a page is one of English, or in the list of words of this project" {
    in_tree
    needs_python
    requires_command hunspell
    # What plugins print is cut off in the tables of checks.md.
    spelled $(printf '%s\n' $pages | grep -vx docs/evidence/checks.md)
}

@test "a word that is in no dictionary is found, and code is not looked at" {
    needs_python
    requires_command hunspell
    printf 'Use `strnig`, RH0001 and [this](sentance.md).\n\n    sentance\n' >page.md
    spelled page.md
    echo 'A sentance.' >>page.md
    not spelled page.md
    grep -x sentance "$work/unknown"
}

@test "the pages that are read first are in good style" {
    in_tree
    needs_python
    requires_command proselint
    run "$abs_top_srcdir/tests/tree/style" README.md CONTRIBUTING.md SECURITY.md docs/index.md docs/start/*.md
    echo "$output"
    status_is 0
    is "$output" ''
}

@test "bad style is found, and code is not looked at" {
    needs_python
    requires_command proselint
    printf 'It works.\n\n    in order to very unique for ever\n' >page.md
    "$abs_top_srcdir/tests/tree/style" "$work/page.md"
    echo 'At the end of the day, this is very unique.' >>page.md
    not "$abs_top_srcdir/tests/tree/style" "$work/page.md" >found
    grep -q cliches found
}

# The numbers of a line "N sentences, median N, 90th percentile N".
no_longer_than() {
    local median=$1 most=$2 line

    shift 2
    line=$(python3 "$abs_top_srcdir/tests/tree/sentences" "$@")
    echo "$line"
    read -r _ _ _ is _ _ ninety <<<"${line//,/}"
    [ "$is" -le "$median" ] || return
    [ "$ninety" -le "$most" ]
}

@test "half of the sentences have at most 10 words, and nine of ten at most 20" {
    in_tree
    needs_python
    no_longer_than 10 20 $pages
}

@test "the pages that a beginner reads have shorter sentences" {
    in_tree
    needs_python
    no_longer_than 9 16 README.md docs/index.md docs/troubleshooting.md docs/start/*.md docs/concepts/[!a]*.md docs/coming-from/*.md
}

@test "a long sentence is counted" {
    needs_python
    { printf 'word %.0s' {1..40}; echo 'end.'; } >page.md
    not no_longer_than 10 20 page.md
}
