#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs and undos that are killed at any time: what is undone at last is as it was before.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# More than a batch, with contents that go to the store.
site() {
    rm -rf t before
    mkdir -p t
    for i in $(seq 40); do
        seq "$i" $((i + 2000)) >"t/old$i"
    done
    printf '#PermitRootLogin yes\n' >t/lines
    cp -a t before
    {
        echo resources:
        for i in $(seq 40); do
            printf -- '- file: %s/t/new%d\n  content: "%d"\n- file: %s/t/old%d\n  content: "%d"\n  mode: "0600"\n' \
                "$work" "$i" "$i" "$work" "$i" "$i"
        done
        printf -- '- line: root\n  path: %s/t/lines\n  text: PermitRootLogin no\n  match: "^#?PermitRootLogin"\n' "$work"
        printf -- '- directory: %s/t/dir\n- link: %s/t/link\n  target: /etc\n' "$work" "$work"
    } >site.yaml
}

listing() {
    (cd "$1" && find . -printf '%p %M %u %g %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum)
}

# Runs rhost with a limit of milliseconds, after which all of it is killed.
killed_after() {
    local ms=$1
    shift
    timeout -s KILL "$(printf '0.%03d' "$ms")" "$abs_top_builddir/rhost" "$@" >/dev/null 2>&1 || true
}

# Each content that a journal names is in the store.
contents_are_there() {
    local journal run digest

    for journal in "$BATS_TEST_TMPDIR"/state/runs/*.jsonl; do
        run=$(basename "$journal" .jsonl)
        for digest in $(grep -o '"content": "[0-9a-f]\{64\}"' "$journal" | cut -d'"' -f4 | sort -u); do
            [ "$(sha256sum <"$BATS_TEST_TMPDIR/state/runs/$run.content/$digest" | cut -d' ' -f1)" = "$digest" ] || {
                echo "run $run has lost $digest"
                return 1
            }
        done
    done
}

@test "a run that is killed at any time is undone, also by an undo that is killed" {
    local kills=${UNDO_KILLS:-8} i name where=(--state-dir "$BATS_TEST_TMPDIR/state")

    site
    for ((i = 0; i < kills; i++)); do
        rm -rf "$BATS_TEST_TMPDIR/state/runs"
        killed_after $((50 + RANDOM % 250)) apply "${where[@]}" site.yaml
        name=$(basename "$(find "$BATS_TEST_TMPDIR/state/runs" -name '*.jsonl' 2>/dev/null)" .jsonl)
        contents_are_there
        [ -n "$name" ] || continue
        killed_after $((50 + RANDOM % 200)) undo "${where[@]}" --wait-lock=20 "$name"
        contents_are_there
        run rhost undo --wait-lock=20 --force=all "$name"
        status_is 0
        diff <(listing before) <(listing t)
    done
}
