#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Whatever the program has is in the reference. Options, exit statuses and variables: help.bats; attributes, actions and
# features of types: pages.bats; codes of messages: tests/tree/messages.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

reference=$abs_top_srcdir/docs/reference

in_tree() {
    [ -d "$abs_top_srcdir/core" ] || skip "needs the tree"
}

# Each line of standard input is between backquotes, begins a call, or is alone in a cell, in one of the pages.
is_documented_in() {
    needs_python
    python3 -c 'import re, sys
text = "\n".join(open(page).read() for page in sys.argv[1:])
for word in sys.stdin.read().split():
    if not re.search(r"`{0}[`(=. \[]|(^|[^a-z_]){0}\(|\*\*{0}\*\*|\| `?{0}`?[,\[ |]".format(re.escape(word)), text):
        print(word)' "$@" >missing
    is_empty missing
}

# At least so many lines, so that a list that went lost is no success.
at_least() {
    [ "$(wc -l <"$2")" -ge "$1" ] || { cat "$2"; return 1; }
}

@test "each command has a manual page, and is made into one" {
    rhost --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | cat - <(echo help) | sort >have
    at_least 30 have
    tr ' ' '\n' <<<"$(make_value commands)" | sort >made
    diff -u have made
    while read -r command; do
        page=$abs_top_builddir/docs/rhost-$command.1
        [ -f "$page" ] || page=$abs_top_srcdir/docs/rhost-$command.1
        for section in SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' SIGNALS ENVIRONMENT FILES 'SEE ALSO'; do
            grep -qx ".SH \"$section\"" "$page" || echo "$command: $section"
        done
    done <have >missing
    is_empty missing
}

@test "the list of commands has each, with what the program says of it" {
    {
        rhost --help | sed -n '/^Commands:/,/^$/s/^  //p' | awk '{ print $1 "\t" substr($0, 41) }'
        printf 'help\tshow the help of a command or a topic\n'
    } | sort >have
    sed -nE 's/^\| `rhost ([a-z-]+)` \| (.*) \|$/\1\t\2/p' "$reference/commands.md" | sort >listed
    diff -u have listed
}

@test "manual pages that 'see also' names are there" {
    in_tree
    for page in $(make_value dist_man1_MANS) $(make_value dist_man5_MANS) $(make_value dist_man7_MANS); do
        if [ -f "$abs_top_builddir/$page" ]; then page=$abs_top_builddir/$page; else page=$abs_top_srcdir/$page; fi
        grep -qx '.SH "SEE ALSO"' "$page" || echo "$page" >>lacking
        sed -n '/SEE ALSO/,$p' "$page" | grep -oE '\\fBrhost[a-z\\-]*\\fR\([0-9]\)' | sed 's/\\fB//; s/\\fR(/./; s/)//; s/\\-/-/g'
    done | sort -u >named
    at_least 30 named
    [ ! -e lacking ] || is_empty lacking
    for variable in dist_man1_MANS dist_man5_MANS dist_man7_MANS; do
        make_value $variable | tr ' ' '\n' | sed 's/.*\///'
    done | sort -u >made
    comm -23 named made >missing
    is_empty missing
}

@test "each type has its line in the list of types" {
    in_tree
    for page in "$abs_top_srcdir"/plugins/*/*.md; do
        type=$(basename "$page" .md)
        [ "$(basename "$(dirname "$page")")" = "$type" ] || continue
        grep -q "(../../plugins/$type/$type.md)" "$reference/types.md" || echo "$type"
    done >missing
    is_empty missing
}

@test "each word for every resource is in the page of manifests" {
    rhost schema >schema.json
    needs_python
    json schema.json '"\n".join(d["$defs"]["keywords"]["properties"] if "keywords" in d["$defs"] else [k for n, v in d["$defs"].items() if n == "any" for k in v["properties"]])' >words || true
    sed -n '/word_table\[\]\|rh_keyword/,$s/^    { "\([a-z_]*\)".*/\1/p' "$abs_top_srcdir/core/manifest/keyword/keyword.c" >>words
    at_least 20 words
    is_documented_in "$reference/keywords.md" "$reference/manifest.md" "$reference/notifications.md" "$reference/definitions.md" <words
}

