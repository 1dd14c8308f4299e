#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One user of the file "f": the name, and more attributes on standard input.
user() {
    local name=$1
    shift
    one "htpasswd: \"$work/f:$name\"" -- "$@" < <(attributes)
}

# accepts USER PASSWORD: what Apache's own tool says.
accepts() {
    grep -a "^$1:" f | cut -d: -f1,2 >accepting # it takes what stands behind for a part of the hash
    htpasswd -vb accepting "$1" "$2" 2>/dev/null
}

quick='cost: 4'

# bats test_tags=inline
@test "each scheme is one that Apache's htpasswd accepts, and the same password is in sync" {
    while IFS='|' read -r attributes prefix; do
        for RHOST_ISOLATION in $isolations; do
            rm -f f
            user anna run apply -v -v --diff --report report.json < <(printf 'password: open sesame\n%b\n' "$attributes")
            status_is 0
            says_not 'open sesame'
            not grep -rq 'open sesame' "$BATS_TEST_TMPDIR/state" report.json
            grep -q "^anna:$prefix" f
            accepts anna 'open sesame'
            not accepts anna 'open sesami'
            is "$(mode_of f)" 600
            cp f before
            user anna is_in_sync < <(printf 'password: open sesame\n%b\n' "$attributes")
            user anna is_in_sync <<<'password: open sesame'
            cmp before f
        done
    done <<'END'
cost: 4|[$]2y[$]04[$]
scheme: bcrypt|[$]2y[$]10[$]
scheme: sha256|[$]5[$]
scheme: sha512\nrounds: 1000|[$]6[$]rounds=1000[$]
END
}

@test "another password is written, and the lines of others stay byte for byte" {
    printf '# head\n\nother:$apr1$x$y\nanna:old:Anna of A\nanna:second\nannabel:{SHA}x\n caf\351\nlast' >f
    user anna run apply --noop <<<'password: open sesame'
    status_is 0
    says 'password (unknown) → [redacted]'
    grep -qx 'anna:old:Anna of A' f
    user anna converges < <(printf 'password: open sesame\n%s\n' "$quick")
    accepts anna 'open sesame'
    grep -q '^anna:[$]2y[$]04[$].*:Anna of A$' f
    printf '# head\n\nother:$apr1$x$y\nannabel:{SHA}x\n caf\351\nlast' >others
    grep -av '^anna:' f | cmp - <(printf '# head\n\nother:$apr1$x$y\nannabel:{SHA}x\n caf\351\nlast\n') ||
        grep -av '^anna:' f | cmp - others
    user bert converges < <(printf 'password: open sesame\n%s\n' "$quick")
    is "$(tail -n 1 f | cut -d: -f1)" bert
    user anna converges <<<'ensure: absent'
    user anna is_in_sync <<<'ensure: absent'
    not grep -aq '^anna:' f
    grep -aq '^annabel:' f
}

@test "what Apache's htpasswd wrote is compared; a weak hash is replaced" {
    htpasswd -cbB -C 4 f anna 'open sesame' 2>/dev/null
    cp f before
    user anna is_in_sync <<<'password: open sesame'
    user anna is_in_sync <<<'{password: open sesame, scheme: bcrypt}'
    cmp before f
    for weak in -m -s -d; do
        htpasswd -b $weak f anna 'open s' 2>/dev/null
        user anna converges <<<'{password: open s, cost: 4}'
        grep -q '^anna:[$]2y' f
    done
    htpasswd -bB -C 4 f anna 'open sesame' 2>/dev/null
    user anna converges <<<'{password: open sesame, scheme: sha512}'
    grep -q '^anna:[$]6[$]' f
    accepts anna 'open sesame'
}

# bats test_tags=inline
@test "a hash is written as it is, and shown nowhere" {
    hash=$(htpasswd -nbB -C 4 x 'open sesame' 2>/dev/null | cut -d: -f2)
    user anna run apply -v -v --diff --report report.json <<<"hash: $hash"
    status_is 0
    says_not "$hash"
    not grep -rqF "$hash" "$BATS_TEST_TMPDIR/state" report.json
    is "$(cat f)" "anna:$hash"
    is "$(mode_of f)" 600
    user anna is_in_sync <<<"hash: $hash"
    user anna is_in_sync <<<'password: open sesame'
    user anna converges <<<'hash: "*"'
    is "$(cat f)" 'anna:*'
    not accepts anna '*'
    user anna converges <<<"hash: '{SHA}/sMpzuuR+tKtSsTfE0kLcW0kKPA='"
    run rhost resource htpasswd "$work/f:anna"
    status_is 0
    says 'hash:'
    says_not SHA
}

