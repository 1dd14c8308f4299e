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
    ("    fd = open(p, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);", [],
     [("drop a flag", "    fd = open(p, O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);")]),
    ("    mode = 0644;", [], [("change a constant", "    mode = 0600;")]),
    ('    puts("a && b");', [], [("drop a call", "    ;")]),
    ("    /* a && b */", [], []),
]
for line, before, expected in table:
    got = list(rules(line, before))
    assert got == expected, (line, got, expected)
END
}

# ids SOURCE [OPTION...]: the ID and the text of each mutant of a tree that has core/x.c alone.
ids() {
    python3 - "$@" <<'END'
import importlib.machinery, importlib.util, os, sys, types
loader = importlib.machinery.SourceFileLoader("run", os.environ["PYTHONPATH"] + "/run")
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
options = types.SimpleNamespace(source=sys.argv[1], files=(), only=set(sys.argv[3:]), part="1/1", seed=sys.argv[2], count=1000)
run.Runner(options).list()
END
}

@test "a change of a source changes only the mutants of its own lines" {
    mkdir -p "$BATS_TEST_TMPDIR/core"
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' 'int' 'f(int a)' '{' '    if (a < 1)' '        return a == 2;' '    return a == 2;' '}' '' 'int' 'g(int a)' '{' \
        '    return a == 2 && a != 3;' '}' >core/x.c
    ids . 1 >before
    [ "$(wc -l <before)" -eq 7 ]
    [ "$(cut -d ' ' -f 1 before | sort -u | wc -l)" -eq 7 ]
    ids . 1 | cmp - before

    # Elsewhere, and in its indentation: the same ones in the same order, at other lines.
    sed -i -e '1i /* first */' -e 's/^    return a == 2 && /  &/' core/x.c
    ids . 1 >moved
    cmp <(cut -d ' ' -f 1 before) <(cut -d ' ' -f 1 moved)
    not cmp -s before moved

    # One line: only its own two mutants are others, and the others stay in their order.
    sed -i 's/a < 1/a < 4/' core/x.c
    ids . 1 >changed
    [ "$(cut -d ' ' -f 1 before changed | sort | uniq -u | wc -l)" -eq 4 ]
    cmp <(grep -vE 'a <=? 1' moved | cut -d ' ' -f 1) <(grep -vE 'a <=? 4' changed | cut -d ' ' -f 1)

    # Another seed: the same ones in another order.
    ids . 2 >other
    cmp <(sort changed) <(sort other)
    not cmp -s changed other

    # One alone.
    is "$(ids . 1 "$(head -n 1 changed | cut -d ' ' -f 1)")" "$(head -n 1 changed)"
    is "$(ids . 1 0123456789ab)" 'there is no mutant 0123456789ab any more'
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

needs_cc() {
    command -v cc >/dev/null || skip 'cc is needed'
    getconf GNU_LIBC_VERSION >/dev/null 2>&1 || skip 'tests/mutants/guard.c is for glibc'
}

# guarded SOURCE [FLAG...]: whether a program, each block of which is guarded, comes to its end.
guarded() {
    local source=$1
    shift
    printf '%s\n' "$source" >"$BATS_TEST_TMPDIR/it.c"
    cc -O0 -w -D_GNU_SOURCE "$@" -I"$abs_top_srcdir/core" -I"$abs_top_builddir" -o "$BATS_TEST_TMPDIR/it" \
        "$BATS_TEST_TMPDIR/it.c" "$abs_top_srcdir"/core/base/{arena,alloc}.c "$abs_top_srcdir/tests/mutants/guard.c"
    (ulimit -c 0; exec "$BATS_TEST_TMPDIR/it") 2>"$BATS_TEST_TMPDIR/err"
}

@test "in the builds of mutants, one byte behind a block ends the program" {
    needs_cc
    guarded '#include <stdlib.h>
        int main(void) { char *p = malloc(5); p[4] = 0; p = realloc(p, 9); p[8] = 0; free(p); return 0; }'
    run guarded '#include <stdlib.h>
        int main(void) { char *p = malloc(5); p[5] = 0; free(p); return 0; }'
    [ "$status" -eq 134 ]
    grep -q 'written behind a block' "$BATS_TEST_TMPDIR/err"
    run guarded '#include <stdlib.h>
        int main(void) { char *p = malloc(5); p[5] = 0; p = realloc(p, 9); free(p); return 0; }'
    [ "$status" -eq 134 ]
    # A value that nobody has given is none.
    guarded '#include <stdlib.h>
        int main(void) { unsigned char *p = malloc(5), *q = calloc(5, 1); return !(p[4] && p[5] && !q[4] && q[5]); }'
}

@test "in the builds of mutants, each allocation of an arena is a block" {
    needs_cc
    local program='#include "base/arena.h"
        int main(void) { struct rh_arena *a = rh_arena_new(0); char *p = rh_arena_alloc(a, 5), *q = rh_arena_alloc(a, 3);
                         size_t n = rh_arena_size(a);
                         p[LAST] = 0; q[2] = 0; rh_arena_reset(a);
                         if (n < 8 || rh_arena_size(a) >= n) return 1;
                         rh_arena_strdup(a, "x"); rh_arena_free(a); return 0; }'
    guarded "$program" -DRH_GUARDED_BLOCKS -DLAST=4
    run guarded "$program" -DRH_GUARDED_BLOCKS -DLAST=5
    [ "$status" -eq 134 ]
    grep -q 'written behind a block' "$BATS_TEST_TMPDIR/err"
    # As it is installed, an arena gives parts of larger blocks.
    run guarded "${program/rh_arena_size(a) >= n/0}" -DLAST=5
    [ "$status" -eq 0 ]
}