@test "each function of expressions is in their page" {
    in_tree
    # What Lua itself has in "string" and "table" is in Lua's manual.
    find "$abs_top_srcdir/core/script" -name 'lib-*.c' ! -name lib-string.c ! -name lib-table.c ! -name lib-pattern.c \
        -exec grep -hoE '\{ "[a-z_0-9]+", [a-z][a-z_0-9]* \}' {} + | sed -E 's/^\{ "([a-z_0-9]+)".*/\1/' |
        sort -u >functions
    at_least 80 functions
    is_documented_in "$reference/expressions.md" "$reference/recipes.md" <functions
}

@test "each fact is in the page of facts" {
    in_tree
    sed -nE 's/^    \{ "([a-z_]+)", rh_fact_.*/\1/p' "$abs_top_srcdir/core/facts/facts.c" >facts
    at_least 20 facts
    is_documented_in "$reference/facts.md" <facts
}

# NAME in the page stands for any name, and [] for each element.
@test "each value that 'rhost facts' prints has its row, with its type" {
    needs_python
    rhost facts --format=json >facts.json
    python3 - "$reference/facts.md" facts.json >missing <<'END'
import json, re, sys

rows = {tuple(path.split(".")): kind
        for path, kind in re.findall(r"^\| `([^`]+)` \| (\w+) \|", open(sys.argv[1]).read(), re.M)}
kinds = {bool: "Boolean", int: "Integer", str: "String"}
seen = 0


def leaves(value, path):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, path + [key])
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, path[:-1] + [path[-1] + "[]"])
    else:
        yield path, value


for path, value in leaves(json.load(open(sys.argv[2])), []):
    seen += 1
    fits = [kind for row, kind in rows.items()
            if len(row) == len(path) and all(a in ("NAME", b) for a, b in zip(row, path))]
    if kinds.get(type(value)) not in fits:
        print(".".join(path), type(value).__name__)
if seen < 50:
    print("only", seen)
END
    is_empty missing
}

@test "each data type is in the page of data types" {
    in_tree
    grep -rhoE '^ +\{ "[A-Z][A-Za-z]+"' "$abs_top_srcdir/core/datatype" | tr -d ' {"' | sort -u >types
    at_least 40 types
    is_documented_in "$reference/data-types.md" <types
}

@test "the page of data types names no other, and its types are accepted" {
    sed -nE 's/^\| (`[A-Z][^|]*) \|.*/\1/p' "$reference/data-types.md" | grep -oE '`[^`]+`' | tr -d '`' |
        grep -v '\bT\b\|Variant\[A, B\]\|\[A\]' | sed 's/\\|/|/g' >types
    at_least 40 types
    while read -r type; do
        rhost data-type "$type" >/dev/null 2>&1 || echo "$type"
    done <types >refused
    is_empty refused
}

@test "each level of attributes is in their page" {
    rhost complete -- node --level= | sed -n 's/^--level=\([a-z_]*\)\t.*/\1/p' | grep -v 'merged\|combined' >levels
    at_least 10 levels
    is_documented_in "$reference/node-attributes.md" <levels
    is_documented_in "$abs_top_srcdir/docs/concepts/attributes.md" <levels
}

@test "each setting of the agent is in its page" {
    in_tree
    sed -nE 's/^    \{ "([a-z_]+)", [A-Z]+, AT.*/\1/p' "$abs_top_srcdir/core/agent/settings.c" >settings
    at_least 10 settings
    is_documented_in "$abs_top_srcdir/docs/guides/agent.md" <settings
}

