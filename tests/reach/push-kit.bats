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

@test "kit list shows each kit, and says when there is none" {
    inside x86_64 <<END
cd /var/cache/rhost/kit-archives
cp rhost-kit-x86_64-$digest.tar.gz rhost-kit-aarch64-$digest.tar.gz
touch -d 2026-01-02T03:04:05Z *
touch other.tar.gz
"$abs_top_builddir/rhost" kit list >$work/list
"$abs_top_builddir/rhost" kit list --format=json >$work/list.json
rm *
"$abs_top_builddir/rhost" kit list >$work/empty
"$abs_top_builddir/rhost" kit list --format=json >$work/empty.json
END
    status_is 0
    is "$(wc -l <list)" 2
    grep -qx "aarch64  ${digest:0:12}[0-9a-f]*  2026-01-02T03:04:05Z .* MB  /var/cache/rhost/kit-archives/rhost-kit-aarch64-$digest.tar.gz" list
    python3 - "$digest" "$(stat -c %s kit.tar.gz)" <<'END'
import json, sys
d = json.load(open("list.json"))
assert [k["arch"] for k in d] == ["aarch64", "x86_64"], d
for k in d:
    assert k["digest"] == sys.argv[1] and k["size"] == int(sys.argv[2]) and k["made"] == "2026-01-02T03:04:05Z", k
    assert k["path"].endswith("/rhost-kit-%s-%s.tar.gz" % (k["arch"], k["digest"])), k
END
    is "$(cat empty)" "no kits: 'rhost kit make' makes one"
    is "$(cat empty.json)" '[]'
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
    says 'refused no kit for the architecture of the target'
}

@test "a damaged kit stops no target that needs another one" {
    inside "$(uname -m)" <<END
head -c 100 kit.tar.gz >/var/cache/rhost/kit-archives/rhost-kit-riscv64-$(printf '%064d' 2).tar.gz
push local: site/site.yaml
END
    status_is 0
    says 'local: changed 1 changed'
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
