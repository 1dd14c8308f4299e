#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Lookups and facts in rhost check: what a good plugin passes, and by which check each fault is found.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/inquiry.bash"

setup() {
    work_open
}

@test "lookups and facts without a fault pass all" {
    run inquiry_check "" "$BATS_TEST_TMPDIR"
    status_is 0
    for check in schema documented reads fits agrees looks prompt secret secret-files borrowed blocks confined descriptors kinds random; do
        says "pass $check lookups/facts"
    done
    not grep -qE '^(warn|fail|crash) ' <<<"$output"
}

# shellcheck disable=SC2154 # inquiries is of inquiry.bash
@test "all of 30 faults of lookups and facts are found, each by the check that is about it" {
    local fault found=0 check
    [ "${#inquiries[@]}" -eq 30 ]
    for fault in "${inquiries[@]}"; do
        check=${fault#*|}
        needs_root "${fault%|*}" && continue
        case $check in no-memory | memory-limit | grows) ! is_sanitized || continue ;; esac
        run inquiry_check "${fault%|*}" "$BATS_TEST_TMPDIR" --only reads --only "$check"
        case $check in documented | agrees | prompt) check="warn +$check" ;; *) check="(fail|crash) +$check" ;; esac
        grep -qE "^$check +lookups/facts" <<<"$output" || {
            echo "not found: $fault"
            echo "$output"
            return 1
        }
        found=$((found + 1))
    done
    is_sanitized || [ "$(id -u)" -ne 0 ] || [ "$found" -eq 30 ]
}

@test "docs/evidence/checks.md has a row for each fault of a lookup or a fact" {
    local fault
    for fault in "${inquiries[@]}"; do
        grep -qF "| ${fault%|*} | \`${fault#*|}\` | " "$abs_top_srcdir/docs/evidence/checks.md" || {
            echo "it has none for: $fault"
            return 1
        }
    done
}

@test "without a fixture facts are read, and lookups are named that nothing asks" {
    run rhost check "$abs_top_builddir/tests/plugins/.libs/inquiry.so" --only reads --only random --only looks --seed=1
    status_is 0
    says "skip reads lookups/facts: no question of the fixture asks lookup 'inquiry'"
    says "skip looks lookups/facts: it needs a fixture, with questions to ask"
    says "pass random lookups/facts"
}

refuses() {
    printf 'questions:\n%s\n' "$1" >fixture.yaml
    inquiry_fixture=fixture.yaml run inquiry_check "" "$BATS_TEST_TMPDIR" --only reads
    status_is 1
    says "$2"
}

@test "wrong questions of a fixture are found, with their place" {
    refuses '  - lookup: inqiry' "fixture.yaml:2:5: error: unknown lookup 'inqiry' of the plugin"
    says "did you mean 'inquiry'?"
    refuses '  - fact: inquiry_sit' "unknown fact 'inquiry_sit' of the plugin"
    refuses '  - {lookup: inquiry, fact: x}' "a question must be a hash with the name of a 'lookup' or a 'fact'"
    refuses '  - {lookup: inquiry, parameters: {path: x}}' "parameter 'path' expects a match for Pattern"
    refuses '  - {lookup: inquiry, parameters: {path: /x}}' "missing parameter 'key' of lookup 'inquiry'"
    refuses '  - {lookup: inquiry, parameters: {pth: /x}}' "unknown parameter 'pth' of the lookup 'inquiry' in a question"
    refuses '  - {fact: inquiry_site, parameters: {x: 1}}' "only a lookup has them"
    refuses '  - {fact: inquiry_site, answer: {a: 1}}' "the answer expects a String value"
    refuses '  - {fact: inquiry_site, answer: x, fails: true}' "only one of 'answer', 'absent' and 'fails'"
    refuses '  - {fact: inquiry_site, wanted: x}' "unknown key 'wanted' of a question"
    refuses '  a: b' "'questions' must be a list"
}

@test "questions for a plugin without lookups and facts are refused" {
    printf 'questions: [{fact: x}]\n' >fixture.yaml
    run rhost check "$abs_top_builddir/tests/plugins/.libs/herd.so" --fixture fixture.yaml --only reads
    status_is 1
    says "the fixture has 'questions', but the plugin has no lookups and no facts"
}

@test "a program's lookups and facts are checked as well" {
    mkdir asked
    cat >asked/type.yaml <<'END'
program: ./asked.sh
lookups:
  asked:
    desc: A word.
    type: String
    parameters: {word: {type: String, desc: The word.}}
facts:
  asked_site: {desc: Where it is., type: Integer}
END
    cat >asked/asked.sh <<'END'
#!/bin/sh
while read -r line; do
    case $line in
    *'"hello"'*) echo '{"hello":{"protocol":1}}' ;;
    *'"lookup"'*) printf '{"answer":{"value":"x"}}\n{"done":true}\n' ;;
    *'"fact"'*) printf '{"answer":{"value":"no number"}}\n{"done":true}\n' ;;
    esac
done
END
    chmod 755 asked/asked.sh
    printf 'questions: [{lookup: asked, parameters: {word: a}, answer: x}]\n' >fixture.yaml
    run rhost check asked --fixture fixture.yaml --only reads --only fits --only looks
    echo "$output"
    says "pass reads lookups/facts"
    says "fail fits lookups/facts: fact 'asked_site' fails: invalid answer"
}
