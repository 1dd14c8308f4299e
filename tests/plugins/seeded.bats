#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Faults that a good-looking plugin may have, and whether rhost check finds each: a table, by name.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/seeded.bash"

setup() {
    work_open
}

@test "the plugin without a fault passes all" {
    run seeded_check "" "$BATS_TEST_TMPDIR"
    status_is 0
    for check in batch alone others listed names acts atomic secret-files threads timers environment grows attributes replaces validates blocks stops; do
        says "pass $check seeded"
    done
    not grep -qE '^(warn|fail|crash) ' <<<"$output"
}

# shellcheck disable=SC2154 # seeds is of seeded.bash
@test "all of 74 faults are found, each by the check that is about it" {
    local seed found=0 check
    [ "${#seeds[@]}" -eq 74 ]
    for seed in "${seeds[@]}"; do
        check=${seed#*|}
        needs_root "${seed%|*}" && continue
        case $check in no-memory | memory-limit) ! is_sanitized || continue ;; esac
        run seeded_check "${seed%|*}" "$BATS_TEST_TMPDIR" --only reads --only writes --only creates --only "$check"
        if seed_is_hidden; then
            found=$((found + 1))
            continue
        fi
        case $seed in *'|documented' | *'|quick' | *'hides a keyword|attributes') check="warn +$check" ;; *) check="(fail|crash) +$check" ;; esac
        grep -qE "^$check " <<<"$output" || {
            echo "not found: $seed"
            echo "$output"
            return 1
        }
        found=$((found + 1))
    done
    is_sanitized || [ "$(id -u)" -ne 0 ] || [ "$found" -eq 74 ]
}

@test "what is declared and not used is said, and is no fault" {
    run seeded_check "declares what it does not use" "$BATS_TEST_TMPDIR" --only reads --only writes --only creates --only needs
    status_is 0
    if seed_is_hidden; then
        skip "system calls cannot be watched here"
    fi
    says "pass needs seeded: declared, and not used here: read[/etc/ssl/openssl.cnf]"
    run seeded_check "" "$BATS_TEST_TMPDIR" --only reads --only writes --only creates --only needs
    [ "$(grep '^pass  *needs' <<<"$output" | tr -s ' ')" = "pass needs seeded" ]
}

@test "docs/authors/check.md shows for each check a fault that it finds" {
    awk '/^## Static/, /^## Fixtures/' "$abs_top_srcdir/docs/authors/check.md" | sed -n 's/^| `\([a-z-]*\)` .*/\1/p' | sort >checks
    grep -o '| `[a-z-]*` |' "$abs_top_srcdir/docs/evidence/checks.md" | tr -d '|` ' | sort -u >found
    [ "$(wc -l <checks)" -gt 50 ]
    is "$(comm -23 checks found)" ''
}

@test "what fails with all the memory that it wants is not tried with less" {
    run seeded_check "reports what it did not do" "$BATS_TEST_TMPDIR" --only no-memory
    status_is 0
    says 'skip no-memory seeded: it fails even when memory is not limited'
    [ "$(grep -c no-memory <<<"$output")" -eq 1 ]
}

@test "docs/evidence/checks.md has a row for each fault that is found" {
    local seed
    for seed in "${seeds[@]}"; do
        grep -qF "| ${seed%|*} | \`${seed#*|}\` | " "$abs_top_srcdir/docs/evidence/checks.md" || {
            echo "it has none for: $seed"
            return 1
        }
    done
}

@test "a library that aborts without memory is a warning, unless the fixture declares it" {
    run seeded_check "aborts without memory" "$BATS_TEST_TMPDIR" --only no-memory
    status_is 0
    if grep -q '^skip' <<<"$output"; then
        skip "allocations cannot be traced here"
    fi
    says "it gives up: Aborted"
    grep -q '^warn ' <<<"$output"
    seeded_fixture=$BATS_TEST_TMPDIR/aborts.yaml
    { cat "$abs_top_srcdir/tests/plugins/seeded.fixture.yaml"; echo 'aborts: true'; } >"$seeded_fixture"
    run seeded_check "aborts without memory" "$BATS_TEST_TMPDIR" --only no-memory
    status_is 0
    says "pass no-memory seeded"
}

@test "a library that exits without memory is a fault, unless the fixture declares it" {
    run seeded_check "exits without memory" "$BATS_TEST_TMPDIR" --only no-memory
    if grep -q '^skip' <<<"$output"; then
        skip "allocations cannot be traced here"
    fi
    status_is 4
    says "it ends its process (exit status 2)"
    seeded_fixture=$BATS_TEST_TMPDIR/exits.yaml
    { cat "$abs_top_srcdir/tests/plugins/seeded.fixture.yaml"; echo 'aborts: true'; } >"$seeded_fixture"
    run seeded_check "exits without memory" "$BATS_TEST_TMPDIR" --only no-memory
    status_is 0
    says "pass no-memory seeded"
}

@test "a library that crashes without memory is a warning where the fixture declares it" {
    seeded_fixture=$BATS_TEST_TMPDIR/crashes.yaml
    { cat "$abs_top_srcdir/tests/plugins/seeded.fixture.yaml"; echo 'aborts: crashes'; } >"$seeded_fixture"
    run seeded_check "trusts malloc" "$BATS_TEST_TMPDIR" --only no-memory
    if grep -q '^skip' <<<"$output"; then
        skip "allocations cannot be traced here"
    fi
    status_is 0
    says "it crashes: Segmentation fault"
    grep -q '^warn ' <<<"$output"
}
