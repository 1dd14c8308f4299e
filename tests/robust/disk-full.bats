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