@test "each setting of other files is in a page" {
    in_tree
    sed -nE 's/.*static const char \*const keys\[\] = \{ (.*), NULL \};/\1/p' "$abs_top_srcdir/core/cli/provider-policy.c" |
        grep -oE '[a-z_]+' | sort -u >words
    at_least 5 words
    is_documented_in "$abs_top_srcdir/docs/security/confinement.md" <words
    # And what packages have for services.
    {
        sed -nE 's/^([A-Z_]+)=.*/\1/p' "$abs_top_srcdir"/packaging/*.default
        grep -rhoE '"/etc/rhost/[a-z_.]+"' "$abs_top_srcdir/core" --include=*.[ch] | tr -d '"'
        find "$abs_top_srcdir/packaging" -name '*.service' -exec sed -nE 's/^EnvironmentFile=-(.*)/\1/p' {} +
    } | sort -u >settings
    at_least 8 settings
    while read -r setting; do
        grep -q "\`$setting[\`/]" "$reference/settings.md" || echo "$setting"
    done <settings >missing
    is_empty missing
}

@test "each exit status of the program is in the page of exit statuses and in that of the program" {
    in_tree
    sed -n 's/^enum {\(.*RH_EXIT_OK.*\)};/\1/p' "$abs_top_srcdir/core/cli/command.h" | grep -oE '[0-9]+' >statuses
    at_least 4 statuses
    while read -r status; do
        grep -q "^| $status | " "$reference/rhost.1.md" || echo "rhost.1.md: $status"
        grep -qE "^\| \`?$status\`? \| " "$abs_top_srcdir/docs/concepts/exit-status.md" || echo "exit-status.md: $status"
    done <statuses >missing
    is_empty missing
}

# keys_of SCHEMA: of all objects in it.
keys_of() {
    python3 - "$abs_top_srcdir/docs/$1.schema.json" <<'END'
import json, sys

keys = set()


def walk(value):
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict):
            keys.update(value["properties"])
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            walk(part)


walk(json.load(open(sys.argv[1])))
print("\n".join(sorted(keys)))
END
}

@test "each key of events, plans and files of targets is in a page" {
    needs_python
    keys_of events >events
    at_least 60 events
    is_documented_in "$reference/reports.md" "$reference/rhost.1.md" <events
    keys_of plan >plan
    at_least 40 plan
    is_documented_in "$abs_top_srcdir/docs/guides/plan.md" "$reference/rhost.1.md" <plan
    keys_of targets >targets
    at_least 8 targets
    while read -r key; do
        grep -qE "\`$key\`|(^|[{ ])$key:" "$abs_top_srcdir/docs/guides/push.md" "$reference/rhost.1.md" || echo "$key"
    done <targets >missing
    is_empty missing
}

@test "each key of a report is in a page" {
    needs_python
    json "$abs_top_srcdir/docs/report.schema.json" '"\n".join(sorted({k for v in d["$defs"].values() for k in v.get("properties", {})}))' >keys
    at_least 30 keys
    is_documented_in "$reference/rhost.1.md" "$reference/reports.md" <keys
}

@test "each page stands behind a door, and links lead to pages" {
    in_tree
    needs_python
    mkdir commands
    awk -f "$abs_top_srcdir/docs/commands.awk" -v directory=commands "$reference/rhost.1.md" "$abs_top_srcdir"/core/cli/*.c
    run python3 "$abs_top_srcdir/docs/html/stage.py" "$abs_top_srcdir" commands stage
    status_is 0
    [ -z "$output" ]
    # A page that nothing leads to is found.
    mkdir tree
    (cd "$abs_top_srcdir" && tar cf - --exclude='*.c' --exclude='*.bats' docs plugins ./*.md LICENSE) | tar xf - -C tree
    chmod -R u+w tree
    printf '# Alone\n\n[nowhere](nowhere.md)\n' >tree/docs/guides/alone.md
    run python3 "$abs_top_srcdir/docs/html/stage.py" tree commands stage
    status_is 1
    says 'guides/alone.md: no door leads to it'
    says 'guides/alone.md: nowhere.md'
}

@test "each picture shows the texts of its source, and the terminal shows what happens" {
    in_tree
    needs_python
    python3 "$abs_top_srcdir/docs/pictures/draw" --check "$abs_top_srcdir"/docs/pictures/*.dot
    python3 "$abs_top_srcdir/docs/pictures/record" "$abs_top_builddir/rhost" "$abs_top_srcdir/README.md" now.svg
    diff -u "$abs_top_srcdir/docs/pictures/first-run.svg" now.svg
}
