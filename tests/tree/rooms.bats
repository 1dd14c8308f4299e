#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How the rooms of core/ use each other. tests/tree/rooms counts it; the tables beside it say what is allowed.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    cd "$abs_top_srcdir" || return
    command -v perl >/dev/null || skip "no perl"
}

# allowed TABLE ADVICE: what is on standard input stands in the table, and nothing else does.
allowed() {
    local different
    different=$(diff <(grep -v '^#' "tests/tree/$1" | LC_ALL=C sort) <(LC_ALL=C sort) |
        sed -n 's/^>/not allowed:/p; s/^</no longer so, remove it from the table:/p')
    [ -z "$different" ] && return
    echo "tests/tree/$1: $2"
    echo "$different"
    return 1
}

@test "files of core call each other in no circle but those that are known" {
    tests/tree/rooms circles | allowed circles "move the function to the file that it belongs to, or pass what it needs"
}

@test "a room includes only the faces of other rooms" {
    tests/tree/rooms faces | allowed faces "include a face of that room, or move the function to one"
}

@test "a function that only its own file uses is static" {
    run tests/tree/rooms static
    status_is 0
    [ -z "$output" ]
}

@test "names say what they are for: no file, function, type, constant or member is called tell, look or given" {
    tests/tree/rooms words | allowed vague-names "call it by a noun or verb of the domain"
}

@test "a tag that begins with rh_ is defined once" {
    run tests/tree/rooms tags
    status_is 0
    [ -z "$output" ] || { echo "$output"; echo "call them after their rooms"; return 1; }
}

@test "a tree is changed in place only by rooms that build one" {
    run bash -c 'grep -rl "base/draft.h" core | sed "s|^core/||; s|/.*||" | sort -u | tr "\n" " "'
    [ "$output" = "base cli facts manifest node plugin provider run schema script " ]
}

# The checks themselves: a tree of three files, with one circle, one include and one function of each kind.
@test "a circle, a face and a function of one file are found" {
    mkdir -p "$work/tree/core/low" "$work/tree/core/high"
    cd "$work/tree" || return
    printf 'int rh_a(int x);\nint rh_own(void);\n' >core/low/a.h
    printf '#include "low/a.h"\n#include "low/b.h"\nint\nrh_own(void)\n{\n    return 0;\n}\nint\nrh_a(int x)\n{\n    return x ? rh_b() : rh_own();\n}\n' >core/low/a.c
    printf 'int rh_b(void);\n' >core/low/b.h
    printf '#include "low/b.h"\n#include "low/a.h"\nint\nrh_b(void)\n{\n    return rh_a(0);\n}\n' >core/low/b.c
    printf '#include "low/a.h"\n/* rh_b */\nint\nmain(void)\n{\n    return rh_a(1); // rh_b\n}\n' >core/high/c.c
    run "$abs_top_srcdir/tests/tree/rooms" circles
    [ "$output" = 'low/a low/b' ]
    run "$abs_top_srcdir/tests/tree/rooms" faces
    [ "$output" = 'low a.h' ]
    run "$abs_top_srcdir/tests/tree/rooms" private
    [ "$output" = $'low rh_b\nlow rh_own' ]
    run "$abs_top_srcdir/tests/tree/rooms" static
    [ "$output" = 'core/low/a.c rh_own' ]
}

@test "a name of words that say nothing is found, whatever it names" {
    mkdir -p "$work/tree/core/low"
    cd "$work/tree" || return
    cat >core/low/a.h <<'END'
#define RH_SAID 1
/* struct rh_tell { int given; }; */
struct rh_fine {
    int given, n_lost[3], retold;
    const char *(*look)(void *data, int held);
    struct {
        unsigned settled : 1;
    } of[2];
};
enum rh_manners { RH_TURN, RH_RETURN = 2, RH_AT_HOLD };
struct rh_debts;
int rh_a_tell(int told);
END
    printf '#include "low/a.h"\nint\nrh_a_tell(int told)\n{\n    int lost = told;\n    return lost;\n}\n' >core/low/tell.c
    run "$abs_top_srcdir/tests/tree/rooms" words
    [ "${output//core\/low\/}" = "a.h RH_AT_HOLD
a.h RH_SAID
a.h RH_TURN
a.h given
a.h look
a.h n_lost
a.h of
a.h rh_manners
a.h settled
tell.c low_tell_c
tell.c rh_a_tell" ]
}

@test "a tag that is defined twice is found, whatever it is a tag of" {
    mkdir -p "$work/tree/core/low" "$work/tree/core/high"
    cd "$work/tree" || return
    printf 'struct rh_a {\n    int x;\n};\nstruct rh_b {\n    enum rh_c { RH_X } c;\n};\nstruct own {\n    int x;\n};\n' >core/low/a.h
    printf 'struct rh_b;\nenum rh_a { RH_Y };\nstruct own {\n    int y;\n};\nstruct rh_a *f(struct rh_b *b);\n' >core/high/b.c
    run "$abs_top_srcdir/tests/tree/rooms" tags
    [ "$output" = 'rh_a core/high/b.c core/low/a.h' ]
}

@test "each function that returns a value has a caller that uses it" {
    run tests/tree/results
    status_is 0
    [ -z "$output" ] || { echo "$output"; echo "make them void, or use the value"; return 1; }
}

@test "a function whose value no caller uses is found, however it is called" {
    mkdir -p "$work/tree/core/low"
    cd "$work/tree" || return
    cat >core/low/a.c <<'END'
static int unused(int x) { return x; }
static int __attribute__((noinline)) cast(void) { return 0; }
static int in_condition(void) { return 0; }
static int returned(void) { return 1; }
static int assigned(void) { return 2; }
static int by_address(void) { return 3; }
static int in_loop(void) { return 4; }
static void no_value(void) { }
static int in_macro(void) { return 5; }
#define USE_IT(x) (x = in_macro())
struct table { int (*fn)(void); };
static const struct table all = { .fn = by_address };
int
rh_a(int n)
{
    if (n)
        unused(n);
    else
        (void)cast();
    for (int i = 0; in_loop(); i++)
        no_value();
    n = assigned();
    in_macro();
    by_address();
    if (in_condition() < 0)
        return returned();
    return all.fn();
}
END
    run "$abs_top_srcdir/tests/tree/results"
    [ "$(sort <<<"$output")" = $'core/low/a.c cast\ncore/low/a.c unused' ]
}
