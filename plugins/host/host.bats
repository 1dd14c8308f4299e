#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

sample() {
    printf '# top\n127.0.0.1 localhost foo # mine\n::1 localhost ip6-localhost\n\n10.0.0.1\tdb1 db' >hosts
}

# bats test_tags=inline
@test "an entry is added, and left alone afterwards" {
    sample
    converges <<END
resources:
  - host: web1
    ip: 10.0.0.7
    host_aliases: [www, web]
    comment: front
    target: $work/hosts
END
    [ "$(tail -n 1 hosts)" = "10.0.0.7	web1 www web	# front" ]
}

@test "the rest of the file stays as it was" {
    sample
    cp hosts before
    echo >>before
    run apply <<END
resources:
  - host: web1
    ip: 10.0.0.7
    target: $work/hosts
END
    status_is 0
    [ "$(head -n 5 hosts)" = "$(cat before)" ]
}

@test "the file is made when it is missing" {
    converges <<END
resources:
  - host: web1
    ip: 10.0.0.7
    target: $work/hosts
END
    [ "$(cat hosts)" = "10.0.0.7	web1" ]
    [ "$(mode_of hosts)" = 644 ]
}

@test "the order of aliases does not matter, nor case, nor how an address is written" {
    printf '2001:db8:0:0::7 Web1 a b\n' >hosts
    is_in_sync <<END
resources:
  - host: web1
    ip: 2001:DB8::0007
    host_aliases: [B, A]
    target: $work/hosts
END
}

@test "an entry is changed in its place" {
    sample
    converges <<END
resources:
  - host: db1
    ip: 10.0.0.9
    target: $work/hosts
END
    [ "$(sed -n 5p hosts)" = "10.0.0.9	db1 db" ]
}

@test "a name on the line of another already exists" {
    sample
    is_in_sync <<END
resources:
  - host: foo
    ip: 127.0.0.1
    target: $work/hosts
END
}

@test "a name on the line of another gets its own when it differs" {
    sample
    converges <<END
resources:
  - host: foo
    ip: 10.1.1.1
    target: $work/hosts
END
    [ "$(sed -n 2p hosts)" = "127.0.0.1 localhost # mine" ]
    [ "$(tail -n 1 hosts)" = "10.1.1.1	foo" ]
}

@test "an entry is removed, and only the name from the line of another" {
    sample
    converges <<END
resources:
  - host: db1
    ensure: absent
    target: $work/hosts
  - host: foo
    ensure: absent
    target: $work/hosts
END
    not grep -q db1 hosts
    grep -q '^127.0.0.1 localhost # mine$' hosts
}

@test "a comment that begins stays in front of the blanks behind an empty one" {
    printf '10.0.0.1 db1 #   \n10.0.0.2 b #\n' >hosts
    converges <<END
resources:
  - host: db1
    ip: 10.0.0.1
    comment: note
    target: $work/hosts
  - host: b
    ip: 10.0.0.2
    comment: note
    target: $work/hosts
END
    printf '10.0.0.1 db1 # note   \n10.0.0.2 b # note\n' | cmp - hosts
}

# bats test_tags=inline
@test "of a line only what was asked for changes, the rest stays byte for byte" {
    printf '# CR at the ends\r\n  10.0.0.1   DB1  Db old\tDB-Three   #  a  note \r\n\r\n10.0.0.2\tb#tight\nfe80::0001 Six six\n10.0.0.4 last' >hosts
    cp hosts before
    for RHOST_ISOLATION in $isolations; do
        cp before hosts
        converges <<END
resources:
  - host: db1
    ip: 10.0.0.9
    target: $work/hosts
END
        sed '2s/10\.0\.0\.1/10.0.0.9/' before | cmp - hosts
        cp before hosts
        converges <<END
resources:
  - host: db1
    ip: 10.0.0.1
    host_aliases: [new, db-three, db]
    target: $work/hosts
  - host: b
    ip: 10.0.0.2
    comment: other
    target: $work/hosts
  - host: six
    ip: fe80::1
    host_aliases: [v6]
    target: $work/hosts
END
        printf '# CR at the ends\r\n  10.0.0.1   DB1  Db\tDB-Three new   #  a  note \r\n\r\n10.0.0.2\tb#other\nfe80::0001 Six v6\n10.0.0.4 last' |
            cmp - hosts
        cp before hosts
        converges <<END
resources:
  - host: db1
    ip: 10.0.0.1
    comment: another note
    target: $work/hosts
  - host: b
    ip: 10.0.0.2
    comment: ""
    target: $work/hosts
  - host: last
    ip: 10.0.0.4
    comment: here
    target: $work/hosts
  - host: old
    ensure: absent
    target: $work/hosts
END
        printf '# CR at the ends\r\n  10.0.0.1   DB1  Db\tDB-Three   #  another note \r\n\r\n10.0.0.2\tb\nfe80::0001 Six six\n10.0.0.4 last\t# here' |
            cmp - hosts
    done
}

