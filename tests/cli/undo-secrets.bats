#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Sensitive values that are kept, encrypted, so that their change can be undone. See docs/guides/undo.md.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/scratch.bash"

setup() {
    work_open
    "$abs_top_builddir/rhost" apply --backup-key="$work/missing" /dev/null 2>&1 | grep -q 'built without libsodium' \
        && skip "this rhost was built without libsodium"
    head -c 32 /dev/urandom | base64 >key
    chmod 0600 key
}

teardown() {
    scratch_close
}

# The file in the manifest, with this content.
wanted() {
    manifest <<END
resources:
  - file: $work/secret
    content: "$1"
    sensitive: content
    mode: "0600"
    backup: sensitive
END
}

# From hush-one to hush-two.
changed() {
    local content

    for content in hush-one hush-two; do
        wanted "$content"
        run rhost apply --backup-key=key site.yaml
        status_is 0
    done
}

# None of these texts is in the state directory, in clear, in base64 or in hexadecimal.
nowhere() {
    local text

    for text; do
        run grep -rlF -e "$text" -e "$(printf %s "$text" | base64)" -e "$(printf %s "$text" | od -An -tx1 | tr -d ' \n')" "$BATS_TEST_TMPDIR/state"
        status_is 1
    done
}

@test "a sensitive value is restored, and its undo is undone" {
    changed
    nowhere hush-one hush-two
    for format in text json; do
        run rhost undo --noop --diff --format=$format --backup-key=key last
        status_is 0
        says_not hush
    done
    run rhost undo --diff --backup-key=key last
    status_is 0
    says_not hush
    [ "$(cat secret)" = hush-one ]
    run rhost undo --backup-key=key last
    status_is 0
    says_not hush
    [ "$(cat secret)" = hush-two ]
    nowhere hush-one hush-two
    run rhost show --diff last
    says_not hush
    run rhost history "file[$work/secret]"
    says_not hush
}

@test "without its key nothing is restored, and nothing else either" {
    wanted hush-one
    printf '  - file: %s/plain\n    content: one\n' "$work" >>site.yaml
    run rhost apply --backup-key=key site.yaml
    status_is 0
    wanted hush-two
    printf '  - file: %s/plain\n    content: two\n' "$work" >>site.yaml
    run rhost apply --backup-key=key site.yaml
    status_is 0
    run rhost undo last
    status_is 1
    says "file[$work/secret]: 'content' cannot be restored: it is encrypted; nothing was changed"
    says '--backup-key=FILE'
    head -c 32 /dev/urandom | base64 >other
    chmod 0600 other
    run rhost undo --backup-key=other last
    status_is 1
    says "it was encrypted with another key; nothing was changed"
    [ "$(cat plain)" = two ]
    run rhost undo --backup-key=none last
    says "'content' cannot be restored: it is encrypted, and its key is lost"
    [ "$(cat plain)" = one ]
    [ "$(cat secret)" = hush-two ]
}

@test "a run without the key is refused before it changes anything" {
    wanted hush-one
    run rhost apply site.yaml
    status_is 1
    says "'backup: sensitive' needs a key"
    says 'site.yaml:2:5'
    [ ! -e secret ]
    run rhost apply --noop site.yaml
    status_is 0
    run rhost apply --no-backup site.yaml
    status_is 0
    wanted hush-two
    run rhost apply --backup-key=none site.yaml
    status_is 0
    run rhost undo last
    says "'content' cannot be restored: it was not kept: it is sensitive"
    [ "$(cat secret)" = hush-two ]
}

@test "a key that is not good is refused with the reason" {
    wanted hush-one
    for case in 'short:it has 5 bytes' 'readable:group or others have access' 'dir:it is not a regular file' \
        'away:No such file' 'fifo:it is not a regular file'; do
        rm -rf short readable dir fifo
        printf 'short' >short
        head -c 40 /dev/zero >readable
        mkdir dir
        mkfifo fifo
        chmod 0600 short fifo
        chmod 0640 readable
        run rhost apply --backup-key="${case%%:*}" site.yaml
        status_is 1
        says "${case%%:*}"
        says 'nothing was changed'
        [ "${case%%:*}" = short ] && says 'must have at least 32' || says "${case#*:}"
        [ ! -e secret ]
    done
}

@test "a key has at least 32 bytes and at most 64 KiB, without the newlines behind it" {
    head -c 32 /dev/urandom | base64 | head -c 32 >32
    chmod 0600 32
    mv 32 key
    changed
    printf '\n\n' >>key
    run rhost undo --backup-key=key last
    status_is 0
    [ "$(cat secret)" = hush-one ]
    for size in 31 65537; do
        head -c "$size" /dev/zero | tr '\0' k >key
        rm -f secret
        run rhost apply --backup-key=key site.yaml
        status_is 1
        says "'key'"
        says 'nothing was changed'
        [ ! -e secret ]
    done
    head -c 31 /dev/zero | tr '\0' k >key
    printf '\n' >>key
    run rhost apply --backup-key=key site.yaml
    status_is 1
    says "the key 'key' has 31 bytes, and must have at least 32"
    head -c 65536 /dev/zero | tr '\0' k >key
    run rhost apply --backup-key=key site.yaml
    status_is 0
}

