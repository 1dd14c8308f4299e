#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# The key pair of "k", whose other attributes stand on standard input.
key() {
    one "ssh_key: $work/k" -- "$@" < <(attributes)
}

# public [PASSPHRASE]: what ssh-keygen makes of the private key.
public() {
    ssh-keygen -y -P "${1-}" -f k 2>/dev/null
}

# bats test_tags=inline
@test "a key pair is made once, with mode 0600, whatever the umask is, and is shown nowhere" {
    umask_is 0
    key run apply -v -v --diff --report report.json <<<'comment: anna at home'
    status_is 0
    line=$(sed -n 3p k)
    [ "${#line}" -gt 30 ]
    not grep -rqF -- "$line" "$BATS_TEST_TMPDIR/state" report.json
    says_not "$line"
    is "$(mode_of k) $(mode_of k.pub)" '600 644'
    is "$(public)" "$(cat k.pub)"
    [[ $(cat k.pub) == 'ssh-ed25519 '*' anna at home' ]]
    cp k kept
    key is_in_sync <<<'{comment: anna at home, algorithm: ed25519}'
    key is_in_sync </dev/null
    cmp k kept
    is "$(find . -name '.k*')" ''
    run rhost resource --format=json ssh_key "$work/k"
    status_is 0
    says "$(ssh-keygen -lf k | cut -d' ' -f2)"
    says "$(cat k.pub)"
}

@test "each algorithm is what ssh-keygen says it is, and another one is refused" {
    while IFS='|' read -r wanted said; do
        rm -f k k.pub
        key converges <<<"$wanted"
        [[ $(ssh-keygen -lf k) == $said ]]
    done <<'END'
algorithm: ecdsa|256 *ECDSA*
{algorithm: ecdsa, bits: 521}|521 *ECDSA*
{algorithm: rsa, bits: 2048}|2048 *RSA*
algorithm: ed25519|256 *ED25519*
END
    cp k kept
    key run apply <<<'algorithm: ecdsa'
    status_is 4
    says algorithm
    key run apply --noop <<<'{algorithm: rsa, bits: 4096}'
    status_is 4
    cmp k kept
    key converges <<<'{algorithm: ecdsa, replace: true}'
    [[ $(ssh-keygen -lf k) == *ECDSA* ]]
}

# bats test_tags=inline
@test "a passphrase encrypts a new key, and one that is there, which stays the same" {
    key run apply </dev/null
    cp k.pub before
    key run apply -v -v --debug --diff --report report.json <<<'passphrase: hush-hush hush'
    status_is 0
    says 'passphrase (unknown) → [redacted]'
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json
    not public
    is "$(public 'hush-hush hush')" "$(cat before)"
    is "$(mode_of k)" 600
    cmp k.pub before
    key is_in_sync <<<'passphrase: hush-hush hush'
    key is_in_sync </dev/null
    cp k kept
    chmod 644 k
    key run apply <<<'passphrase: hush-hush hush'
    status_is 4
    says "'$work/k' has mode 0644, and ssh-keygen decrypts no key that others than its owner have access to; 'chmod 600 $work/k' first"
    chmod 600 k
    key run apply <<<'passphrase: something-else'
    status_is 4
    says "passphrase: cannot decrypt '$work/k': wrong passphrase"
    says_not something-else
    key run apply <<<'comment: new'
    status_is 4
    says "the private key is encrypted: to change its comment takes 'passphrase'"
    cmp k kept
    key converges <<<'{comment: new one, passphrase: hush-hush hush}'
    is "$(public 'hush-hush hush' | cut -d' ' -f3-)" 'new one'
    is "$(cut -d' ' -f2 k.pub)" "$(cut -d' ' -f2 before)"
    key converges <<<'ensure: absent'
    key run apply --debug <<<'passphrase: "$(touch x) `"'
    status_is 0
    public '$(touch x) `'
    is "$(ls)" "$(ls | grep -vx x)"
    rm k k.pub
    if command -v strace >/dev/null && [ -z "${RHOST_WATCHED-}" ]; then
        key true <<<'passphrase: hush-hush hush'
        strace -f -s 400 -e trace=execve -o trace "$abs_top_builddir/rhost" apply --state-dir state --isolation="$RHOST_ISOLATION" \
            <(printf 'resources:\n  - {ssh_key: %s/k, passphrase: hush-hush hush}\n' "$work") >/dev/null
        grep -q 'execve.*ssh-keygen' trace
        not grep -q hush-hush trace
    fi
}

