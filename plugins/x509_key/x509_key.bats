#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# The key a.key, whose other attributes stand on standard input.
key() {
    one "x509_key: $work/a.key" -- "$@"
}

public() {
    openssl pkey -in a.key -pubout "$@"
}

# What a key must not be: in a report, in the state directory, in the output.
is_shown_nowhere() {
    local line
    line=$(sed -n 2p a.key)
    [ "${#line}" -gt 30 ]
    not grep -rqF -- "$line" "$BATS_TEST_TMPDIR/state" report.json
    says_not "$line"
}

# bats test_tags=inline
@test "a key is made once, with mode 0600, whatever the umask is, and is shown nowhere" {
    umask_is 0
    key run apply -v -v --diff --report report.json </dev/null
    status_is 0
    is_shown_nowhere
    is "$(mode_of a.key)" 600
    openssl pkey -in a.key -noout -text | grep -q 'NIST CURVE: P-256'
    is "$(head -n 1 a.key)" '-----BEGIN PRIVATE KEY-----'
    cp a.key kept
    key is_in_sync </dev/null
    run rhost resource --format=json x509_key "$work/a.key"
    status_is 0
    is "$(python3 -c 'import json, sys; print(json.load(sys.stdin)["resources"][0]["public_key"], end="")' <<<"$output" 2>/dev/null || echo "$output")" "$(public)" ||
        says "$(public | sed -n 2p)"
    says "$(public -outform DER | sha256sum | cut -d' ' -f1)"
    rm -f state.json
    cmp a.key kept
}

@test "each algorithm and curve is what openssl says it is, and another one is refused" {
    while IFS='|' read -r wanted said; do
        rm -f a.key
        key run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 0
        openssl pkey -in a.key -noout -text | grep -q "$said"
    done <<'END'
algorithm: ec;curve: P-384|NIST CURVE: P-384
algorithm: ec;curve: P-521|NIST CURVE: P-521
algorithm: rsa;size: 2048|2048 bit
algorithm: ed25519|ED25519
END
    cp a.key kept
    key run apply <<<'algorithm: ec'
    status_is 4
    says 'algorithm'
    key run apply --noop <<<'curve: P-384'
    status_is 4
    cmp a.key kept
    key converges <<'END'
algorithm: ec
replace: true
END
    openssl pkey -in a.key -noout -text | grep -q 'NIST CURVE: P-256'
    while IFS='|' read -r wanted said; do
        key run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
size: 4096|'size' is for 'algorithm: rsa'
algorithm: rsa;size: 1024|size
algorithm: rsa;curve: P-256|'curve' is for 'algorithm: ec'
passphrase: ""|passphrase
END
}

# bats test_tags=inline
@test "a passphrase encrypts a new key, and one that is there, which stays the same" {
    key run apply </dev/null
    public >before
    key run apply -v -v --diff --report report.json <<<'passphrase: hush-hush-hush'
    status_is 0
    says 'passphrase'
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json
    is "$(head -n 1 a.key)" '-----BEGIN ENCRYPTED PRIVATE KEY-----'
    public -passin pass:hush-hush-hush | diff before -
    is "$(mode_of a.key)" 600
    key is_in_sync <<<'passphrase: hush-hush-hush'
    cp a.key kept
    key run apply <<<'passphrase: something-else'
    status_is 4
    says "passphrase: cannot decrypt '$work/a.key': wrong passphrase, or the file is damaged"
    says_not something-else
    key run apply </dev/null
    status_is 4
    says "the private key '$work/a.key' is encrypted: 'passphrase' is required"
    run rhost resource x509_key "$work/a.key"
    status_is 0
    says 0600
    cmp a.key kept
    key converges <<<'ensure: absent'
    key converges <<<'passphrase: hush-hush-hush'
    openssl pkey -in a.key -passin pass:hush-hush-hush -noout
}

# bats test_tags=inline
@test "what is no key, or only a part of one, stays as it is" {
    openssl genpkey -algorithm ED25519 -out whole
    head -c 60 whole >a.key
    key fails "cannot read a private key in PEM from '$work/a.key'" </dev/null
    for content in '' nonsense "$(openssl pkey -in whole -pubout)"; do
        printf %s "$content" >a.key
        cp a.key kept
        key run apply </dev/null
        status_is 4
        says "cannot read a private key in PEM from '$work/a.key'"
        cmp a.key kept
    done
    rm a.key
    ln -s whole a.key
    key run apply </dev/null
    status_is 4
    says 'it is a symbolic link'
    rm a.key
    mkfifo a.key
    key run apply </dev/null
    status_is 4
    says 'not a regular file'
    rm a.key
    mkdir a.key
    key run apply </dev/null
    status_is 4
}

@test "keys in the older forms of PEM are read" {
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out new
    openssl pkey -in new -traditional -out a.key
    grep -q 'BEGIN EC PRIVATE KEY' a.key
    key is_in_sync <<<'curve: P-256'
    openssl pkey -in new -traditional -aes256 -passout pass:hush-hush-hush -out a.key
    grep -q 'Proc-Type: 4,ENCRYPTED' a.key
    key is_in_sync <<<'passphrase: hush-hush-hush'
}

# bats test_tags=inline
@test "owner, group, mode and parents; a directory that is missing is named" {
    one "x509_key: $work/x/y/a.key" -- run apply </dev/null
    status_is 4
    says "directory '$work/x/y' does not exist"
    one "x509_key: $work/x/y/a.key" -- converges <<'END'
parents: true
mode: 0640
END
    is "$(mode_of x/y/a.key)" 640
    cp x/y/a.key kept
    one "x509_key: $work/x/y/a.key" -- converges <<<'mode: 0600'
    is "$(mode_of x/y/a.key)" 600
    requires_root
    one "x509_key: $work/x/y/a.key" -- converges <<'END'
owner: daemon
group: games
END
    is "$(stat -c %U:%G:%a x/y/a.key)" daemon:games:600
    cmp x/y/a.key kept
}

@test "a dry run makes nothing, and undo removes what was made" {
    key run apply --noop </dev/null
    status_is 0
    [ ! -e a.key ]
    key run apply </dev/null
    run rhost undo last
    status_is 0
    [ ! -e a.key ]
    key run apply </dev/null
    key run apply <<<'ensure: absent'
    run rhost undo --noop last
    says 'the private key'
}

@test "a full disk, and a directory that cannot be written to, leave nothing" {
    requires_root
    requires_command unshare
    mkdir full
    printf 'resources:\n  - x509_key: %s/full/a.key\n' "$work" >full.yaml
    export RHOST_ISOLATION
    run unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs full && head -c 4096 /dev/zero >full/zeros
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full)"
mount -o remount,ro full
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full)"' sh "$abs_top_builddir/rhost"
    says 'No space left on device'
    says 'Read-only file system'
    is "$(grep -c '^status 4 zeros$' <<<"$output")" 2
}
