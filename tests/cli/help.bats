#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What --help says and what docs/reference/rhost.1.md says.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

page=$abs_top_srcdir/docs/reference/rhost.1.md
commands='apply bundle plan undo validate compile graph device push resource capture types describe schema data-type runs show history pending confirm facts node new check kit agent collect fleet why explain examples init module complete'

program() {
    "${RHOST:-$abs_top_builddir/rhost}" "$@"
}

# The options of a help text, "-n --noop", "--diff", "--report=FILE": one a line, sorted.
helped() {
    sed -nE 's/^  (-., |    )(--[a-z-]+(=[A-Z]+)?) .*/\1\2/p' | tr -d ',' | sed -E 's/^ +//; s/ +/ /' | sort
}

# The same of the table in the page, for one command.
paged() {
    awk -F ' *[|] *' -v command="$1" '
        /^## / { table = /^## Options/ }
        table && /^\| `-/ {
            n = split($3, taken, / *, */)
            for (i = 1; i <= n; i++)
                if (taken[i] == command || (taken[i] == "all" && command != "rhost"))
                    print $2
        }' "$page" | tr -d '`,' | sort
}

@test "the manual has exactly the options that each command has" {
    for command in $commands; do
        echo "# $command"
        program "$command" --help | helped >help
        paged "$command" >page
        [ -s help ]
        diff -u help page
    done
}

@test "the manual has exactly the options that stand in front of a command" {
    program --help | helped >help
    { paged rhost; paged schema; } | sort >page
    diff -u help page
}

@test "the manual has exactly the commands that there are, with their operands" {
    program --help | sed -n '/^Commands:/,/^$/s/^  //p' | awk '{ print substr($0, 1, 10) substr($0, 11, 29) }' |
        sed -E 's/ +/ /g; s/ $//' | sort >help
    sed -n '/^## Commands/,/^## Options/s/^### //p' "$page" | grep -v '^help' | sort >page
    [ "$(wc -l <help)" -eq "$(wc -w <<<"$commands")" ]
    diff -u help page
}

@test "values that the help names are in the manual" {
    program apply --help | sed -nE 's/.* --(strict|isolation)=[A-Z]+ +(.*):.*/\1 \2/p' | tr -d , >values
    [ -s values ]
    while read -r option words; do
        for word in $words; do
            [ "$word" = or ] || grep "^| \`--$option=" "$page" | grep -q "\`$word\`"
        done
    done <values
}

@test "the manual says what each exit status means" {
    for status in 0 1 2 4 6; do
        grep -q "^| $status | " "$page"
    done
}

@test "variables of the environment that the program looks at are in the manual" {
    [ -d "$abs_top_srcdir/core" ]
    grep -rhoE 'getenv\("[A-Z_]+"\)|home_path\("[A-Z_]+"' "$abs_top_srcdir/core" |
        grep -oE '[A-Z_]{4,}' | sort -u >variables
    [ -s variables ]
    while read -r variable; do
        echo "$variable"
        grep -q "\`$variable\`" "$page"
    done <variables
}