@test "the public key is kept true to the private one" {
    key converges <<<'comment: anna'
    cp k.pub before
    rm k.pub
    key run apply --noop </dev/null
    says "'$work/k.pub' does not exist"
    [ ! -e k.pub ]
    key converges </dev/null
    is "$(cat k.pub)" "$(cut -d' ' -f1,2 before)"
    ssh-keygen -q -t ed25519 -N '' -f other
    cp other.pub k.pub
    key converges <<<'comment: anna'
    cmp k.pub before
    echo nonsense >k.pub
    key converges <<<'comment: anna'
    cmp k.pub before
    rm k.pub
    ln -s other k.pub
    key converges <<<'comment: anna'
    cmp k.pub before
    [ ! -L k.pub ]
    key converges <<<'comment: bert'
    is "$(public)" "$(cat k.pub)"
    is "$(cut -d' ' -f2 k.pub)" "$(cut -d' ' -f2 before)"
}

@test "a new comment that came to the private key alone comes to the public one with the next run" {
    key converges <<<'comment: one'
    cp k.pub old.pub
    key converges <<<'comment: two'
    cp old.pub k.pub
    key converges <<<'comment: two'
    is "$(cut -d' ' -f3 k.pub)" two
}

@test "a public key without its private key is not overwritten" {
    ssh-keygen -q -t ed25519 -N '' -f k
    rm k
    cp k.pub kept
    for option in --noop --detailed-exitcodes; do
        key run apply $option </dev/null
        status_is 4
        says "'$work/k.pub' exists without its private key, and is not overwritten"
        cmp k.pub kept
        [ ! -e k ]
    done
    key is_in_sync <<<'ensure: absent'
    rm k.pub
    key converges </dev/null
}

@test "what a run has left that was killed is removed by the next one" {
    touch .k.0123456789abcdef .k.0123456789abcdef.pub .k.0123456789abcdeg .k.0123456789abcdef.old .l.0123456789abcdef
    key converges </dev/null
    is "$(ls -A | grep '^[.]' | LC_ALL=C sort | tr '\n' ' ')" '.k.0123456789abcdef.old .k.0123456789abcdeg .l.0123456789abcdef '
}

# bats test_tags=inline
@test "what is no key, or only a part of one, stays as it is" {
    ssh-keygen -q -t ed25519 -N '' -f whole
    ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -f pem
    for file in '' nonsense "$(head -c 200 whole)" "$(head -n 3 whole; tail -n 1 whole)" "$(cat whole.pub)"; do
        printf '%s\n' "$file" >k
        cp k kept
        key run apply </dev/null
        status_is 4
        says "cannot read the private key '$work/k': "
        cmp k kept
    done
    cp pem k
    key fails "it is not in the format of OpenSSH; 'ssh-keygen -p -f FILE' converts it" </dev/null
    rm k
    ln -s whole k
    key run apply </dev/null
    status_is 4
    says 'it is a symbolic link'
    rm k
    mkfifo k
    key run apply </dev/null
    status_is 4
    says 'it is not a regular file'
    rm k
    mkdir k
    key run apply </dev/null
    status_is 4
    rmdir k
    [ ! -e k.pub ]
    mkdir open
    chmod 777 open
    one "ssh_key: $work/open/k" -- run apply </dev/null
    status_is 4
    says "the directory of '$work/open/k' can be written by others"
    one "ssh_key: $work/x/k" -- run apply --noop </dev/null
    status_is 4
    says "directory '$work/x' does not exist"
}