@test "a key that anybody else has access to is refused" {
    wanted hush-one
    for mode in 0640 0620 0610 0604 0602 0601; do
        chmod "$mode" key
        run rhost apply --backup-key=key site.yaml
        status_is 1
        says "cannot use 'key' as a key: group or others have access to it: 'chmod 0600' the file"
        [ ! -e secret ]
    done
}

@test "a key that others can replace is refused" {
    requires_root
    wanted hush-one
    mkdir open
    cp key open/key
    chmod 0777 open
    run rhost apply --backup-key=open/key site.yaml
    status_is 1
    says "cannot use 'open/key' as a key"
    chmod 0755 open
    chown 65534 open/key
    run rhost apply --backup-key=open/key site.yaml
    status_is 1
    says 'another user owns it'
}

@test "what was encrypted and is damaged is not restored" {
    changed
    file=$(find "$BATS_TEST_TMPDIR/state/content" -type f -links +1 | head -n 1)
    damage "$file" 30
    run rhost undo --backup-key=key last
    says 'was damaged: its digest does not match'
    [ "$(cat secret)" = hush-two ]
}

@test "encrypted values of one resource are no values of another one" {
    changed
    journal=$(ls "$BATS_TEST_TMPDIR/state"/runs/*.jsonl | tail -n 1)
    sed -i "s|$work/secret|$work/public|g" "$journal"
    printf hush-two >public
    run rhost undo --backup-key=key last
    status_is 1
    says 'it was encrypted with another key'
    run rhost undo --force=all --backup-key=key last
    status_is 4
    [ "$(cat public)" = hush-two ]
}

@test "a removed file with a secret comes back" {
    wanted hush-one
    run rhost apply --backup-key=key site.yaml
    status_is 0
    manifest <<END
resources:
  - file: $work/secret
    ensure: absent
    content: hush-one
    sensitive: content
    backup: sensitive
END
    run rhost apply --backup-key=key site.yaml
    status_is 0
    [ ! -e secret ]
    run rhost undo --backup-key=key last
    status_is 0
    [ "$(cat secret)" = hush-one ]
    [ "$(stat -c %a secret)" = 600 ]
}

@test "a file with a secret in one of its lines is restored" {
    for text in hush-one hush-two; do
        printf 'first\n' >old
        [ -e conf ] || printf 'first\npassword = none\nlast\n' >conf
        chmod 0600 conf
        cp -p conf before
        manifest <<END
resources:
  - line: password
    path: $work/conf
    text: password = $text
    match: '^password ='
    sensitive: text
    backup: sensitive
END
        run rhost apply --backup-key=key site.yaml
        status_is 0
    done
    nowhere hush-one hush-two
    run rhost undo --backup-key=key last
    status_is 0
    says_not hush
    cmp conf before
}

@test "a failed run restores a secret with --rollback-on-failure" {
    wanted hush-one
    run rhost apply --backup-key=key site.yaml
    status_is 0
    wanted hush-two
    printf '  - exec: [/bin/false]\n' >>site.yaml
    run rhost apply --rollback-on-failure --backup-key=key --report=report.json site.yaml
    status_is 4
    [ "$(cat secret)" = hush-one ]
    run grep -c hush report.json
    status_is 1
    nowhere hush-one hush-two
}

@test "an account gets its password back" {
    scratch_open
    in_scratch useradd -p '$6$salt$hush-password-one' alice
    manifest <<'END'
resources:
  - user: alice
    ensure: absent
    backup: sensitive
END
    run rhost apply --backup-key=key site.yaml
    status_is 0
    run rhost undo --backup-key=key last
    status_is 0
    says_not hush
    run in_scratch grep -c '^alice:$6$salt$hush-password-one:' /etc/shadow
    status_is 0
    nowhere hush-password-one
}

@test "the key may be a credential of systemd-creds" {
    [ -x /usr/bin/systemd-creds ] || skip "no systemd-creds here"
    scratch_open
    in_scratch mount -t tmpfs none /var/lib/systemd
    in_scratch systemd-creds encrypt --with-key=host --name=key.cred key key.cred
    wanted hush-one
    run rhost apply --backup-key=key.cred site.yaml
    status_is 0
    wanted hush-two
    run rhost apply --backup-key=key.cred site.yaml
    status_is 0
    run rhost undo --backup-key=key last
    status_is 0
    [ "$(cat secret)" = hush-one ]
    printf 'nonsense' >broken.cred
    run rhost undo --backup-key=broken.cred last
    status_is 1
    says "cannot decrypt credential 'broken.cred'"
}

@test "backup takes three words" {
    manifest <<END
resources:
  - file: $work/a
    backup: secret
  - file: $work/b
    backup: 3
END
    run rhost validate site.yaml
    status_is 1
    says "backup must not be 'secret'"
    says "backup must be a boolean or 'sensitive', not an integer"
    says "write 'true', 'false' or 'sensitive'"
}
