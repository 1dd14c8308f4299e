#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Publishing in a store that speaks S3: tests/cli/s3.py, which verifies the signatures of requests.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    [ -x "$abs_top_builddir/core/rhost-bundle" ] || skip "built without libcrypto"
    [ -x "$abs_top_builddir/core/rhost-s3" ] || skip "built without libcurl"
    requires_command ssh-keygen
    mkdir site store state
    chmod 700 state
    for key in release rollout; do
        ssh-keygen -q -t ed25519 -N '' -C '' -f "$key"
    done
    printf 'ops namespaces="rhost-bundle" %s\nops namespaces="rhost-channel" %s\n' "$(cat release.pub)" "$(cat rollout.pub)" >signers
    mkfifo ready
    python3 "$abs_top_srcdir/tests/cli/s3.py" "$work/store" "$work/log" >ready 3>&- &
    server=$!
    read -r port <ready
    export AWS_ENDPOINT_URL_S3=http://127.0.0.1:$port AWS_REGION=eu-test-1 AWS_ACCESS_KEY_ID=AKIATEST \
        AWS_SECRET_ACCESS_KEY=secret-of-the-test HOME=$work
    unset AWS_SESSION_TOKEN AWS_PROFILE AWS_SHARED_CREDENTIALS_FILE
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

bundle() {
    "$abs_top_builddir/rhost" bundle "$@"
}

# revision N [CONTENT]
revision() {
    printf 'resources:\n  - file: %s/made\n    content: "%s"\n' "$work" "${2-revision $1}" >site/site.yaml
    bundle make --state-dir state --revision="$1" -o out site >/dev/null 2>&1
    bundle sign "out/r$1.json" --key=release 2>/dev/null
}

publish() {
    run bundle publish --signers=signers "$1" "${2-s3:bucket/site}"
}

puts() {
    grep '^PUT.*200' log | sed 's|.*/bucket/site/||; s| .*||; s|[0-9a-f]\{64\}|ARCHIVE|' | tr '\n' ' '
}

@test "a bundle is published archive first and description last, once, and none is replaced" {
    revision 1
    publish out/r1.json
    status_is 0
    is "$output" 's3:bucket/site/r1.json'
    is "$(puts)" 'ARCHIVE.tar.zst r1.json.sig r1.json '
    diff -r out store/bucket/site
    publish out/r1.json s3:bucket/site/
    status_is 0
    is "$(puts)" 'ARCHIVE.tar.zst r1.json.sig r1.json r1.json.sig '
    rm -r out
    revision 1 other
    cp -R store before
    publish out/r1.json
    status_is 1
    says "'s3:bucket/site/r1.json' is there already, and is another bundle"
    diff -r before store
    # What was published is what a machine applies.
    run rhost apply --signers=signers store/bucket/site/r1.json
    status_is 0
    is "$(cat made)" 'revision 1'
}

@test "of two that publish one revision at once, the second is refused" {
    revision 1
    mkdir -p store/bucket/site
    echo '{}' >store/race-r1.json
    publish out/r1.json
    status_is 1
    says "'s3:bucket/site/r1.json' is there already, and is another bundle"
    is "$(cat store/bucket/site/r1.json)" '{}'
}

@test "a store that fails leaves no description of what is not whole, and the next try ends it" {
    revision 1
    for name in "$(json out/r1.json 'd["sha256"]').tar.zst" r1.json.sig r1.json; do
        echo 503 >"store/fail-PUT-$name"
        publish out/r1.json
        status_is 1
        says "status 503 for 'bucket/site/$name': slow down"
        [ ! -e store/bucket/site/r1.json ]
    done
    publish out/r1.json
    status_is 0
    diff -r out store/bucket/site
}

@test "a channel comes after what it names, with a higher serial, and only in the place of the one that was compared" {
    revision 1
    revision 2
    publish out/r1.json
    bundle channel --signers=signers --key=rollout out --to=1 >/dev/null
    publish out/channel.json
    status_is 0
    is "$output" 's3:bucket/site/channel.json'
    cp out/channel.json* .
    bundle channel --signers=signers --key=rollout out --to=2 >/dev/null
    publish out/channel.json
    status_is 1
    says 'publish revision 2 first'
    diff channel.json store/bucket/site/channel.json
    publish out/r2.json
    # Another operator is quicker between the comparison and the PUT.
    sed 's/"serial": 1/"serial": 9/' channel.json >store/race-channel.json
    publish out/channel.json
    status_is 1
    says 'was replaced by somebody else meanwhile'
    json_is store/bucket/site/channel.json 'd["serial"]' 9
    publish out/channel.json
    status_is 1
    says 'has serial 9, and this one has 2'
    cp channel.json store/bucket/site/
    publish out/channel.json
    status_is 0
    diff out/channel.json store/bucket/site/channel.json
    diff out/channel.json.sig store/bucket/site/channel.json.sig
    sed -i 's/"percent": 100/"percent": 99/' out/channel.json
    publish out/channel.json
    status_is 1
    says 'the signature'
}

@test "credentials come from the environment or a file of their owner, and are in no argument and no output" {
    revision 1
    AWS_SECRET_ACCESS_KEY=wrong-secret-of-mine publish out/r1.json
    status_is 1
    says "status 403 for 'bucket/site/r1.json': the signature does not match"
    says_not wrong-secret-of-mine
    unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    publish out/r1.json
    status_is 1
    says 'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or make'
    mkdir .aws
    printf '[default]\naws_access_key_id = AKIATEST\naws_secret_access_key = wrong-secret-of-mine\n\n[deploy]\naws_access_key_id=AKIATEST\n  aws_secret_access_key = secret-of-the-test\naws_session_token=token-of-the-test\n' >.aws/credentials
    chmod 644 .aws/credentials
    publish out/r1.json
    status_is 1
    says "other users have access to '$PWD/.aws/credentials', which may have a secret: its mode must be 0600"
    chmod 600 .aws/credentials
    publish out/r1.json
    status_is 1
    says_not wrong-secret-of-mine
    # Each program that is started, with its arguments.
    AWS_PROFILE=deploy run strace -f -qq -e trace=execve -s 4000 -o trace "$abs_top_builddir/rhost" bundle publish --signers=signers out/r1.json s3:bucket/site
    status_is 0
    grep -q rhost-s3 trace
    not grep -q 'secret-of-the-test\|token-of-the-test\|AKIATEST' trace
    says_not secret-of-the-test
    diff -r out store/bucket/site
}

@test "what cannot be a store is refused" {
    revision 1
    for to in s3: s3:b/site s3:bucket/../x s3:bucket//x 's3:bucket/a?b' s3:Bucket@x/y 's3:bucket/a b'; do
        publish out/r1.json "$to"
        status_is 1
    done
    for endpoint in http://192.0.2.1:9000 ftp://localhost http://localhost.example.org 'https://user@host'; do
        AWS_ENDPOINT_URL_S3=$endpoint publish out/r1.json
        status_is 1
        says 'the endpoint of the store must be https://HOST, or http:// to this machine'
    done
    AWS_ENDPOINT_URL_S3=http://127.0.0.1:1 publish out/r1.json
    status_is 1
    says 'cannot reach the store'
    AWS_REGION=us-east-1 publish out/r1.json
    status_is 1
    says 'unknown key, region or service'
}