# bats test_tags=inline
@test "what cannot be right is refused, with the attribute at fault" {
    while IFS='|' read -r attributes said; do
        key run apply <<<"$attributes"
        status_is 1
        says "$said"
    done <<'END'
bits: 4096|'bits' is for 'algorithm: rsa' and 'ecdsa'
{algorithm: rsa, bits: 1024}|a key of rsa has at least 2048 bits
{algorithm: ecdsa, bits: 512}|a key of ecdsa has 256, 384 or 521 bits
algorithm: dsa|algorithm
comment: "a\nb"|comment
passphrase: "a\nb"|passphrase
{passphrase: abcdef, mode: 0640}|ssh-keygen decrypts no key that others than its owner have access to
END
    one "ssh_key: $work/k.pub" -- run apply </dev/null
    status_is 1
    says "'path' is the private key"
}

@test "as root the pair is the owner's, made with their rights" {
    requires_root
    requires_command setpriv
    home=$BATS_TEST_TMPDIR/home
    mkdir "$home"
    chown games:games "$home"
    chmod 755 "$BATS_TEST_TMPDIR" "$work"
    while ! setpriv --reuid=games --regid=games --clear-groups test -x "$home" && [ "${way=$home}" != / ]; do
        way=$(dirname "$way")
        chmod o+x "$way"
    done
    for RHOST_ISOLATION in $isolations; do
        rm -rf "$home/.ssh"
        one "ssh_key: $home/.ssh/id" -- converges < <(attributes <<<'{owner: games, passphrase: hush-hush}')
        is "$(stat -c %U:%G:%a "$home/.ssh" "$home/.ssh/id" "$home/.ssh/id.pub" | tr '\n' ' ')" \
            'games:games:700 games:games:600 games:games:644 '
        one "ssh_key: $home/.ssh/id" -- converges < <(attributes <<<'{owner: games, passphrase: hush-hush, comment: new}')
        is "$(stat -c %U:%G:%a "$home/.ssh/id" "$home/.ssh/id.pub" | tr '\n' ' ')" 'games:games:600 games:games:644 '
        is "$(ls -A "$home/.ssh" | tr '\n' ' ')" 'id id.pub '
    done
    one "ssh_key: $home/.ssh/id" -- run apply <<<'owner: daemon'
    status_is 4
    says "belongs to another user than 'owner'"
    ssh-keygen -q -t ed25519 -N '' -f whole
    cp whole "$home/.ssh/roots"
    one "ssh_key: $home/.ssh/roots" -- run apply <<<'owner: games'
    status_is 4
    says 'it belongs to another user than its directory'
    ln -s "$work" "$home/.ssh/way"
    chown -h games "$home/.ssh/way"
    one "ssh_key: $home/.ssh/way/k" -- run apply </dev/null
    status_is 4
    says 'unsafe path'
    [ ! -e k ]
    mkdir theirs
    one "ssh_key: $work/theirs/k" -- converges < <(attributes <<<'{owner: games, group: daemon}')
    is "$(stat -c %U:%G:%a theirs/k theirs/k.pub | tr '\n' ' ')" 'games:daemon:600 games:daemon:644 '
    one "ssh_key: $work/theirs/k" -- converges < <(attributes <<<'{owner: root, mode: 0400}')
    is "$(stat -c %U:%G:%a theirs/k)" root:daemon:400
}

@test "a dry run makes nothing, and undo removes what was made" {
    key run apply --noop </dev/null
    status_is 0
    is "$(ls)" ''
    key run apply </dev/null
    run rhost undo last
    status_is 0
    is "$(ls)" ''
    key run apply </dev/null
    key run apply <<<'ensure: absent'
    is "$(ls)" ''
    run rhost undo --noop last
    says 'the private key'
}

@test "a full disk, and a directory that cannot be written to, leave nothing" {
    requires_root
    requires_command unshare
    mkdir full
    printf 'resources:\n  - ssh_key: %s/full/k\n' "$work" >full.yaml
    export RHOST_ISOLATION
    run unshare -m sh -c 'mount -t tmpfs -o size=4k,mode=755 tmpfs full && head -c 4096 /dev/zero >full/zeros
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full)"
mount -o remount,ro full
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full)"' sh "$abs_top_builddir/rhost"
    says 'No space left on device'
    says 'Read-only file system'
    is "$(grep -c '^status 4 zeros$' <<<"$output")" 2
}
