#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the update-alternatives of the machine, on directories of the test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_root
    requires_command update-alternatives
    mkdir admin alt bin
    for name in one two three; do echo $name >bin/$name; done
}

# The name "tool", whose other attributes stand on standard input.
tool() {
    one 'alternatives: tool' "admin_dir: $work/admin" "alt_dir: $work/alt" -- "$@"
}

ua() {
    update-alternatives --admindir "$work/admin" --altdir "$work/alt" --log "$work/log" "$@"
}

# The same with two candidates, of which the second is the best.
two_of_them() {
    ua --quiet --install "$work/link" tool "$work/bin/one" 10
    ua --quiet --install "$work/link" tool "$work/bin/two" 20
}

# bats test_tags=inline
@test "a name is made with its candidates, and the best of them is selected" {
    tool converges <<END
link: $work/link
candidates: {$work/bin/one: 10, $work/bin/two: 20}
selected: auto
END
    is "$(cat link)" two
    is "$(readlink link)" "$work/alt/tool"
    ua --query tool | grep -qx 'Status: auto'
}

# bats test_tags=inline
@test "a candidate is selected by hand, and stays when a better one comes" {
    two_of_them
    tool converges <<<"selected: $work/bin/one"
    is "$(cat link)" one
    ua --query tool | grep -qx 'Status: manual'
    tool converges <<END
candidates: {$work/bin/three: 99}
END
    is "$(cat link)" one
    tool converges <<<'selected: auto'
    is "$(cat link)" three
}

@test "other candidates stay, unless only those of the manifest are desired" {
    two_of_them
    tool is_in_sync <<<"candidates: {$work/bin/one: 10}"
    tool converges <<<"candidates: {$work/bin/one: 30}"
    is "$(cat link)" one
    tool converges <<END
candidates: {$work/bin/three: 5}
membership: inclusive
END
    is "$(ua --list tool)" "$work/bin/three"
    is "$(cat link)" three
}

@test "slave links of a candidate are kept, and keep it from being removed without force" {
    echo page >bin/page
    ua --quiet --install "$work/link" tool "$work/bin/one" 10 --slave "$work/link.1" tool.1 "$work/bin/page"
    tool converges <<<"candidates: {$work/bin/one: 15, $work/bin/two: 12}"
    is "$(cat link.1)" page
    tool converges <<<"link: $work/moved"
    is "$(cat moved) $(cat link.1)" 'one page'
    tool fails "has 1 slave links, which rhost does not manage" <<<'ensure: absent'
    tool fails "has 1 slave links" <<END
candidates: {$work/bin/two: 12}
membership: inclusive
END
    tool converges <<END
ensure: absent
force: true
END
    [ ! -L moved ]
    [ ! -L link.1 ]
}

# bats test_tags=inline
@test "a name goes with its links" {
    two_of_them
    tool run apply --noop <<<'ensure: absent'
    status_is 0
    [ -L link ]
    tool converges <<<'ensure: absent'
    is "$(ls -A admin alt | xargs)" 'admin: alt:'
    [ ! -L link ]
    tool is_in_sync <<<'ensure: absent'
}

# bats test_tags=inline
@test "links that were removed, or lead elsewhere, are made anew" {
    two_of_them
    rm link
    tool converges <<<"link: $work/link"
    is "$(cat link)" two
    ln -sfn "$work/bin/three" alt/tool
    tool converges <<END
link: $work/link
selected: auto
END
    is "$(cat link)" two
    ln -sfn "$work/bin/one" alt/tool
    tool converges <<<'selected: auto'
    is "$(cat link)" two
    ln -sfn "$work/bin/three" link
    tool converges <<<"link: $work/link"
    is "$(readlink link)" "$work/alt/tool"
}

@test "a file in the place of the link stays, unless it is replaced by force" {
    echo mine >link
    tool fails "something else is in its place, which 'force: true' replaces" <<END
link: $work/link
candidates: {$work/bin/one: 10}
END
    is "$(cat link)" mine
    tool converges <<END
link: $work/link
candidates: {$work/bin/one: 10}
force: true
END
    is "$(cat link)" one
}