@test "a name's own line is meant before its mention on the line of another, whatever their addresses" {
    for RHOST_ISOLATION in $isolations; do
        printf '10.0.0.5 other web1\n10.0.0.7 web1 www\n' >hosts
        converges <<END
resources:
  - host: web1
    ip: 10.0.0.5
    target: $work/hosts
END
        says '1 ok'
        [ "$(cat hosts)" = "10.0.0.5 other web1
10.0.0.5 web1 www" ]
    done
}

# bats test_tags=inline
@test "a link that another user could have made is not followed" {
    requires_root
    mkdir -m 755 theirs
    printf '10.0.0.1 roots\n' >real
    cp real before
    ln -s "$work/real" theirs/hosts
    chown -h nobody theirs theirs/hosts
    for RHOST_ISOLATION in $isolations; do
        run apply <<END
resources:
  - host: web1
    ip: 10.0.0.5
    target: $work/theirs/hosts
END
        status_is 4
        says 'unsafe path'
        cmp real before
    done
}

@test "the address of the same family is meant" {
    sample
    is_in_sync <<END
resources:
  - host: localhost
    ip: ::1
    target: $work/hosts
END
}

# bats test_tags=inline
@test "many changes are one rewrite" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    {
        echo 'resources:'
        for i in $(seq 1 50); do
            printf '  - host: n%s\n    ip: 10.0.0.%s\n    target: %s\n' "$i" "$i" "$work/hosts"
        done
    } >"$BATS_TEST_TMPDIR/site.yaml"
    run strace -f -e trace=rename,renameat,renameat2,linkat -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" \
        "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    [ "$(wc -l <hosts)" -eq 50 ]
    [ "$(grep -c 'hosts"' trace)" -eq 1 ]
}

@test "aliases are added to and taken from by the marks of manifests" {
    printf '10.0.0.1\tdb1 db old1\n' >hosts
    converges <<END
resources:
  - host: db1
    host_aliases: !append [NEW, db]
    target: $work/hosts
END
    [ "$(cat hosts)" = "10.0.0.1	db1 db old1 new" ]
    converges <<END
resources:
  - host: db1
    host_aliases: !remove [Old1, none]
    target: $work/hosts
END
    [ "$(cat hosts)" = "10.0.0.1	db1 db new" ]
}

# bats test_tags=inline
@test "two files in one batch are both written" {
    converges <<END
resources:
  - host: a
    ip: 10.0.0.1
    target: $work/one
  - host: b
    ip: 10.0.0.2
    target: $work/two
END
    grep -q a one
    grep -q b two
}

@test "what is not an address is refused" {
    run apply <<END
resources:
  - host: a
    ip: 10.0.0
    target: $work/hosts
END
    [ "$status" -ne 0 ]
    says "'10.0.0' is not an address"
    [ ! -e hosts ]
}

# bats test_tags=inline
@test "entries can be listed" {
    run rhost resource host
    status_is 0
    says localhost
}

@test "an empty file has no entries" {
    requires_root
    : >empty
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    run unshare -m sh -c 'mount --bind "$1" /etc/hosts && exec "${RHOST:-$2/rhost}" resource host' sh "$work/empty" "$abs_top_builddir"
    status_is 0
    says_not '- host:'
}
