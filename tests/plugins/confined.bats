#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# --isolation=confined: a provider can do what it declares for the resources of the run, and nothing else; with
# tests/plugins/hostile.c, which declares that it writes one file and runs true(1).
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/hostile.so

needs_confinement() {
    requires_root
    [ "$RHOST_ISOLATION" != none ] || skip "a process of its own is confined"
    landlocks || skip "the kernel has no Landlock"
}

# Whether the kernel has Landlock, where securityfs is not mounted.
landlocks() {
    python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)'
}

# How each attempt ends: tries ISOLATION, and prints lines "ATTEMPT RESULT".
tries() {
    local isolation=$1
    shift
    {
        echo 'resources:'
        for one; do
            printf '  - hostile: %s/mine/%s\n    attempt: %s\n    at: "%s"\n    value: x\n' "$work" "${one%%:*}" "${one%%:*}" "${one#*:}"
        done
    } >site.yaml
    rhost apply --isolation="$isolation" --plugin-dir "$BATS_TEST_TMPDIR/plugins" --format=json --noop site.yaml \
        >report.json 2>messages || :
    python3 -c '
import json, sys
for r in json.load(sys.stdin)["resources"]:
    result = [c["from"] for c in r["changes"]] or [r["reason"]]
    print(r["title"].rsplit("/", 1)[1], result[0])' <report.json
}

@test "what a provider does not declare is refused, and works without confinement" {
    needs_confinement
    mkdir -p mine theirs
    echo x >theirs/file
    echo x >theirs/victim
    python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen()' "$work/theirs/socket"
    all=(read:/etc/shadow "write:$work/theirs/new" "setuid:$work/theirs/file" "chown:$work/theirs/file" tcp:
        "unix:$work/theirs/socket" trace: signal: memory: execute:/bin/sh "setns:/proc/self/ns/net" "remove:$work/theirs/victim")
    tries confined "${all[@]}" >after
    cat after
    [ "$(wc -l <after)" -eq 12 ]
    ! grep worked after || return 1
    [ -e theirs/victim ]
    [ ! -e theirs/new ]
    tries worker "${all[@]}" >before
    cat before
    [ "$(grep -c worked before)" -eq 12 ]
}

@test "what another provider keeps for its resources is neither read nor written" {
    local kept=$BATS_TEST_TMPDIR/state/private/other,other
    needs_confinement
    mkdir -p mine "$kept"
    chmod 700 "$BATS_TEST_TMPDIR/state" "$kept/.." "$kept"
    echo note >"$kept/one"
    all=("read:$kept/one" "write:$kept/two" "remove:$kept/one")
    tries confined "${all[@]}" >after
    cat after
    is "$(grep -vc worked after)" 3
    is "$(ls "$kept")" one
    tries worker "${all[@]}" >before
    is "$(grep -c worked before)" 3
}

@test "a plugin is confined before it is loaded" {
    needs_confinement
    mkdir mine
    tries confined load: >after
    grep -E '^load (Permission denied|Read-only file system)' after
}

@test "programs that are not declared are not started for it" {
    needs_confinement
    mkdir mine
    run tries confined run:/bin/cat
    says "provider 'hostile' tried to run '/bin/cat', which it does not declare"
    tries confined run:true >after
    cat after
    grep -x 'run worked' after
}

@test "what it declares works: its file, and none beside a directory that is made later" {
    needs_confinement
    cat >site.yaml <<END
resources:
  - directory: $work/top
  - file: $work/top/a
    content: x
  - file: $work/top/b/c/d
    content: x
    parents: true
  - link: $work/top/l
    target: a
END
    run rhost apply --isolation=confined --detailed-exitcodes site.yaml
    status_is 2
    says '4 resources: 4 changed'
    run rhost apply --isolation=confined --detailed-exitcodes site.yaml
    status_is 0
    [ "$(cat top/b/c/d)" = x ]
}

@test "the processes of providers have no capability that is not declared, and no new ones" {
    needs_confinement
    cat >site.yaml <<END
resources:
  - file: $work/a
    content: x
  - exec: look
    command: [sh, $work/look]
END
    cat >look <<END
cd /proc
for p in [0-9]*; do
    [ "\$(cat \$p/comm 2>/dev/null)" = rhost-worker ] && tr '\\0' '\\n' <\$p/cmdline | grep -qF "$abs_top_builddir" &&
        grep -E "^(NoNewPrivs|Seccomp):" \$p/status
done >$work/seen
true
END
    run rhost apply --isolation=confined site.yaml
    status_is 0
    grep -q 'NoNewPrivs:.1' seen
    grep -q 'Seccomp:.2' seen
}

