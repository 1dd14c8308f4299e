#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tool behind make check-mutants: its rules, its lists, and what it keeps between two runs.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    command -v python3 >/dev/null || skip 'python3 is needed'
    export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$abs_top_srcdir/tests/mutants
}

@test "the lists of the tool fit the sources, and each rule has mutants" {
    run python3 "$abs_top_srcdir/tests/mutants/run" --check "$abs_top_srcdir"
    echo "$output"
    [ "$status" -eq 0 ]
    local rule
    for rule in 'change a constant' 'drop a call' 'drop a flag' 'drop an error' 'drop an error check' \
        'negate a comparison' 'negate a condition' 'off by one' 'swap a result' 'swap an order' 'swap and, or'; do
        grep -Eq "^ *[1-9][0-9]*  $rule\$" <<<"$output" || { echo "no mutant by '$rule'"; return 1; }
    done
}

@test "each rule changes what it says, and leaves alone what no test could notice" {
    python3 - <<'END'
from rules import rules

table = [
    # the line, those above it, and each mutant
    ("    rh_table_add(t, x);", [], [("drop a call", "    ;")]),
    ("    free(x);", [], []),
    ("    if (n < 10) {", [], [("negate a condition", "    if (!(n < 10)) {"), ("off by one", "    if (n <= 10) {")]),
    ("    x = n - 1;", [], [("off by one", "    x = n - 0;")]),
    ("    if (read_it(x) < 0)", [],
     [("negate a condition", "    if (!(read_it(x) < 0))"), ("drop an error check", "    if (read_it(x) < -9)")]),
    ("    if (fsync(fd) < 0)", [], [("negate a condition", "    if (!(fsync(fd) < 0))")]),
    ("        return -1;", ["    if (read_it(x) < 0)"], [("drop an error", "        return 0;")]),
    ("        return -1;", ["    if (fsync(fd) < 0)"], []),
    ("    return false;", [], [("swap a result", "    return true;")]),
    ("    return a && b;", [], [("swap and, or", "    return a || b;")]),
    ("    return a == b;", [], [("negate a comparison", "    return a != b;")]),
    ("    return strcmp(a, b) < 0;", [], [("swap an order", "    return strcmp(a, b) > 0;")]),
    ("    fd = open(p, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);", [],
     [("drop a flag", "    fd = open(p, O_RDONLY | O_CLOEXEC);")]),
    ("    mode = 0644;", [], [("change a constant", "    mode = 0600;")]),
    ('    puts("a && b");', [], [("drop a call", "    ;")]),
    ("    /* a && b */", [], []),
]
for line, before, expected in table:
    got = list(rules(line, before))
    assert got == expected, (line, got, expected)
END
}

@test "what is known of a line moves along with it" {
    python3 - <<'END'
from baseline import moved

old = ["a", "b", "c", "d"]
known = {1: 1, 2: 2, 4: 8}
assert moved(old, old, known) == known
assert moved(old, ["new"] + old, known) == {2: 1, 3: 2, 5: 8}
assert moved(old, ["a", "b", "new", "c", "d"], known) == {1: 1, 2: 2, 3: 2, 5: 8}, "an added line has that of the one before"
assert moved(old, ["a", "B", "c", "d"], known) == known, "a changed line has that of the one in its place"
assert moved(old, ["a", "d"], known) == {1: 1, 2: 8}
assert moved(old, [], known) == {}
END
}
