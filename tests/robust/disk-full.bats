# SPDX-License-Identifier: Apache-2.0

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# A tmpfs of 64 KiB in a mount namespace of its own, with a file of 40 KiB in it.
in_a_small_place() {
    head -c 40000 /dev/zero | tr '\0' 'o' >"$work/old"
    head -c 50000 /dev/zero | tr '\0' 'n' >"$work/new"
    mkdir -p "$work/small"
    unshare --mount sh -eu -c "
        mount -t tmpfs -o size=64k none '$work/small'
        cp '$work/old' '$work/small/f'
        $1
    "
}

@test "when the disk is full, the old content is whole and the message says so" {
    requires_root
    unshare --mount true || skip "no mount namespaces here"
    cat >"$work/site.yaml" <<END
resources:
  - file: $work/small/f
    source: $work/new
  - file: $work/after
    content: "goes on\n"
  - file: $work/dependent
    content: "does not\n"
    require: file[$work/small/f]
END
    run in_a_small_place "
        status=0
        '$abs_top_builddir/rhost' apply --isolation=$RHOST_ISOLATION --state-dir '$work/state' \
            '$work/site.yaml' || status=\$?
        cmp '$work/old' '$work/small/f' && echo 'the old content is whole'
        test -z \"\$(find '$work/small' -name '.*rhost*')\" && echo 'nothing is left behind'
        exit \$status
    "
    echo "$output"
    status_is 4
    says "No space left on device"
    says "the old content is whole"
    says "nothing is left behind"
    [ "$(cat "$work/after")" = "goes on" ]
    [ ! -e "$work/dependent" ]
    says "depends on file[$work/small/f], which failed"
}

# Runs a manifest whose first resource fills the disk that the state is on, with what follows it from
# standard input.
fills_the_state_dir() {
    requires_root
    unshare --mount true || skip "no mount namespaces here"
    mkdir -p "$work/state"
    {
        printf 'resources:\n  - exec: fill\n    command: [sh, -c, "head -c 1M /dev/zero >%s/state/full || true"]\n' "$work"
        cat
    } >"$work/site.yaml"
    # What is left of the state is looked at from outside.
    run unshare --mount sh -c "
        mount -t tmpfs -o size=512k,mode=700 none '$work/state'
        '${RHOST:-$abs_top_builddir/rhost}' apply --isolation=$RHOST_ISOLATION --state-dir '$work/state' '$work/site.yaml'
        status=\$?
        rm -f '$work/state/full'
        '${RHOST:-$abs_top_builddir/rhost}' apply --isolation=$RHOST_ISOLATION --state-dir '$work/state' \
            '$work/rest.yaml' >'$work/second' 2>&1
        exit \$status
    "
}

@test "when it cannot be written down whom a change notifies, the change is not made" {
    sed "s|@|$work|" >"$work/rest.yaml" <<'END'
resources:
  - file: @/quiet
    content: a
  - file: @/notifier
    content: a
    notify: exec[told]
  - file: @/dependent
    content: a
    require: file[@/notifier]
  - exec: alone
    command: [touch, @/alone]
    creates: @/alone
    retries: 1
    notifies: [run, "exec[told]", immediately]
  - exec: told
    command: [sh, -c, "echo told >>@/log"]
    action: nothing
END
    sed -i "s|@|$work|g" "$work/rest.yaml"
    fills_the_state_dir < <(tail -n +2 "$work/rest.yaml")
    echo "$output"
    status_is 4
    says "nothing was changed: its notifications cannot be recorded: cannot record the pending notifications in '$work/state/pending.jsonl'"
    says "No space left on device"
    [ -e "$work/quiet" ]
    grep -q 'file.*notifier.*ensure absent' <(tr -s ' \n' ' ' <"$work/second")
    grep -q 'exec\[told\]' "$work/second"
    is "$(sort -u "$work/log")" told
    [ -e "$work/dependent" ]
    [ -e "$work/alone" ]
}
