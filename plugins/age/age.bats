#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    requires_command age age-keygen
    (umask 077; age-keygen -o key 2>said; age-keygen -o other 2>/dev/null)
    recipient=$(sed 's/.*: //' said)
}

# encrypt FILE [OPTION...]: what is on standard input
encrypt() {
    age "${@:2}" -r "$recipient" -o "$1"
}

# applies EXPRESSION...: a file for each, out1 and so on.
applies() {
    local i=0 e
    echo resources: >site.yaml
    for e; do
        printf '  - file: %s/out%d\n    mode: "600"\n    content: ${%s}\n' "$work" $((++i)) "$e" >>site.yaml
    done
    rm -f out*
    run rhost apply --debug --report=report.json site.yaml
    says_not s3cret
    says_not AGE-SECRET-KEY
}

# fails EXPRESSION REGEX
fails() {
    applies "$1"
    status_is 1
    [[ $output =~ $2 ]] || {
        echo "output lacks '$2': $output"
        return 1
    }
}

@test "a file is decrypted, binary or armored, as text, JSON, lines and bytes" {
    echo s3cret-text | encrypt text
    echo '{"password": "s3cret-json"}' | encrypt json -a
    printf 's3cret-a\ns3cret-b\n' | encrypt lines
    printf '\377\000' | encrypt bytes
    applies "lookup('age', '$work/text', '$work/key')" "lookup('age', '$work/json', '$work/key', 'json').password" \
        "join(lookup('age', '$work/lines', '$work/key', {format = 'lines'}), '|')" "lookup('age', '$work/bytes', '$work/key')"
    status_is 0
    is "$(cat out1)" s3cret-text
    is "$(cat out2)" s3cret-json
    is "$(cat out3)" 's3cret-a|s3cret-b'
    is "$(od -An -tx1 out4 | tr -d ' \n')" ff00
    run grep -rE 's3cret|AGE-SECRET' "$BATS_TEST_TMPDIR/state" report.json
    status_is 1
}

@test "the key of SSH is an identity, too" {
    requires_command ssh-keygen
    ssh-keygen -q -t ed25519 -N '' -f ssh
    echo s3cret-ssh | age -R ssh.pub -o text
    applies "lookup('age', '$work/text', '$work/ssh')"
    status_is 0
    is "$(cat out1)" s3cret-ssh
}

@test "what fails says why" {
    echo s3cret | encrypt good
    fails "lookup('age', '$work/good', '$work/other')" "cannot decrypt '$work/good': no identity matched any of the recipients"
    fails "lookup('age', '$work/none', '$work/key')" "cannot read '$work/none': No such file"
    fails "lookup('age', '$work/good', '$work/none')" "cannot read '$work/none': No such file"
    head -c 100 good >cut
    fails "lookup('age', '$work/cut', '$work/key')" "cannot decrypt '$work/cut': "
    { cat good; echo more; } >longer
    fails "lookup('age', '$work/longer', '$work/key')" "cannot decrypt '$work/longer': "
    echo 'plain text' >plain
    fails "lookup('age', '$work/plain', '$work/key')" "cannot decrypt '$work/plain': failed to read header"
    : >empty
    fails "lookup('age', '$work/empty', '$work/key')" "'$work/empty' is empty"
    fails "lookup('age', '$work/good', '$work/empty')" "'$work/empty' is empty"
    chmod 600 plain
    fails "lookup('age', '$work/good', '$work/plain')" "cannot decrypt '$work/good': "
    chmod 640 key
    fails "lookup('age', '$work/good', '$work/key')" "others can read the identity '$work/key': run 'chmod 600' on it"
    chmod 620 key
    fails "lookup('age', '$work/good', '$work/key')" "others can write to '$work/key'"
    chmod 600 key
    fails "lookup('age', '$work', '$work/key')" "cannot read '$work': Is a directory"
    echo 'not JSON s3cret' | encrypt json
    fails "lookup('age', '$work/json', '$work/key', 'json')" "what '$work/json' has cannot be read as JSON: it is not JSON"
    fails "lookup('age', 'good', '$work/key')" "parameter 'path'"
}

@test "a program that cannot be executed is named" {
    requires_root
    unshare -m true 2>/dev/null || skip "needs a mount namespace of its own"
    echo s3cret | encrypt good
    printf 'resources:\n  - file: %s/out\n    content: ${lookup("age", "%s/good", "%s/key")}\n' "$work" "$work" "$work" >site.yaml
    run unshare -m sh -c 'mount --bind /dev/null "$(command -v age)" && exec "$@"' sh "$abs_top_builddir/rhost" apply --state-dir state site.yaml
    status_is 1
    says "lookup 'age': cannot execute 'age': Permission denied"
}

@test "validate decrypts nothing" {
    printf 'resources:\n  - file: /tmp/x\n    content: ${lookup("age", "/no/such/file", "/no/such/key")}\n' >site.yaml
    run rhost validate site.yaml
    status_is 0
}

@test "rhost check has nothing to say" {
    run rhost check --seed=1 "$abs_top_builddir/plugins/.libs/age.so" --fixture "$abs_top_srcdir/plugins/age/age.fixture.yaml"
    status_is 0
}
