#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The users are those of an account data base of our own, which hides the one of the machine.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

one=AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb
two=AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl

# alice has the home "home", and bob none yet.
with_users() {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    printf 'root:x:0:0::%s/root:/bin/sh\nalice:x:70001:70001::%s/home:/bin/sh\nbob:x:70002:70002::%s/bob:/bin/sh\n' \
        "$work" "$work" "$work" >passwd
    mkdir home
    chown 70001:70001 home
    chmod 755 "$work" home
    printf '#!/bin/sh\nexec unshare -m sh -c %s sh "$@"\n' \
        "'mount --bind \"$work/passwd\" /etc/passwd && exec \"${RHOST:-$abs_top_builddir/rhost}\" \"\$@\"'" \
        >"$BATS_TEST_TMPDIR/inside"
    chmod +x "$BATS_TEST_TMPDIR/inside"
    RHOST=$BATS_TEST_TMPDIR/inside
    keys=home/.ssh/authorized_keys
}

# alice has these lines.
alice_has() {
    mkdir -p home/.ssh
    cat >$keys
    chown -R 70001:70001 home
    chmod 700 home/.ssh
    chmod 600 $keys
}

key() {
    local title=$1
    shift
    one "ssh_authorized_key: \"$title\"" -- "$@"
}

owner_of() {
    stat -c %u:%g:%a "$1"
}

# bats test_tags=inline
@test "the first key makes the directory and the file, as sshd demands" {
    with_users
    for RHOST_ISOLATION in $isolations; do
        rm -rf home/.ssh
        key 'alice: a@b' converges <<<"key: $one"
        [ "$(cat $keys)" = "ssh-ed25519 $one a@b" ]
        [ "$(owner_of home/.ssh)" = 70001:70001:700 ]
        [ "$(owner_of $keys)" = 70001:70001:600 ]
        [ "$(ls -A home/.ssh)" = authorized_keys ]
    done
}

@test "a file keeps a mode that sshd takes" {
    with_users
    key 'alice: a@b' converges <<<"key: $one"
    chmod 744 $keys
    key 'alice: a@b' converges <<<"key: $two"
    is "$(owner_of $keys)" 70001:70001:744
}