# bats test_tags=inline
@test "what cannot be right is refused, with the attribute at fault" {
    while IFS='|' read -r attributes said; do
        user anna run apply <<<"$attributes"
        [ "$status" -ne 0 ]
        says "$said"
        [ ! -e f ]
    done <<END
{password: a, hash: '*'}|'password' and 'hash' exclude each other
{password: $(printf 'x%.0s' {1..73})}|bcrypt heeds only the first 72 bytes
{password: $(printf 'x%.0s' {1..512}), scheme: sha512}|password
{password: a, scheme: sha512, cost: 5}|'cost' is for 'scheme: bcrypt'; 'rounds' is for 'sha512'
{password: a, rounds: 5000}|'rounds' is for 'scheme: sha512'
{password: a, cost: 30}|cost
{hash: '*', scheme: sha512}|'hash' is not of the scheme 'sha512'
{hash: not hashed}|hash
{scheme: sha512}|a user who is not in the file yet needs 'password' or 'hash'
END
    one "htpasswd: \"$work/f:a\tb\"" -- run apply <<<'password: a'
    [ "$status" -ne 0 ]
    says 'the name of a user has no control characters'
    htpasswd -cbB -C 4 f anna x 2>/dev/null
    user anna fails "to change the scheme takes 'password'" <<<'scheme: sha256'
    user anna is_in_sync <<<'ensure: present'
}

# To compute the one takes hours, and the other minutes.
@test "a hash that is dearer than those that are made is not computed, and is replaced" {
    for dear in '$2y$31$hMLXqrk.bB3npCDcm0zCTu/G9Wg9aPzu2tvyaFCvb8jxJs8gYkZG.' '$6$rounds=999999999$salt$x'; do
        printf 'anna:%s\n' "$dear" >f
        user anna converges <<<'{password: open sesame, cost: 4}'
        accepts anna 'open sesame'
    done
}

@test "files that cannot be edited are named, and stay" {
    mkdir f
    user anna run apply <<<'{password: a, cost: 4}'
    status_is 4
    says "cannot read '$work/f': Is a directory"
    rmdir f
    mkfifo f
    user anna run apply <<<'{password: a, cost: 4}'
    status_is 4
    says 'it is not a regular file'
    rm f
    ln -s f f
    user anna run apply <<<'{password: a, cost: 4}'
    status_is 4
    says 'Too many levels of symbolic links'
    one "htpasswd: $work/x/f:anna" -- run apply --noop < <(attributes <<<'{password: a, cost: 4}')
    status_is 4
    says "directory '$work/x' does not exist"
    rm f
    printf 'anna:$2y$04$damaged\n' >f
    user anna converges <<<'{password: a, cost: 4}'
    requires_root
    requires_command unshare
    mkdir full
    export RHOST_ISOLATION
    run unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs full && head -c 4096 /dev/zero >full/zeros
printf "resources:\n  - {htpasswd: \"%s/full/f:anna\", password: a, cost: 4}\n" "$PWD" >full.yaml
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full)"
mount -o remount,ro full
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" full.yaml
echo "status $? $(ls -A full)"' sh "$abs_top_builddir/rhost"
    says 'No space left on device'
    says 'Read-only file system'
    is "$(grep -c '^status 4 zeros$' <<<"$output")" 2
}

# bats test_tags=inline
@test "mode and owner stay, and a link that another user made is not followed" {
    requires_root
    printf 'other:x\n' >f
    chown daemon:games f
    chmod 640 f
    setfacl -m u:nobody:r f
    user anna converges <<<'{password: open sesame, cost: 4}'
    is "$(stat -c %U:%G:%a f)" daemon:games:640
    getfacl -c f 2>/dev/null | grep -qx 'user:nobody:r--'
    mkdir theirs
    chmod 777 theirs
    printf 'kept:x\n' >kept
    ln -s "$work/kept" theirs/f
    chown -h nobody theirs theirs/f
    one "htpasswd: $work/theirs/f:anna" -- run apply < <(attributes <<<'{password: a, cost: 4}')
    status_is 4
    says 'unsafe path'
    is "$(cat kept)" 'kept:x'
}

@test "many users of a file are one writing of it" {
    printf 'other:x\n' >f
    {
        echo resources:
        for i in $(seq 1 20); do
            printf '  - {htpasswd: "%s/f:user%s", password: "open %s", cost: 4}\n' "$work" "$i" "$i"
        done
    } >site.yaml
    converges <site.yaml
    is "$(wc -l <f)" 21
    accepts user7 'open 7'
    run rhost undo last
    status_is 0
}

@test "undo with backup: sensitive restores the file" {
    printf 'other:x\nanna:$2y$04$hMLXqrk.bB3npCDcm0zCTu/G9Wg9aPzu2tvyaFCvb8jxJs8gYkZG.\n' >f
    cp f before
    head -c 32 /dev/urandom | base64 -w0 >key
    chmod 600 key
    one "htpasswd: $work/f:anna" -- run apply --backup-key="$work/key" < <(attributes <<<'{password: other, cost: 4, backup: sensitive}')
    status_is 0
    not cmp -s f before
    run rhost undo --backup-key="$work/key" last
    status_is 0
    cmp f before
}
