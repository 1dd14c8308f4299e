#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the hostname program, in a UTS namespace of the test and on an /etc of its own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
}

# A file of the test, and not the kernel.
in_file() {
    one "hostname: $work/name" 'apply: false' -- "$@"
}

# A machine of the test: its kernel has the name in the file "kernel"; what its /etc has anew is in etc/.
with_machine() {
    requires_root
    requires_command unshare
    mkdir etc scratch
    echo old >kernel
    echo old >etc/hostname
    cat >inside <<END
#!/bin/sh
exec unshare --uts --mount sh -c 'mount -t overlay overlay -o lowerdir=/etc,upperdir=$work/etc,workdir=$work/scratch /etc &&
hostname "\$(cat $work/kernel)" && "\$@"
s=\$?; hostname >$work/kernel; exit \$s' sh \${WITHOUT:+setpriv --bounding-set "-\$WITHOUT" --inh-caps "-\$WITHOUT"} $abs_top_builddir/rhost "\$@"
END
    chmod 755 inside
    RHOST=$work/inside
}

@test "the file is edited, and keeps its comments" {
    in_file converges <<<'value: web1.example.org'
    is "$(cat name)" web1.example.org
    printf '# mine\n\n  old \n# more\n' >name
    in_file converges <<<'value: web2'
    is "$(cat name)" $'# mine\n\nweb2\n# more'
    in_file run apply <<<'value: web3'
    run rhost undo last
    status_is 0
    is "$(cat name)" $'# mine\n\nweb2\n# more'
    in_file run apply --noop <<<'value: web4'
    status_is 0
    is "$(sed -n 3p name)" web2
    printf '\377\n' >name
    in_file converges <<<'value: web1'
}

@test "a title that is no path is the name of the machine: its file and its kernel have it" {
    with_machine
    for RHOST_ISOLATION in $isolations; do
        echo old | tee kernel >etc/hostname
        printf 'resources:\n  - hostname: web1.example.org\n' >site.yaml
        run rhost apply --noop site.yaml
        status_is 0
        is "$(cat kernel etc/hostname | xargs)" 'old old'
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        is "$(cat kernel etc/hostname | xargs)" 'web1.example.org web1.example.org'
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        echo other >kernel
        run rhost apply --noop site.yaml
        says "the running kernel has the name 'other'"
        run rhost resource --format=yaml hostname
        printf '%s\n' "$output" >list.yaml
        says 'apply: false'
        run rhost apply --detailed-exitcodes list.yaml
        status_is 0
        is "$(cat kernel)" other
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        is "$(cat kernel)" web1.example.org
    done
    run rhost undo last
    status_is 0
    is "$(cat etc/hostname)" web1.example.org
}

@test "a kernel that refuses the name, a full disk and a read-only one leave the file as it was" {
    with_machine
    requires_command setpriv
    printf 'resources:\n  - hostname: web1\n' >site.yaml
    export WITHOUT=sys_admin
    run rhost apply site.yaml
    status_is 4
    says "the kernel does not take the name: hostname: you must be root to change the host name ('apply: false' writes the file alone)"
    is "$(cat etc/hostname)" old
    unset WITHOUT
    mkdir full
    for trouble in "mount -t tmpfs -o size=4k,nr_inodes=2 tmpfs $work/full && echo old >$work/full/name" \
        "mount --bind $work/full $work/full && echo old >$work/full/name && mount -o remount,ro,bind $work/full"; do
        printf '#!/bin/sh\nexec unshare -m sh -c '\''%s && "$@"; s=$?; cat %s/full/name >%s/after; exit $s'\'' sh %s "$@"\n' \
            "$trouble" "$work" "$work" "$abs_top_builddir/rhost" >inside
        run apply <<END
resources:
  - hostname: $work/full/name
    value: web1
    apply: false
END
        status_is 4
        says "full/name'"
        is "$(cat after)" old
    done
}

@test "mistakes are named" {
    run apply <<'END'
resources:
  - hostname: web1
  - hostname: web2
END
    status_is 1
    says hostname
    for name in -web web- we_b a..b "$(printf 'a%.0s' $(seq 65))" ''; do
        in_file fails value <<<"value: '$name'"
    done
    run apply <<'END'
resources:
  - hostname: web1
    value: web2
END
    status_is 1
    says "value: the title says that it is 'web1'"
    one "hostname: $work/name" -- fails "value: '$work/name' has no name, and none is desired" <<<'apply: false'
    in_file run apply --noop <<<'value: web1'
    status_is 0
    one "hostname: $work/none/name" -- run apply --noop <<<'value: web1'
    status_is 4
    says "directory '$work/none' does not exist"
    ln -s name link
    printf 'old\n' >name
    one "hostname: $work/link" 'apply: false' -- converges <<<'value: web1'
    is "$(cat name)" web1
    [ -L link ]
}