@test "a file belongs to an account that the run makes" {
    needs_confinement
    cp /etc/passwd passwd
    mkdir bin
    cat >site.yaml <<END
resources:
  - file: $work/first
    content: x
  - exec: make
    command: [sh, -c, "echo newcomer:x:54321:100::/:/bin/sh >>/etc/passwd.new && cat /etc/passwd.new >>/dev/null"]
  - file: $work/second
    content: x
    owner: newcomer
END
    # The account's database becomes another file, as useradd(8) makes it.
    sed -i 's|echo newcomer.*null|cp /etc/passwd /etc/p \&\& echo newcomer:x:54321:100::/:/bin/sh >>/etc/p \&\& mv /etc/p /etc/passwd|' site.yaml
    mkdir etc
    cp -a /etc/passwd /etc/group /etc/nsswitch.conf etc/
    run unshare -m sh -c 'mount --bind etc /etc && exec "$@"' sh \
        "$abs_top_builddir/rhost" apply --isolation=confined --state-dir state site.yaml
    status_is 0
    [ "$(stat -c %u second)" = 54321 ]
}

# Where the mounts of the machine are private, none arrives in the view of a process that runs; where they are shared, one
# on a directory that it may write to is hidden by that.
@test "what the run mounts is seen by providers that ran before" {
    needs_confinement
    cat >site.yaml <<END
resources:
  - file: $work/first
    content: x
  - exec: mount
    command: [mount, -t, tmpfs, none, $work/top]
  - file: $work/top/second
    content: x
    require: exec[mount]
END
    for propagation in private shared; do
        rm -rf top first
        mkdir top
        run unshare -m --propagation $propagation sh -c '
            "$1" apply --isolation=confined --debug --state-dir state site.yaml && ls top && umount top && [ ! -e top/second ]' sh "$abs_top_builddir/rhost"
        status_is 0
        says 'a worker is confined anew: something was mounted or unmounted'
        says second
    done
}

@test "of many files in a directory, one that is a link leads where its provider may write after all" {
    needs_confinement
    mkdir many other
    echo old >other/real
    {
        echo resources:
        for i in {1..100}; do
            echo x >many/$i
            printf '  - line: l%d\n    path: %s\n    text: new\n' "$i" "$work/many/$i"
        done
    } >site.yaml
    ln -sf ../other/real many/80
    run rhost apply --isolation=confined --debug site.yaml
    status_is 0
    says "a worker is confined anew: it needs 'write $work/many/80'"
    says '100 changed'
    is "$(cat other/real)" $'old\nnew'
    [ -L many/80 ]
}

@test "the check of a new file is a program that its provider may run, and needs no other" {
    needs_confinement
    cat >site.yaml <<END
resources:
  - file: $work/a
    content: x
    validate: [grep, -q, x, '%']
END
    run rhost apply --isolation=confined site.yaml
    status_is 0
    run rhost describe file
    says 'run[$validate]'
    says_not 'run[*]'
}

@test "in a chroot that is not a mount point, providers work, and files are refused" {
    needs_confinement
    cat >site.yaml <<END
resources:
  - hostile: $work/mine/a
    attempt: write
    at: /srv/theirs
    value: x
END
    run unshare -m sh -c '
        mkdir -p root/var root/srv root/"$2" && cd root || exit
        for x in usr etc dev proc tmp "$3"; do mkdir -p ./$x; mount --rbind /$x ./$x || exit; done
        for x in bin sbin lib lib64; do [ ! -L /$x ] || ln -s "$(readlink /$x)" $x; done
        cp ../site.yaml var/
        mkdir -p "./$2/mine"
        exec chroot . "$1" apply --isolation=confined --format=json --noop --state-dir /var/state --plugin-dir "$4" /var/site.yaml' \
        sh "$abs_top_builddir/rhost" "$work" "$abs_top_builddir" "$BATS_TEST_TMPDIR/plugins"
    echo "$output"
    says 'Permission denied'
    run ls root/srv
    is "$output" ''
}
