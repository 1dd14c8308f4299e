#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the dpkg-divert of the machine, on a database of the test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_root
    requires_command dpkg-divert
    mkdir admin
}

# The diversion of the file "tool", whose other attributes stand on standard input.
tool() {
    one "dpkg_divert: $work/tool" "admin_dir: $work/admin" -- "$@"
}

divert() {
    dpkg-divert --quiet --admindir "$work/admin" "$@"
}

# bats test_tags=inline
@test "the file of the package is moved, and moved back when the diversion goes" {
    echo package >tool
    tool run apply --noop </dev/null
    status_is 0
    is "$(ls)" $'admin\ntool'
    tool converges </dev/null
    is "$(cat tool.distrib)" package
    [ ! -e tool ]
    is "$(cat admin/diversions)" "$work/tool
$work/tool.distrib
:"
    tool run apply --noop <<<'ensure: absent'
    status_is 0
    [ ! -e tool ]
    tool converges <<<'ensure: absent'
    is "$(cat tool)" package
    is "$(cat admin/diversions)" ''
    tool is_in_sync <<<'ensure: absent'
}

# bats test_tags=inline
@test "the holder and the other path are what the manifest says" {
    echo package >tool
    mkdir away
    tool converges <<END
divert_to: $work/away/tool
holder: hello
END
    is "$(cat away/tool)" package
    is "$(divert --listpackage "$work/tool")" hello
    is "$(divert --truename "$work/tool")" "$work/away/tool"
    tool is_in_sync </dev/null
    tool fails "holder: it can only be set when the resource is created; it is \"hello\", and \"LOCAL\" is wanted" <<<'holder: LOCAL'
    tool fails 'divert_to: it can only be set when the resource is created' <<<"divert_to: $work/other"
    tool converges <<'END'
holder: LOCAL
replace: true
END
    is "$(divert --listpackage "$work/tool")" LOCAL
    is "$(cat tool.distrib)" package
}

@test "a path whose package is not there yet is diverted, and its file can come from the same manifest" {
    tool run apply <<END
divert_to: $work/tool.orig

  - file: $work/tool
    content: mine
END
    status_is 0
    is "$(cat tool)" mine
    is "$(divert --truename "$work/tool")" "$work/tool.orig"
}

@test "where both files are there, none replaces the other" {
    echo package >tool
    tool converges </dev/null
    echo mine >tool
    for noop in --noop ''; do
        # shellcheck disable=SC2086 # perhaps none
        tool run apply $noop <<<'ensure: absent'
        [ -n "$noop" ] || status_is 4
    done
    says "'$work/tool' and '$work/tool.distrib' are both there, and none replaces the other: remove one, or 'rename: false' leaves them"
    is "$(cat tool tool.distrib)" $'mine\npackage'
    tool converges <<'END'
ensure: absent
rename: false
END
    is "$(cat tool tool.distrib)" $'mine\npackage'
    for noop in --noop ''; do
        # shellcheck disable=SC2086 # perhaps none
        tool run apply $noop </dev/null
        status_is 4
        says 'are both there'
    done
    tool converges <<<'rename: false'
    is "$(cat tool tool.distrib)" $'mine\npackage'
}

@test "what dpkg-divert refuses is named, and a dry run says it first" {
    mkdir tool
    tool run apply --noop </dev/null
    status_is 4
    says "'$work/tool' is a directory, which cannot be diverted"
    tool run apply </dev/null
    status_is 4
    says 'dpkg-divert failed: cannot divert directories'
    rmdir tool
    divert --local --no-rename --divert "$work/tool" --add "$work/other"
    tool run apply --noop </dev/null
    status_is 4
    says "'$work/other' is diverted to '$work/tool' already"
    tool run apply </dev/null
    status_is 4
    says "dpkg-divert failed: '"
    says "clashes with '"
    tool fails "divert_to: it is the path itself" <<<"divert_to: $work/tool"
    one "dpkg_divert: tool" -- run apply </dev/null
    status_is 1
    one "dpkg_divert: $work/tool" "holder: --force" -- run apply </dev/null
    status_is 1
}

@test "a database that is damaged, a directory or a link of another user's changes nothing" {
    echo package >tool
    printf '/a\n/b\n' >admin/diversions
    tool fails "'$work/admin/diversions' is damaged: it is not three lines for each diversion" </dev/null
    printf '/a\n/b\n:' >admin/diversions
    tool fails 'is damaged' </dev/null
    rm admin/diversions
    mkdir admin/diversions
    tool fails "cannot read '$work/admin/diversions'" </dev/null
    rmdir admin/diversions
    mkdir home
    chown daemon home
    tool run apply <<<"divert_to: $work/home/tool"
    status_is 4
    says "cannot change '$work/home/tool'"
    says 'is not safe: its owner is user 1'
    is "$(cat tool)" package
    is "$(ls -A admin home | xargs)" 'admin: home:'
}

@test "a full disk, a read-only directory and a missing program are named" {
    requires_command unshare
    echo package >tool
    printf 'resources:\n  - dpkg_divert: %s/tool\n    admin_dir: %s/admin\n' "$work" "$work" >site.yaml
    export RHOST_ISOLATION
    for trouble in 'mount -t tmpfs -o size=4k tmpfs full && dd if=/dev/zero of=full/zero bs=4k count=1 2>/dev/null; mount --bind full admin' \
        'mount --bind admin admin && mount -o remount,ro,bind admin' \
        'mount --bind /dev/null "$(command -v dpkg-divert)"'; do
        mkdir -p full
        run unshare -m sh -c "$trouble || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        says 'failed: '
        is "$(cat tool)" package
    done
}

@test "undo takes a diversion back, and makes one that went again" {
    echo package >tool
    tool run apply <<<"divert_to: $work/away"
    status_is 0
    run rhost undo last
    status_is 0
    is "$(cat tool)" package
    is "$(cat admin/diversions)" ''
    divert --package hello --rename --divert "$work/away" --add "$work/tool"
    tool run apply <<<'ensure: absent'
    status_is 0
    run rhost undo last
    status_is 0
    is "$(divert --listpackage "$work/tool") $(cat away)" 'hello package'
}

@test "all diversions of the machine are listed, and the list changes nothing" {
    run rhost resource --format=yaml dpkg_divert
    status_is 0
    printf '%s\n' "$output" >list.yaml
    is "$(grep -c -- '- dpkg_divert: ' list.yaml)" "$(($(wc -l </var/lib/dpkg/diversions) / 3))"
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}