@test "a dry run finds candidates that do not exist, and changes nothing" {
    for noop in --noop ''; do
        # shellcheck disable=SC2086 # perhaps none
        tool run apply $noop <<END
link: $work/link
candidates: {$work/bin/nothing: 10}
END
        status_is 4
        says "$work/bin/nothing"
    done
    tool run apply --noop <<END
link: $work/link
candidates: {$work/bin/new: 10}

  - file: $work/bin/new
END
    status_is 0
    tool run apply --noop <<<"selected: $work/bin/one"
    status_is 4
    two_of_them
    tool run apply --noop <<<"selected: $work/bin/three"
    status_is 4
    says "selected: '$work/bin/three' is no candidate"
    tool run apply <<<"selected: $work/bin/three"
    status_is 4
    says "selected: '$work/bin/three' is no candidate"
    is "$(cat link)" two
}

@test "undo restores the selection, the priorities and the name" {
    two_of_them
    tool run apply <<END
candidates: {$work/bin/one: 99, $work/bin/three: 5}
selected: $work/bin/three
END
    status_is 0
    is "$(cat link)" three
    run rhost undo last
    status_is 0
    is "$(cat link)" two
    is "$(ua --query tool | sed -n 's/^Priority: //p' | xargs)" '10 20'
    tool run apply <<<'ensure: absent'
    run rhost undo last
    status_is 0
    is "$(cat link)" two
    is "$(ua --list tool | xargs)" "$work/bin/one $work/bin/two"
}

@test "what the tool keeps is damaged, cut off or not readable: nothing is changed" {
    two_of_them
    cp admin/tool kept
    head -c 20 kept >admin/tool
    tool run apply <<<"selected: $work/bin/one"
    status_is 4
    says 'update-alternatives failed: '
    is "$(cat admin/tool)" "$(head -c 20 kept)"
    is "$(cat link)" two
    rm admin/tool
    mkdir admin/tool
    tool run apply <<<"selected: $work/bin/one"
    status_is 4
    says 'update-alternatives failed: '
}

@test "a full disk, a read-only directory and a missing program are named" {
    requires_command unshare
    two_of_them
    printf 'resources:\n  - alternatives: tool\n    admin_dir: %s/admin\n    alt_dir: %s/alt\n    candidates: {%s/bin/three: 99}\n' \
        "$work" "$work" "$work" >site.yaml
    export RHOST_ISOLATION
    for trouble in 'mount -t tmpfs -o size=4k tmpfs full && cp admin/tool full && mount --bind full admin' \
        'mount --bind admin admin && mount -o remount,ro,bind admin' \
        'mount --bind /dev/null "$(command -v update-alternatives)"'; do
        mkdir -p full
        run unshare -m sh -c "$trouble || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        says 'failed: '
        is "$(cat link)" two
    done
}

@test "a run that is killed between two steps is completed by the next one" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    printf 'resources:\n  - alternatives: tool\n    admin_dir: %s/admin\n    alt_dir: %s/alt\n    link: %s/link\n    candidates: {%s/bin/one: 10, %s/bin/two: 20}\n    selected: %s/bin/one\n' \
        "$work" "$work" "$work" "$work" "$work" "$work" >site.yaml
    for step in 1 2 3; do
        ua --quiet --remove-all tool 2>/dev/null || true
        strace -f -o trace -e trace=rename -e inject=rename:signal=KILL:when=$step update-alternatives \
            --admindir "$work/admin" --altdir "$work/alt" --log "$work/log" --install "$work/link" tool \
            "$work/bin/two" 20 >killed 2>&1 || true
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        is "$(cat link)" one
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
}

@test "a link that an ordinary user can exchange is not handed to the tool" {
    mkdir home
    chown daemon home
    tool run apply <<END
link: $work/home/link
candidates: {$work/bin/one: 10}
END
    status_is 4
    says 'is not safe: its owner is user 1'
    is "$(ls -A home admin alt | xargs)" 'admin: alt: home:'
}

@test "all names of the machine are listed, and the list changes nothing" {
    run rhost resource alternatives
    status_is 0
    says '- alternatives: pager'
    run rhost resource --format=yaml alternatives
    status_is 0
    printf '%s\n' "$output" >list.yaml
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}

@test "mistakes are named" {
    tool fails "candidates: a name that does not exist yet needs candidates" <<<"link: $work/link"
    tool fails "link: a name that does not exist yet needs a link" <<<"candidates: {$work/bin/one: 10}"
    tool fails "candidates: there are none" <<<'candidates: {}'
    tool fails "'$work/bin/two' is not among the candidates" <<END
candidates: {$work/bin/one: 10}
selected: $work/bin/two
membership: inclusive
END
    one 'alternatives: --force' -- run apply <<<'selected: auto'
    status_is 1
}
