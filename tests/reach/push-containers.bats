#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost push into a directory, a machine and a container. Each of them has the files of this machine, by a mount that
# only the test sees: so rhost is there.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

setup() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    unshare --mount true 2>/dev/null || skip "no mount namespaces"
    work_open
    target_rhost "$work/remote" "$work/target-state"
    mkdir site root
    site <<END
resources:
  - file: $work/out
    content: one
END
}

# Runs the shell commands on standard input where `root` has the files of this machine. They know $push.
inside() {
    {
        # With what is mounted below, such as /tmp, but without what a directory does not have.
        echo "set -e; mount --rbind / $work/root; for name in proc run dev; do"
        echo "umount -lR $work/root/\$name 2>/dev/null || true; done"
        echo "push() { \"$abs_top_builddir/rhost\" push --state-dir '$work/state' --remote-rhost '$work/remote' \"\$@\"; }"
        cat
    } >script
    run unshare --mount --propagation private bash script
}

@test "chroot: applies a site in a directory, with /proc and a /run in memory" {
    inside <<END
push chroot:$work/root site/site.yaml
push chroot:$work/root -- resource exec x command='sh -c "test -e /proc/self && stat -f -c %T /run >$work/kind"'
END
    status_is 0
    says '1 target: 1 changed'
    is "$(cat out)" one
    is "$(cat kind)" tmpfs
    [ -z "$(findmnt -rn "$work/root")" ]
    is "$(find state/images -mindepth 1 -maxdepth 1 -printf '%y %m ')" 'd 700 '
}

@test "chroot: what the state of the image cannot be kept for is not changed" {
    mkdir -p state
    echo >state/images
    inside <<END
push chroot:$work/root site/site.yaml
END
    status_is 4
    says "state/images"
    [ ! -e out ]
}

@test "chroot: a directory that is missing is told of" {
    run push chroot:/nowhere/at/all site/site.yaml
    status_is 4
    says "cannot enter '/nowhere/at/all': No such file or directory"
}

@test "chroot: a directory that others can change is refused" {
    chown 12345 root
    run push "chroot:$work/root" site/site.yaml
    status_is 4
    says "'$work/root' is not safe: its owner is user 12345"
    [ ! -e out ]
}

@test "machine: a user namespace and a cgroup namespace of its own are entered" {
    unshare --user --map-root-user --cgroup --mount --uts --ipc --net --pid --fork --mount-proc sleep 60 3>&- &
    local outer=$! init
    for _ in $(seq 100); do
        init=$(pgrep -P $outer -x sleep) && break
        sleep 0.05
    done
    [ -n "$init" ] || skip "no user namespaces"
    run push "machine:$init" -- resource exec x \
        command="sh -c 'readlink /proc/self/ns/user /proc/self/ns/cgroup >$work/namespaces'"
    readlink "/proc/$init/ns/user" "/proc/$init/ns/cgroup" >expected
    kill "$init"
    status_is 0
    is "$(cat namespaces)" "$(cat expected)"
}

@test "machine: enters the namespaces of a process" {
    unshare --mount --uts --ipc --net --pid --fork --mount-proc sh -c 'hostname inside; exec sleep 60' 3>&- &
    local outer=$! init
    for _ in $(seq 100); do
        init=$(pgrep -P $outer -x sleep) && break
        sleep 0.05
    done
    run push --format=json "machine:$init" site/site.yaml
    kill "$init"
    status_is 0
    is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["targets"][0]["host"])' <<<"$output")" inside
    is "$(cat out)" one
}

@test "machine: a name that is unknown is told of" {
    command -v machinectl >/dev/null || skip "no machinectl"
    run push machine:nosuchmachine site/site.yaml
    status_is 4
    says "cannot find machine 'nosuchmachine'"
}

@test "machine: the name is that of machinectl" {
    unshare --mount --uts --pid --fork --mount-proc sh -c 'hostname named; exec sleep 60' 3>&- &
    local outer=$! init
    for _ in $(seq 100); do
        init=$(pgrep -P $outer -x sleep) && break
        sleep 0.05
    done
    # systemd-machined does not run here: what it would say.
    mkdir bin
    printf '#!/bin/sh\ntest "$*" = "show --property=Leader --value -- web.1" && echo %s\n' "$init" >bin/machinectl
    chmod 755 bin/machinectl
    cat >script <<END
mount -t tmpfs tmpfs /usr/local/sbin
cp bin/machinectl /usr/local/sbin
exec "$abs_top_builddir/rhost" push --state-dir '$work/state' --remote-rhost '$work/remote' "\$@"
END
    run unshare --mount --propagation private sh script --format=json machine:web.1 site/site.yaml
    status_is 0
    is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["targets"][0]["host"])' <<<"$output")" named
    run unshare --mount --propagation private sh script machine:web2 site/site.yaml
    status_is 4
    says "cannot find machine 'web2'"
    printf '#!/bin/sh\necho\n' >bin/machinectl
    run unshare --mount --propagation private sh script machine:web.1 site/site.yaml
    status_is 4
    says "machine 'web.1' has no leader: is it running?"
    kill "$init"
    run push machine:4194305 site/site.yaml
    status_is 4
    says 'cannot enter process 4194305: it does not run'
}

@test "podman: runs in a container, and docker: as docker would" {
    command -v podman >/dev/null && command -v runc >/dev/null || skip "no podman"
    # Storage of its own, which every file system can hold.
    printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/graph" "$work/run" >storage.conf
    export CONTAINERS_STORAGE_CONF=$work/storage.conf
    # docker takes the same arguments, where it is needed: exec -i NAME COMMAND.
    mkdir bin
    printf '#!/bin/sh\necho "$*" >>%s/docker-was-called\nexec podman "$@"\n' "$work" >bin/docker
    chmod 755 bin/docker
    inside <<END
podman --runtime runc --cgroup-manager cgroupfs run -d --name rhost-push-$$ --network none --ulimit nofile=1024:1024 \
    --ulimit nproc=1000:1000 --rootfs $work/root /bin/sleep 100 >/dev/null
push podman:rhost-push-$$ site/site.yaml || status=\$?
PATH=$work/bin:\$PATH push docker:rhost-push-$$ site/site.yaml || status=\$?
podman rm -f -t 0 rhost-push-$$ >/dev/null
exit \${status:-0}
END
    status_is 0
    says '1 target: 1 changed'
    says '1 target: 1 ok'
    [[ $(cat docker-was-called) == "exec -i rhost-push-$$ "* ]]
    is "$(cat out)" one
    run push podman:nosuchcontainer site/site.yaml
    status_is 4
    says 'no such container'
}

@test "a target whose disks cannot be written to says so, and answers questions" {
    targets <<END
targets:
  ro:
    command: [unshare, --mount, --propagation, private, sh, -c, 'mount --bind $work $work;
        for at in $work /; do mount -o remount,bind,ro \$at; done; exec "\$@"', sh]
END
    run "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" --targets targets.yaml \
        ro site/site.yaml
    status_is 1
    says "ro refused cannot create directory '$work/target-state"
    says 'Read-only file system'
    run "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" --targets targets.yaml \
        ro -- facts os.name
    status_is 0
}
