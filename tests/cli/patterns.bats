#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Patterns that are known to take for ever end within limits, and say so.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Subjects: a quoted JSON string, of 64 and of 65,536 characters and one that does not fit.
short="\"$(printf 'a%.0s' {1..64})!\""
long() {
    printf '"%s!"' "$(head -c 65536 /dev/zero | tr '\0' "${1:-a}")"
}

# Asks once, and about a short subject 40 times in one process, which is when patterns become machine
# code; no question may take half a second of the processor.
ends() {
    local question="{\"type\": \"$1\", \"value\": $2}" TIMEFORMAT='%U'

    { time rhost data-type --batch <<<"$question" >out || true; } 2>spent
    is_below 0.5 "$(cat spent)" || return
    [ ${#2} -lt 1000 ] || return 0
    for _ in {1..40}; do echo "$question"; done >questions
    { time rhost data-type --batch <questions >again || true; } 2>spent
    is_below 20 "$(cat spent)" || return
    [ "$(sort -u again)" = "$(cat out)" ]
}

is_below() {
    awk -v most="$1" -v spent="$2" 'BEGIN { exit !(spent < most) }' && return
    echo "took $2 seconds, expected below $1"
    return 1
}

# Patterns as they stand in a type in JSON.
undecided() {
    cat <<'END'
^(a+)+$
\\A(a|aa)+\\z
\\A(a|a?)+\\z
(a|a)*$
^(([a-z])+.)+[A-Z]([a-z])+$
^(a?){64}a{64}$
(.*a){20}\\z
\\A(?<x>a\\g<x>|a)+\\z
^(a+){1,1000}$
(?<!b)(a+)+$
(?i)(a|A|aa)+$
^(?:(?:a+)+)+$
(?m)(.+)+\\z\\A
END
}

# Those that end by themselves, for the matcher sees what they lack.
decided() {
    cat <<'END'
(.*)*x
(a*)*b
(x+x+)+y
((a*)*)*b
(?<x>a\\g<x>?)+b
(a+)\\1+b
((a)\\2?)+b
(?=(a+))a*b\\1
(\\w+\\s?)*\\z#
[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*b
(?>a+)+b
(?:a?){30}(?:a){30}c
(a(?=(.*)))*b
(?<p>\\((?:[^()]|\\g<p>)*\\))$
((a{1,1000}){1,1000})b
END
}

@test "a pattern that takes too many steps is an error that names it" {
    undecided >table
    while read -r pattern; do
        echo "# $pattern"
        for subject in "$short" "$(long)"; do
            ends "Pattern[/$pattern/]" "$subject"
            grep -qF "{\"error\": \"cannot be held against /$pattern/: the pattern takes too many steps for it\"}" out
        done
    done <table
}

@test "a pattern that only looks as if it took for ever ends" {
    decided >table
    while read -r pattern; do
        echo "# $pattern"
        for subject in "$short" "$(long)" "$(long '(')"; do
            ends "Pattern[/$pattern/]" "$subject"
            [ -s out ]
        done
    done <table
}

@test "too many steps are no mismatch, wherever the pattern stands" {
    for type in 'Optional[%s]' 'Variant[%s, String]' 'Variant[Integer, %s]' 'NotUndef[%s]' \
        'Pattern[/x/, /^(a+)+$/]'; do
        # shellcheck disable=SC2059
        run rhost data-type "$(printf "$type" 'Pattern[/^(a+)+$/]')" "$short"
        status_is 4
        says "error: cannot be held against /^(a+)+\$/: the pattern takes too many steps for it"
    done
    run rhost data-type 'Struct[{b => Array[Pattern[/^(a+)+$/]]}]' "{\"b\": [\"a\", $short]}"
    status_is 4
    run rhost data-type 'Pattern[/a/, /^(a+)+$/]' "$short"
    status_is 0
    run rhost data-type 'Array[Pattern[/^(a+)+$/]]' "[$(for _ in {1..1000}; do printf '%s, ' "$short"; done) 1]"
    status_is 4
    [ "$(wc -l <<<"$output")" -eq 1 ]
}

@test "a pattern that is too large, or nested too deep, is refused" {
    run rhost data-type 'Pattern[/((((a{1,30}){1,30}){1,30}){1,30})b/]'
    status_is 1
    says 'too large'
    run rhost data-type "Pattern[/$(printf '(%.0s' {1..200})$(printf ')%.0s' {1..200})/]"
    status_is 1
    says 'bad pattern'
    run rhost data-type "Pattern[/$(head -c 70000 /dev/zero | tr '\0' a)/]"
    status_is 1
    says 'too long'
}

@test "a pattern cannot lift its limits" {
    for verb in '(*LIMIT_MATCH=4000000000)' '(*LIMIT_HEAP=4000000)' '(*NO_JIT)' '(?C1)' '(*ACCEPT)'; do
        run rhost data-type "Pattern[/${verb}^(a+)+\$/]" "$short"
        status_is 1
        says 'TYPE:1:'
    done
}
