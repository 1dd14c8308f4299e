#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The users are those of an account data base of the test; ssh-keygen says what ssh makes of a file.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

one='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb'
two='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
three='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAmTHT8pJNAxN0BEFDkBxbX07cpHkpkkhZ6c4yhADC15'

setup() {
    work_open
    requires_command ssh-keygen
}

# A host in the file "f".
host() {
    one "known_host: \"$1\"" "user: $(id -un)" "target: $work/f" -- "${@:2}"
}

# What ssh knows the host by, in the file "f".
known() {
    ssh-keygen -F "$1" -f "${2:-f}" | sed '/^#/d; s/^@[a-z-]* //' | cut -d' ' -f2,3
}

# alice has the home "home"; /etc/ssh is "ssh".
with_users() {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    printf 'root:x:0:0::%s/root:/bin/sh\nalice:x:70001:70001::%s/home:/bin/sh\nbob:x:70002:70002::%s/bob:/bin/sh\n' \
        "$work" "$work" "$work" >passwd
    mkdir home ssh
    chown 70001:70001 home
    chmod 755 "$work" home
    printf '#!/bin/sh\nexec unshare -m sh -c %s sh "$@"\n' \
        "'mount --bind \"$work/passwd\" /etc/passwd && mount --bind \"$work/ssh\" /etc/ssh && exec \"$abs_top_builddir/rhost\" \"\$@\"'" \
        >inside
    chmod +x inside
    RHOST=$work/inside
}

# bats test_tags=inline
@test "a host is known by its keys, changes them, and is forgotten; all else stays" {
    printf '# mine\nother.example.org %s\n' "$one" >f
    cp f before
    host git.example.org converges <<END
keys: [$one, git.example.org $two, $one comment]
END
    is "$(known git.example.org)" "$one"$'\n'"$two"
    host git.example.org run apply <<<"keys: [$two, $three]"
    is "$(known git.example.org)" "$two"$'\n'"$three"
    run rhost undo last
    status_is 0
    is "$(known git.example.org | sort)" "$(printf '%s\n' "$one" "$two" | sort)"
    host git.example.org is_in_sync <<<"keys: [$two, $one]"
    host git.example.org run apply --noop <<<'ensure: absent'
    status_is 0
    [ -n "$(known git.example.org)" ]
    host git.example.org converges <<<'ensure: absent'
    cmp f before
}

@test "hashed names are understood, and made" {
    printf 'a.example.org %s\n[b.example.org]:2222 %s\n' "$one" "$two" >f
    ssh-keygen -q -H -f f >/dev/null 2>&1
    rm f.old
    not grep -q example f
    host a.example.org is_in_sync <<<"keys: [$one]"
    host '[B.example.org]:2222' is_in_sync <<<"keys: [$two]"
    host b.example.org converges <<<"keys: [$three]"$'\nhash: true'
    not grep -q example f
    is "$(known b.example.org)" "$three"
    host a.example.org converges <<<"keys: [$three]"$'\nhash: true'
    is "$(known a.example.org)" "$three"
    host a.example.org converges <<<'ensure: absent'
    host '[b.example.org]:2222' converges <<<'ensure: absent'
    is "$(wc -l <f)" 1
    # The name itself, however ssh writes it; and lines that are no hash.
    printf '|1|AAAA|BBBB %s\n|1|%s %s\n|1||AAAA= %s\n|2|a|b %s\n' "$one" "$(printf 'A%.0s' $(seq 200))" "$one" "$one" "$one" >f
    cp f before
    host a.example.org converges <<<"keys: [$one]"
    host a.example.org converges <<<'ensure: absent'
    cmp f before
    is "$(grep -c '' f)" 4
    host '|1|AAAA|BBBB' converges <<<'ensure: absent'
    is "$(grep -c '' f)" 3
}

@test "ports, markers and lines with several names" {
    printf 'a,B.example.org,192.0.2.1 %s old comment\n@revoked * %s\n' "$one" "$two" >f
    host '[a]:22' is_in_sync <<<"keys: [$one]"
    host b.example.org converges <<<"keys: [$two]"
    is "$(cat f)" "a,192.0.2.1 $one old comment"$'\n'"@revoked * $two"$'\n'"b.example.org $two"
    host '*' converges <<<"keys: [$three]"$'\nmarker: cert-authority'
    host '@revoked *' is_in_sync <<<"keys: [$two]"
    host '*' converges <<<$'ensure: absent\nmarker: revoked'
    is "$(grep '^@' f)" "@cert-authority * $three"
    host a converges <<<'ensure: absent'
    host 192.0.2.1 converges <<<'ensure: absent'
    is "$(grep -c '' f)" 2
    # A key that is cut short is none; two lines with one key are left alone.
    printf 'a %s\nb %s\nb %s\n' "${one:0:60}" "$one" "$one" >f
    host b is_in_sync <<<"keys: [$one]"
    host a converges <<<"keys: [$one]"
    is "$(grep -c '^a ' f)" 1
}

