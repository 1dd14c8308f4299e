#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Manual pages made of Markdown are pages that man can show, without a complaint.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

date=$(sed -n 's/^manual_date = //p' "$abs_top_srcdir/docs/Makefile.inc")

# Those that most tests look at are made once.
setup_file() {
    work=$BATS_FILE_TMPDIR
    cd "$work" || return
    all_pages awk pages
}

setup() {
    work_open
    ln -s "$BATS_FILE_TMPDIR/pages" pages
}

# Makes a page: page AWK FILE NAME SECTION [what]
page() {
    LC_ALL=C "$1" -f "$abs_top_srcdir/docs/man.awk" -v name="$3" -v section="$4" -v version=0.1.0 \
        -v date="$date" \
        ${5+-v what="$5"} "$abs_top_srcdir/$2"
}

# One for each command, made of the page of the program.
command_pages() {
    local awk=$1 directory=$2 md

    mkdir -p "$directory.commands"
    (cd "$abs_top_srcdir" && LC_ALL=C "$awk" -f docs/commands.awk -v directory="$work/$directory.commands" \
        docs/reference/rhost.1.md core/cli/*.c)
    for md in "$directory.commands"/*.md; do
        LC_ALL=C "$awk" -f "$abs_top_srcdir/docs/man.awk" -v name="$(basename "$md" .1.md)" -v section=1 -v version=0.1.0 \
            -v date="$date" "$md" >"$directory/$(basename "$md" .md)"
    done
}

all_pages() {
    local awk=$1 directory=$2 md name

    mkdir -p "$directory"
    page "$awk" docs/reference/rhost.1.md rhost 1 >"$directory/rhost.1"
    page "$awk" docs/reference/manifest.md rhost-manifest 5 'how a machine should be' >"$directory/rhost-manifest.5"
    page "$awk" docs/reference/definitions.md rhost-definitions 5 'definitions, included files, roles and environments' \
        >"$directory/rhost-definitions.5"
    page "$awk" docs/reference/keywords.md rhost-keywords 5 'words for every resource' >"$directory/rhost-keywords.5"
    page "$awk" docs/reference/notifications.md rhost-notifications 5 'notifications and the action list' \
        >"$directory/rhost-notifications.5"
    page "$awk" docs/authors/abi.md rhost-abi 7 'the contract between rhost and a plugin' >"$directory/rhost-abi.7"
    page "$awk" docs/reference/facts.md rhost-facts 7 'what is so of a machine' >"$directory/rhost-facts.7"
    page "$awk" docs/authors/rhost-provider.7.md rhost-provider 7 >"$directory/rhost-provider.7"
    page "$awk" docs/reference/recipes.md rhost-recipes 5 'manifests written in Lua' >"$directory/rhost-recipes.5"
    page "$awk" docs/reference/reports.md rhost-reports 5 'what a run writes for other programs' >"$directory/rhost-reports.5"
    page "$awk" docs/reference/expressions.md rhost-expressions 7 'expressions, templates and their functions' \
        >"$directory/rhost-expressions.7"
    page "$awk" docs/reference/node-attributes.md rhost-attributes 7 'node attributes and their precedence' \
        >"$directory/rhost-attributes.7"
    page "$awk" docs/authors/check.md rhost-checks 7 'the checks of plugins' >"$directory/rhost-checks.7"
    command_pages "$awk" "$directory"
    for md in "$abs_top_srcdir"/plugins/*/*.md; do
        name=$(basename "$md" .md)
        page "$awk" "plugins/$name/$name.md" "rhost-$name" 7 >"$directory/rhost-$name.7"
    done
}

@test "man has nothing to say about any page" {
    requires_command man
    # Those of commands are parts of one page: mandoc looks at all of them.
    for file in pages/*.5 pages/*.7 pages/rhost.1 pages/rhost-apply.1 pages/rhost-help.1; do
        LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l "$file" 2>complaints >shown
        [ -s shown ]
        is_empty complaints
    done
}

@test "mandoc has nothing to say about any page either, but that lines of the source are long" {
    requires_command mandoc
    mandoc -Tlint -W warning pages/* >complaints || true
    is_empty complaints
}

@test "each page has a name that whatis can find" {
    requires_command lexgrog
    for file in pages/*; do
        name=$(basename "$file")
        lexgrog "$file" | grep -q "\"${name%.?} - "
    done
}

@test "make builds the same pages" {
    for file in pages/*; do
        name=$(basename "$file")
        built=$abs_top_builddir/docs/$name
        [ -f "$built" ] || built=$abs_top_srcdir/docs/$name
        diff <(sed 's/"rhost [0-9.]*"//' "$built") <(sed 's/"rhost [0-9.]*"//' "$file")
    done
}

@test "every awk makes the same pages" {
    for awk in mawk gawk original-awk; do
        command -v $awk >/dev/null || continue
        all_pages $awk other
        diff -r pages other
    done
}

@test "what roff would take for its own is shown as it was written" {
    requires_command man
    cat >odd.md <<'END'
# Odd

A page of oddities.

.TH is not a request here, nor is 'this, nor
.this.

    .nf
    a\b\fBc "quoted" `tick` ^ ~ - --

* `-x`, `--long=X`: *one* **two** and **`three`**
* [a link](other.md), \*no emphasis\*, 2 * 3 * 4, → and · and é

| a | b |
|---|---|
| `x` | `a | b`, c \| d |
| .y | |
END
    LC_ALL=C awk -f "$abs_top_srcdir/docs/man.awk" -v name=odd -v section=7 odd.md >odd.7
    LC_ALL=C.UTF-8 MANROFFOPT=-c MANWIDTH=100 man --warnings -E UTF-8 -l odd.7 2>complaints |
        sed 's/.\x08//g' >shown
    is_empty complaints
    output=$(cat shown)
    says 'odd - a page of oddities'
    says ".TH is not a request here, nor is 'this, nor .this."
    grep -qF 'a\b\fBc "quoted" `tick` ^ ~ - --' shown
    says '-x, --long=X: one two and three'
    says 'a link, *no emphasis*, 2 * 3 * 4, → and · and é'
    says 'a | b, c | d'
    says '.y'
}
