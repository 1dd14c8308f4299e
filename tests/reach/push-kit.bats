#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost push to targets without rhost: the kit is sent once, and checked before each use. The kit of this test has a
# script that runs the rhost that was just built; caches are in memory, where only the test sees them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

setup() {
    [ "$(id -u)" = 0 ] || skip "needs root"
    unshare --mount true 2>/dev/null || skip "no mount namespaces"
    work_open
    mkdir -p site kit/lib
    site <<END
resources:
  - file: $work/out
    content: one
END
    cat >kit/rhost <<END
#!/bin/sh
[ "\$1" != --version ] || { echo rhost; exit; }
command=\$1
shift
exec "$abs_top_builddir/rhost" "\$command" --state-dir "$work/target-state" "\$@"
END
    chmod 755 kit/rhost
    echo library >kit/lib/one
    (cd kit && sha256sum rhost lib/one >SHA256SUMS)
    digest=$(sha256sum <kit/SHA256SUMS | cut -d' ' -f1)
    tar -C kit -czf kit.tar.gz rhost lib SHA256SUMS
}

# inside ARCH: runs the shell commands on standard input with a kit for this architecture.
inside() {
    {
        echo "set -e; mount -t tmpfs -o mode=755 tmpfs /var/cache; mkdir -p /var/cache/rhost/kit-archives"
        echo "cp kit.tar.gz /var/cache/rhost/kit-archives/rhost-kit-$1-$digest.tar.gz; kits=/var/cache/rhost/kits"
        echo "push() { \"$abs_top_builddir/rhost\" push --state-dir '$work/state' \"\$@\"; }"
        cat
    } >script
    run unshare --mount --propagation private bash script
}

@test "a kit is sent to a target that does not have it, and used again" {
    inside "$(uname -m)" <<END
push local: site/site.yaml
ls \$kits
touch -d 2001-01-01 \$kits/$digest/rhost
push local: site/site.yaml
find \$kits/$digest/rhost ! -newermt 2002-01-01 -printf 'not sent again\n'
END
    status_is 0
    says 'local: changed 1 changed'
    says "$digest"
    says 'local: ok 1 ok'
    says 'not sent again'
    is "$(cat out)" one
}

@test "a kit that the target has is not read here" {
    inside "$(uname -m)" <<END
push local: -- facts os.name
echo 'no archive, but as long as one is' >/var/cache/rhost/kit-archives/rhost-kit-$(uname -m)-$digest.tar.gz
push local: -- facts os.name
rm -r \$kits
push local: -- facts os.name || echo "ended with \$?"
END
    status_is 0
    is "$(grep -c "^local:  ok" <<<"$output")" 2
    says 'local: refused the kit is damaged: cannot unpack the kit'
    says 'ended with 1'
}

@test "a kit that was changed on the target is sent again" {
    inside "$(uname -m)" <<END
push local: -- facts os.name
echo 'echo changed by somebody' >>\$kits/$digest/rhost
push local: -- facts os.name
tail -1 \$kits/$digest/rhost
END
    status_is 0
    says 'warning: the kit on this target was damaged: it is sent again'
    says_not 'changed by somebody'
}

@test "an archive that is not what its name says is refused by the target" {
    echo 'echo changed by somebody' >>kit/rhost
    tar -C kit -czf kit.tar.gz rhost lib SHA256SUMS
    inside "$(uname -m)" <<<"push local: site/site.yaml"
    status_is 1
    says 'refused the kit is damaged'
    [ ! -e out ]
}

@test "a target of another architecture is refused" {
    inside s390x <<<"push local: site/site.yaml"
    status_is 1
    says 'refused there is no kit for the architecture of the target'
}

@test "a kit that is damaged gives way to an older one, and stops no push that needs another" {
    inside "$(uname -m)" <<END
archives=/var/cache/rhost/kit-archives
touch -d '2 days ago' \$archives/*
head -c 100 kit.tar.gz >\$archives/rhost-kit-$(uname -m)-$(printf '%064d' 1).tar.gz
head -c 100 kit.tar.gz >\$archives/rhost-kit-riscv64-$(printf '%064d' 2).tar.gz
push local: site/site.yaml
END
    status_is 0
    says 'this kit is left out'
    says 'local: changed 1 changed'
}

@test "a target where no kit can be kept or started says why" {
    head -c 400000 /dev/urandom >kit/lib/one
    (cd kit && sha256sum rhost lib/one >SHA256SUMS)
    digest=$(sha256sum <kit/SHA256SUMS | cut -d' ' -f1)
    tar -C kit -czf kit.tar.gz rhost lib SHA256SUMS
    for option in size=64k,mode=700 noexec,mode=700 ro,mode=700; do
        inside "$(uname -m)" <<END
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
made=
for dir in /var/cache/rhost/kits /run/rhost/kits /var/tmp/rhost-0 /tmp/rhost-0 /dev/shm/rhost-0; do
    [ -e \$dir ] || made="\$made \$dir"
    mkdir -p \$dir
    mount -t tmpfs -o $option tmpfs \$dir
done
status=0
push local: site/site.yaml || status=\$?
for dir in \$made; do umount \$dir; rmdir \$dir; done
exit \$status
END
        status_is 1
        case $option in
        size*) says 'local: refused no space for the kit' ;;
        noexec*) says 'local: refused programs cannot be started from the directory of the kit (noexec)' ;;
        ro*) says 'local: refused the file systems are read-only' ;;
        esac
    done
    [ ! -e out ]
}

@test "without any kit the message says how to make one" {
    inside "$(uname -m)" <<END
rm /var/cache/rhost/kit-archives/*
push local: site/site.yaml
END
    status_is 1
    says 'no kit: this target has no rhost of its own'
    says 'rhost kit make'
}