@test "the lines of others stay" {
    with_users
    printf '# mine\n\nssh-ed25519 %s bob\nwhat is this\n' "$two" | alice_has
    cp $keys before
    key 'alice: a@b' converges <<<"key: $one"
    [ "$(cat $keys)" = "$(cat before)
ssh-ed25519 $one a@b" ]
    key 'alice: a@b' converges <<<'ensure: absent'
    cmp $keys before
}

@test "options are written, compared in any order, and left alone where nothing is said of them" {
    with_users
    key 'alice: a@b' converges <<END
key: $one
options: ['from="10.0.0.0/8,::1"', no-pty, 'command="echo \"a b\""']
END
    [ "$(cat $keys)" = "from=\"10.0.0.0/8,::1\",no-pty,command=\"echo \\\"a b\\\"\" ssh-ed25519 $one a@b" ]
    key 'alice: a@b' is_in_sync <<END
key: $one
options: [no-pty, 'command="echo \"a b\""', 'from="10.0.0.0/8,::1"']
END
    key 'alice: a@b' converges <<<"key: $two"
    grep -q '^from=.*,no-pty,' $keys
    key 'alice: a@b' converges <<END
key: $two
options: []
END
    [ "$(cat $keys)" = "ssh-ed25519 $two a@b" ]
}

@test "a key that is there under another comment gets this one, with one line" {
    with_users
    printf 'ssh-ed25519 %s old\nssh-ed25519 %s other\nssh-ed25519 %s older\n' "$one" "$two" "$one" | alice_has
    key 'alice: a@b' converges <<END
key: $one
options: [restrict]
END
    [ "$(cat $keys)" = "restrict ssh-ed25519 $one a@b
ssh-ed25519 $two other" ]
}

@test "a second line with the key is drift, which is repaired" {
    with_users
    printf 'restrict ssh-ed25519 %s a@b\nssh-ed25519 %s sneaked-in\n' "$one" "$one" | alice_has
    key 'alice: a@b' converges <<<"key: $one"
    [ "$(cat $keys)" = "restrict ssh-ed25519 $one a@b" ]
}

@test "absent with the key takes each line with it" {
    with_users
    printf 'ssh-ed25519 %s x\nssh-ed25519 %s y\nssh-ed25519 %s a@b\n' "$one" "$one" "$two" | alice_has
    key 'alice: a@b' converges <<END
ensure: absent
key: $one
END
    [ ! -s $keys ]
}

@test "the whole line of a .pub file is a key, and a type that fits is fine" {
    with_users
    key 'alice: a@b' converges <<<"key: ssh-ed25519 $one whoever"
    [ "$(cat $keys)" = "ssh-ed25519 $one a@b" ]
    key 'alice: a@b' is_in_sync <<END
key: $one
type: ed25519
END
}

@test "one name for several users, and a title that says nothing" {
    with_users
    mkdir bob
    chown 70002 bob
    converges <<END
resources:
  - ssh_authorized_key: "alice: a@b"
    key: $one
  - ssh_authorized_key: "bob: a@b"
    key: $one
  - ssh_authorized_key: deploy
    user: bob
    name: x@y
    key: $two
END
    [ "$(wc -l <bob/.ssh/authorized_keys)" -eq 2 ]
    grep -q 'x@y$' bob/.ssh/authorized_keys
}

@test "modes and owners that sshd would not take are drift, and are righted" {
    with_users
    printf 'ssh-ed25519 %s a@b\n' "$one" | alice_has
    chmod 775 home/.ssh
    key 'alice: a@b' run apply --noop <<<"key: $one"
    says "others can write to the directory of '$work/$keys', so sshd would ignore it"
    [ "$(owner_of home/.ssh)" = 70001:70001:775 ]
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    [ "$(owner_of home/.ssh)" = 70001:70001:755 ]
    chmod 666 $keys
    key 'alice: a@b' converges <<<"key: $one"
    [ "$(owner_of $keys)" = 70001:70001:644 ]
    chown 0:0 $keys
    key 'alice: a@b' converges <<<"key: $one"
    [ "$(owner_of $keys)" = 70001:70001:644 ]
}

# bats test_tags=inline
@test "a symbolic link of the user's is not followed, as file or as directory" {
    with_users
    mkdir home/.ssh secret
    echo precious >secret/authorized_keys
    ln -s "$work/secret/authorized_keys" $keys
    chown -hR 70001 home
    key 'alice: a@b' fails "is a symbolic link: it is not followed" <<<"key: $one"
    rm -r home/.ssh
    ln -s "$work/secret" home/.ssh
    chown -h 70001 home/.ssh
    key 'alice: a@b' fails "unsafe path: '$work/home/.ssh' is a symbolic link that user 'alice' can change" <<<"key: $one"
    [ "$(cat secret/authorized_keys)" = precious ]
    [ "$(ls -A secret)" = authorized_keys ]
}

# bats test_tags=inline
@test "a file of somebody else is not touched, nor shown to the user" {
    with_users
    mkdir home/.ssh
    chown 70001 home/.ssh
    echo precious >$keys
    chmod 600 $keys
    key 'alice: a@b' fails "belongs to another user: it is not touched" <<<"key: $one"
    chown 70002 $keys
    key 'alice: a@b' fails "belongs to another user: it is not touched" <<<"key: $one"
    [ "$(cat $keys)" = precious ]
    rm -r home/.ssh
    mkdir home/.ssh
    chown 70002 home/.ssh
    key 'alice: a@b' fails "the directory of '$work/$keys' belongs to another user" <<<"key: $one"
    [ -z "$(ls -A home/.ssh)" ]
}

@test "a home that is a link of root's is followed" {
    with_users
    mkdir root-owned
    mv home root-owned/real
    ln -s "$work/root-owned/real" root-owned/home
    sed -i "s|$work/home|$work/root-owned/home|" passwd
    key 'alice: a@b' converges <<<"key: $one"
    [ "$(owner_of root-owned/real/.ssh/authorized_keys)" = 70001:70001:600 ]
}

@test "a file elsewhere stays root's, in a directory that is safe" {
    with_users
    mkdir keys
    key 'alice: a@b' converges <<END
key: $one
target: $work/keys/alice
END
    [ "$(owner_of keys/alice)" = 0:0:644 ]
    chmod 777 keys
    key 'alice: a@b' fails "the directory of '$work/keys/alice' can be written by others" <<END
key: $one
target: $work/keys/alice
END
}

@test "a user that is missing may still come, under noop, when something in the run can make it" {
    with_users
    key 'carol: a@b' run apply --noop <<<"key: $one"
    status_is 4
    says "failed: user: unknown user 'carol'"
    run apply --noop <<END
resources:
  - exec: make carol
    command: ["true", carol]
  - ssh_authorized_key: 'carol: a@b'
    key: $one
END
    status_is 0
    says "unknown: user: unknown user 'carol'"
    key 'carol: a@b' fails "unknown user 'carol'" <<<"key: $one"
    key 'carol: a@b' is_in_sync <<<'ensure: absent'
    key 'bob: a@b' fails "the home directory does not exist; 'create_home: true' of the user creates it" <<<"key: $one"
}

# bats test_tags=inline
@test "what is listed is as wanted; keys without a name are called by their fingerprints" {
    with_users
    printf 'restrict,command="a b" ssh-ed25519 %s a@b\n# no\nssh-ed25519 %s \351\n' "$one" "$two" | alice_has
    for RHOST_ISOLATION in $isolations; do
        rhost resource ssh_authorized_key >listed.yaml
        grep -q 'a@b' listed.yaml
        grep -q "$(ssh-keygen -lf - <<<"ssh-ed25519 $two" | cut -d' ' -f2)" listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        says '2 resources: 2 ok'
    done
}

@test "a user with a link in its place does not keep the keys of others from being seen" {
    with_users
    printf 'ssh-ed25519 %s a@b\n' "$one" | alice_has
    mkdir -p bob/.ssh
    ln -s /etc/shadow bob/.ssh/authorized_keys
    chown -hR 70002 bob
    run rhost resource ssh_authorized_key
    status_is 0
    says 'a@b'
    says "bob/.ssh/authorized_keys' is a symbolic link: it is not followed, continuing without it"
}

# bats test_tags=inline
@test "a user with comments that cannot be names does not keep the keys of others from being seen" {
    with_users
    printf 'ssh-ed25519 %s a@b\n' "$one" | alice_has
    mkdir -p bob/.ssh
    for comment in 'vt\v' '\fff' 'c\rr' 'n\0ul' '\xff' '#no' ''; do
        printf "ssh-ed25519 %s $comment\n" "$(printf '\0\0\0\13ssh-ed25519\0\0\0\40%32s' "$((i += 1))" | base64 -w0)"
    done >bob/.ssh/authorized_keys
    printf '%b' ',,"" ssh-ed25519 ' "$two" ' a\v\nfrom="\xff" ssh-bogus ' "$two" ' o\n' >>bob/.ssh/authorized_keys
    chown -hR 70002 bob
    run rhost resource ssh_authorized_key
    status_is 0
    says 'a@b'
    says 'bob: SHA256:'
}

# bats test_tags=inline
@test "a user with an endless file, or a pipe, does not keep the keys of others from being seen" {
    with_users
    printf 'ssh-ed25519 %s a@b\n' "$one" | alice_has
    mkdir -p bob/.ssh
    truncate -s 20G bob/.ssh/authorized_keys
    chown -hR 70002 bob
    run rhost resource ssh_authorized_key
    status_is 0
    says 'a@b'
    says "'$work/bob/.ssh/authorized_keys' is larger than 8 MiB, continuing without it"
    key 'bob: a@b' fails "'$work/bob/.ssh/authorized_keys' is larger than 8 MiB" <<<"key: $one"
    rm bob/.ssh/authorized_keys
    mkfifo bob/.ssh/authorized_keys
    chown 70002 bob/.ssh/authorized_keys
    run timeout 20 "$RHOST" resource --isolation="$RHOST_ISOLATION" --state-dir state ssh_authorized_key
    status_is 0
    says 'a@b'
    says "exists, but is not a regular file, continuing without it"
}

# bats test_tags=inline
@test "thousands of keys without a name cost one pass" {
    [ "$RHOST_ISOLATION" != none ] || skip "it takes as many passes inline"
    with_users
    python3 - >many <<'END'
import base64, os
for i in range(20000):
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + os.urandom(32)
    print('ssh-ed25519', base64.b64encode(blob).decode())
END
    { cat many; printf 'ssh-ed25519 %s a@b\nssh-ed25519 %s a@b\nssh-ed25519 %s again\n' "$one" "$two" "$one"; } | alice_has
    run timeout 30 "$RHOST" resource --isolation="$RHOST_ISOLATION" --state-dir state ssh_authorized_key
    status_is 0
    is "$(grep -c 'ssh_authorized_key: ' <<<"$output")" 20002
    # Two lines have one name: the first is called so. Two have one key: the first counts.
    is "$(grep -c 'alice: a@b' <<<"$output")" 1
    is "$(grep -c 'again' <<<"$output")" 0
    says "$(ssh-keygen -lf - <<<"ssh-ed25519 $two" | cut -d' ' -f2)"
    # As many lines with one key go at once.
    for i in $(seq 20000); do echo "ssh-ed25519 $two x"; done | alice_has
    printf 'resources:\n  - ssh_authorized_key: "alice: x"\n    ensure: absent\n' >site.yaml
    run timeout 30 "$RHOST" apply --isolation="$RHOST_ISOLATION" --state-dir state site.yaml
    status_is 0
    is "$(wc -c <$keys)" 0
}

# bats test_tags=inline
@test "purge removes what is in no manifest" {
    with_users
    printf 'ssh-ed25519 %s a@b\nssh-ed25519 %s\n' "$one" "$two" | alice_has
    run apply <<END
resources:
  - ssh_authorized_key: "alice: a@b"
    key: $one
  - purge: ssh_authorized_key
END
    status_is 0
    [ "$(cat $keys)" = "ssh-ed25519 $one a@b" ]
}

@test "purge keeps what is listed, by its title" {
    with_users
    printf 'ssh-ed25519 %s anna@laptop\nssh-ed25519 %s\n' "$one" "$two" | alice_has
    cp $keys before
    title=$(rhost resource ssh_authorized_key | sed -n 's/^  - ssh_authorized_key: "\(alice: SHA.*\)"$/\1/p')
    run apply <<END
resources:
  - purge: ssh_authorized_key
    keep: ["alice: anna@laptop", "$title"]
END
    status_is 0
    cmp $keys before
    run apply <<END
resources:
  - purge: ssh_authorized_key
    keep: "alice: SHA*"
END
    status_is 0
    says 'ssh_authorized_key[alice: anna@laptop]'
    [ "$(cat $keys)" = "ssh-ed25519 $two" ]
}

@test "a key that is cut short on the machine is replaced" {
    with_users
    printf 'ssh-ed25519 %s a@b\n' "${one:0:40}" | alice_has
    key 'alice: a@b' converges <<<"key: $one"
    [ "$(cat $keys)" = "ssh-ed25519 $one a@b" ]
}

@test "many keys are one rewrite" {
    with_users
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    requires_command python3
    python3 - >site.yaml <<'END'
import base64, os
print("resources:")
for i in range(40):
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + os.urandom(32)
    print(f'  - ssh_authorized_key: "alice: k{i}"\n    key: {base64.b64encode(blob).decode()}')
END
    run strace -f -e trace=linkat,renameat,rename -o trace "$RHOST" \
        apply --state-dir state --isolation="$RHOST_ISOLATION" site.yaml
    status_is 0
    [ "$(wc -l <$keys)" -eq 40 ]
    [ "$(grep -c 'authorized_keys"' trace)" -eq 1 ]
}

@test "a file of keys is closed before the next is opened" {
    with_users
    mkdir keys
    printf 'resources:\n' >site.yaml
    for i in {1..80}; do
        printf '  - ssh_authorized_key: "alice: a%s"\n    key: %s\n    target: %s/keys/%s\n' "$i" "$one" "$work" "$i"
    done >>site.yaml
    (
        ulimit -Sn 60
        run rhost apply site.yaml
        status_is 0
        says "80 changed"
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    )
}

@test "mistakes are named" {
    with_users
    key 'alice: a' fails 'it is cut short' <<<"key: ${one:0:60}"
    key 'alice: a' fails 'it is not base64' <<<'key: "AAAAC3NzaC1l!ZDI1NTE5"'
    key 'alice: a' fails 'it is not a public key' <<<'key: aGVsbG8gd29ybGQgb2YgbGluZXM='
    key 'alice: a' fails 'it is of the type ssh-ed25519, not ssh-rsa' <<END
key: $one
type: rsa
END
    key 'alice: a' fails "each option is an entry of its own" <<END
key: $one
options: ["no-pty,no-agent-forwarding"]
END
    key 'alice: a' fails "are not closed" <<END
key: $one
options: ['command="x']
END
    key 'alice: a' fails "it begins with options" <<<"key: 'no-pty ssh-ed25519 $one x'"
    key 'a@b' fails "does not contain 'user'" <<<"key: $one"
    key 'alice: a' fails "ssh_authorized_key[alice: b] has the same key" <<END
key: $one
  - ssh_authorized_key: "alice: b"
    key: ssh-ed25519 $one
END
    [ ! -e home/.ssh ]
}

@test "the plugin takes lines as sshd does" {
    with_users
    printf '  from="a,b c" ssh-ed25519   %s   two words \r\nssh-ed25519 %s\tx\n' "$one" "$two" | alice_has
    key 'alice: two words' is_in_sync <<END
key: $one
options: ['from="a,b c"']
END
    key 'alice: x' is_in_sync <<<"key: $two"
}

# bats test_tags=inline
@test "each key fails for its own reason, not for that of another user" {
    with_users
    printf '%s\n' "ssh-ed25519 $two old" | alice_has
    for RHOST_ISOLATION in $isolations; do
        run apply <<END
resources:
  - ssh_authorized_key: "alice: a@b"
    target: $work/missing/alice
    key: $one
  - ssh_authorized_key: "carol: a@b"
    key: $one
  - ssh_authorized_key: "bob: a@b"
    target: $work/gone/bob
    key: $one
  - ssh_authorized_key: "alice: c@d"
    key: $one
END
        status_is 4
        says "cannot open the directory of '$work/missing/alice'"
        says "unknown user 'carol'"
        says "cannot open the directory of '$work/gone/bob'"
        says '3 failed'
        grep -q 'c@d$' "$keys"
    done
}