# bats test_tags=inline
@test "the file of all users and that of a user, which is theirs" {
    with_users
    for RHOST_ISOLATION in $isolations; do
        rm -rf home/.ssh ssh/*
        converges <<END
resources:
  - known_host: git.example.org
    keys: [$one]
  - known_host: "alice: git.example.org"
    keys: [$two]
END
        is "$(stat -c '%u:%g:%a' ssh/ssh_known_hosts home/.ssh home/.ssh/known_hosts | xargs)" \
            '0:0:644 70001:70001:700 70001:70001:600'
        is "$(known git.example.org ssh/ssh_known_hosts)" "$one"
        is "$(known git.example.org home/.ssh/known_hosts)" "$two"
        printf 'a,B,[c]:22 %s\n|1|AAAA|BBBB %s\n@revoked x %s\n\377 %s\n@other y %s\n' "$one" "$one" "$one" "$one" "$one" >>home/.ssh/known_hosts
        rhost resource --format=yaml known_host >list.yaml
        is "$(grep -c 'known_host: ' list.yaml)" 6
        run rhost apply --noop --detailed-exitcodes list.yaml
        status_is 0
        says '6 resources: 6 ok'
    done
    run apply <<END
resources:
  - known_host: git.example.org
    keys: [$one]
  - purge: known_host
END
    status_is 0
    is "$(cat ssh/ssh_known_hosts)" "git.example.org $one"
    not grep -q '^[a-z]' home/.ssh/known_hosts
}

@test "links, files and directories of others are not touched" {
    with_users
    mkdir home/.ssh secret
    echo precious >secret/known_hosts
    ln -s "$work/secret/known_hosts" home/.ssh/known_hosts
    chown -hR 70001 home
    printf 'resources:\n  - known_host: "alice: a"\n    keys: [%s]\n' "$one" >site.yaml
    run rhost apply site.yaml
    status_is 4
    says 'is a symbolic link: it is not followed'
    rm -r home/.ssh
    ln -s "$work/secret" home/.ssh
    chown -h 70001 home/.ssh
    run rhost apply site.yaml
    status_is 4
    says "unsafe path: '$work/home/.ssh' is a symbolic link that user 'alice' can change"
    is "$(cat secret/known_hosts) $(ls -A secret)" 'precious known_hosts'
    rm home/.ssh
    mkdir home/.ssh
    echo precious >home/.ssh/known_hosts
    chmod 600 home/.ssh/known_hosts
    chown 70002 home/.ssh/known_hosts
    chown 70001 home/.ssh
    run rhost apply site.yaml
    status_is 4
    says 'belongs to another user: it is not touched'
    truncate -s 20G home/.ssh/known_hosts
    run rhost resource known_host
    status_is 0
    says 'continuing without it'
    rm -r home/.ssh
    printf 'resources:\n  - known_host: "carol: a"\n    keys: [%s]\n  - known_host: "bob: a"\n    keys: [%s]\n' "$one" "$one" >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "user: unknown user 'carol'"
    says 'the home directory does not exist'
}

@test "many hosts are one rewrite; a full disk and a read-only one leave the file as it was" {
    requires_root
    requires_command unshare
    printf 'kept %s\n' "$one" >f
    mkdir full
    {
        echo 'resources:'
        for i in $(seq 200); do
            printf '  - known_host: h%s\n    user: root\n    target: %s/full/f\n    keys: [%s, %s]\n' "$i" "$work" "$one" "$two"
        done
    } >site.yaml
    for trouble in "mount -t tmpfs -o size=16k tmpfs full && cp f full" "cp f full && mount --bind full full && mount -o remount,ro,bind full"; do
        printf '#!/bin/sh\nexec unshare -m sh -c '\''%s && "$@"; s=$?; cp full/f after; exit $s'\'' sh %s "$@"\n' "$trouble" \
            "$abs_top_builddir/rhost" >inside
        chmod 755 inside
        RHOST=$work/inside
        run rhost apply site.yaml
        status_is 4
        says '200 failed'
        cmp after f
    done
    unset RHOST
    cp f full
    before=$(stat -c %i full/f)
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    is "$(wc -l <full/f)" 401
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "mistakes are named" {
    host a fails "a host that is not known yet needs 'keys'" <<<'hash: true'
    host a fails "keys[0]: it is cut short" <<<"keys: [${one:0:60}]"
    host a fails "keys[1]: 'nonsense' is not a type and a key in base64" <<<"keys: [$one, nonsense]"
    host a fails "keys[0]: " <<<"keys: [ssh-rsa ${one#* }]"
    host a fails 'keys' <<<'keys: []'
    for name in 'a,b' '@a' '#a' 'a"' '|1|a' '|2|a|b'; do
        one "known_host: it" "name: '$name'" 'user: root' "target: $work/f" -- fails name <<<"keys: [$one]"
    done
    host a fails marker <<<"keys: [$one]"$'\nmarker: other'
    one 'known_host: a' "target: $work/none/f" -- fails "cannot open the directory of '$work/none/f'" <<<"keys: [$one]"
    one 'known_host: a' "target: $work/none/f" -- run apply --noop <<<"keys: [$one]"
    status_is 4
    run apply <<END
resources:
  - {known_host: one, name: a, target: $work/f, keys: [$one]}
  - {known_host: two, name: '[A]:22', target: $work/f, keys: [$two]}
END
    status_is 1
    [ ! -e f ]
}
