#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The catalogue of messages, docs/messages/*.md, and the sources agree: tests/tree/messages compares them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    command -v perl >/dev/null || skip "no perl"
}

# tree FILE TEXT...: a file of a small source tree
tree() {
    mkdir -p "$(dirname "$1")"
    printf '%s\n' "${@:2}" >"$1"
}

small_tree() {
    tree core/run/a.h 'int rh_say(int a, const char *fmt, ...)' '    __attribute__((format(printf, 2, 3)));'
    tree core/run/a.c 'x = rh_say(1, "cannot open %s%d: %-*s%" PRIu64 " at 5%%\n  more", a, b);'
    tree docs/messages/run.md '# Runs' '' 'About runs.' '' '## RH0010' '' '    cannot open …: … at 5%' '' 'Do this.'
}

is_empty() {
    [ ! -s "$1" ] && return
    cat "$1"
    return 1
}

messages() {
    "$abs_top_srcdir/tests/tree/messages" "$@"
}

@test "each message has a code, and each wording of the catalogue is in the sources" {
    cd "$abs_top_srcdir"
    messages check >"$work/wrong"
    is_empty "$work/wrong"
}

@test "no text has a phrase that another says better, but those that are known" {
    cd "$abs_top_srcdir"
    diff <(grep -v '^#' tests/tree/old-phrases) <(messages phrases)
}

@test "a phrase that another says better is found, over lines of the source too" {
    tree core/run/a.c 'x = f("there is no"' '    " \"y\"");' '/* "left out" */ f("there is nothing left", "is not a file");' \
        'hint("did you mean x?"); f("unknown x: did you mean y?");'
    tree plugins/a/a.c 'desc = "What is\nleft alone."'
    messages phrases >found
    diff - found <<'END'
core/run/a.c: there is no \"y\"
core/run/a.c: unknown x: did you mean y?
plugins/a/a.c: What is\nleft alone.
END
}

@test "docs/messages.md links each page of the catalogue" {
    cd "$abs_top_srcdir"
    for page in docs/messages/*.md; do
        grep -qF "(messages/$(basename "$page"))" docs/messages.md || echo "$page"
    done >"$work/missing"
    is_empty "$work/missing"
}

@test "a catalogue that agrees with its sources is accepted" {
    small_tree
    messages check >wrong
    is_empty wrong
}

@test "a message without a code, and a wording that no message has, are found" {
    small_tree
    tree core/run/b.c 'f(c ? rh_say(1, a ? "first" : "second %s", b) : 0);' '/* rh_say(1, "comment"); */'
    sed -i 's/^    cannot.*/&\n    gone/' docs/messages/run.md
    messages check >wrong
    diff - wrong <<'END'
core/run/b.c:1: no code for: first
core/run/b.c:1: no code for: second …
docs/messages/run.md:8: not in the sources: gone
END
}

@test "a message that a function passes on as it comes is found where it is said" {
    small_tree
    tree core/run/b.c 'static int' 'refuse(struct load *load, const char *why)' '{' '    rh_say(1, "%s", why);' '    return -1;' '}' \
        'x = refuse(load, "passed on");' 'static const char w[] = RH_WORDING("marked %s");'
    messages check >wrong
    diff - wrong <<'END'
core/run/b.c:7: no code for: passed on
core/run/b.c:8: no code for: marked …
END
}

@test "codes are unique, in order and of their page, and have wordings and an explanation" {
    small_tree
    tree core/run/b.c 'f("one"); f("two"); f("three");'
    printf '%s\n' '' '## RH0010' '' '    one' '' 'Do.' '' '## RH0005' '' '    two' '    two' '' '## RH0200' '' 'No.' \
        '' '## RH1' >>docs/messages/run.md
    messages check >wrong
    diff - wrong <<'END'
docs/messages/run.md:11: RH0010 is in docs/messages/run.md:5 already
docs/messages/run.md:11: RH0010 comes after a larger code
docs/messages/run.md:17: RH0005 comes after a larger code
docs/messages/run.md:20: 'two' is in docs/messages/run.md:19 already
docs/messages/run.md: RH0005 has no explanation
docs/messages/run.md:22: RH0200 is not between RH0000 and RH0199
docs/messages/run.md:26: a heading is '## RH' and four digits
docs/messages/run.md: RH0200 has no wording
END
}

@test "the generated tables have what the pages have, with any awk" {
    tree page.md '# T' '' 'Text.' '' '## RH0010' '' '    say "\" … ??' '    a' '' 'First `x`.' '' '```yaml' '- a' '```' \
        '' '## RH0011' '' '    b' '' 'Last.'
    export LC_ALL=C
    for awk in mawk gawk original-awk "busybox awk"; do
        command -v "${awk%% *}" >/dev/null || continue
        $awk -f "$abs_top_srcdir/docs/messages.awk" -v make=wordings page.md | sort >sorted
        printf '%s\t%s\n' a 0010 b 0011 'say "\" … ??' 0010 | sort | diff - sorted
        $awk -f "$abs_top_srcdir/docs/messages.awk" -v make=codes sorted >codes.c
        grep -qxF '    "say \"\\\" … \?\?" "\0"' codes.c
        grep -qxF '    { 4, 10 },' codes.c
        $awk -f "$abs_top_srcdir/docs/messages.awk" -v make=texts page.md >texts.c
        sed -n '/^    /p' texts.c | diff - <(printf '    %s\n' '"RH0010\0"' '"say \"\\\" … \?\?" "\n"' '"a" "\n"' '"\0"' \
            '"First `x`." "\n"' '"" "\n"' '"```yaml" "\n"' '"- a" "\n"' '"```" "\n"' '"\0"' '"RH0011\0"' '"b" "\n"' \
            '"\0"' '"Last." "\n"' '"\0"' '"";')
    done
}
