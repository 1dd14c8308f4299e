#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Beside the server of the tests of http_request.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    requires_command python3 jq
    (umask 077; printf 'secret-token\n' >token)
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

# The server, with more arguments; $url is how it is reached.
serve() {
    : >port.log
    python3 "$abs_top_srcdir/plugins/http_request/server.py" "$work/port" "$@" >ready 2>/dev/null 3>&- &
    server=$!
    until [ -s ready ]; do
        kill -0 "$server"
        sleep 0.02
    done
    url=http://127.0.0.1:$(cat port)
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
    says_not secret-token
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

@test "an answer as text, lines, JSON and bytes; nil for what is not there" {
    serve
    python3 -c 'import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], sys.argv[2].encode(), method="PUT"))' \
        "$url/items/j" '{"a": [1, 2.5, null, "ü"]}'
    applies "lookup('http', '$url/status/200')" "join(lookup('http', '$url/status/200', 'lines'), '|')" \
        "json(lookup('http', '$url/items/j', 'json'))" "lookup('http', '$url/bytes')" \
        "default(lookup('http', '$url/items/none'), 'none')" "default(lookup('http', '$url/status/410'), 'gone')"
    status_is 0
    is "$(cat out1)" $'the answer of status 200\nmore'
    is "$(cat out2)" 'the answer of status 200|more'
    jq -e '. == {a: [1, 2.5, null, "ü"]}' out3
    is "$(od -An -tx1 out4 | tr -d ' \n')" ff00fe
    is "$(cat out5 out6)" nonegone
}

@test "tokens and headers come from files, and go to no other host" {
    serve
    printf '# who we are\nX-Key: secret-token\r\n\nX-Empty:\n' >headers
    applies "lookup('http', '$url/private/', {token_file = '$work/token'})" \
        "lookup('http', '$url/status/200', {header_file = '$work/headers'})" \
        "lookup('http', '$url/redirect/private/', {token_file = '$work/token', redirects = 1})"
    status_is 0
    is "$(cat out1)" welcome
    [ "$(jq -c 'select(.headers["x-key"] == "secret-token")' port.log | wc -l)" -eq 1 ]
    fails "lookup('http', '$url/status/200', {header_file = '$work/headers', redirects = 1})" \
        "redirects are not followed with 'header_file'"
    for host in example.org 127.0.0.1.example.org '[::1' '[::2]'; do
        fails "lookup('http', 'http://$host/', {token_file = '$work/token'})" "'token_file' with 'http' would show the secret"
    done
    printf 'X-Key secret-token\n' >headers
    fails "lookup('http', '$url/status/200', {header_file = '$work/headers'})" "'$work/headers': line 1 is not a header: write"
    printf 'A: b\nX Key: secret-token\n' >headers
    fails "lookup('http', '$url/status/200', {header_file = '$work/headers'})" "'$work/headers': line 2 is not a header"
    chmod 622 headers
    fails "lookup('http', '$url/status/200', {header_file = '$work/headers'})" "others can write to '$work/headers'"
    fails "lookup('http', '$url/status/200', {header_file = '$work/none'})" "cannot read '$work/none': No such file"
}

@test "an answer with another digest, or one that is larger, is refused" {
    serve
    local sum
    sum=$(printf 'the answer of status 200\nmore\n' | sha256sum | cut -d' ' -f1)
    applies "lookup('http', '$url/status/200', {sha256 = '${sum^^}', most = 30})"
    status_is 0
    fails "lookup('http', '$url/status/201', {sha256 = '$sum'})" "the answer has the SHA-256 [0-9a-f]{64}, expected $sum"
    fails "lookup('http', '$url/status/201', {secret = true, sha256 = '$sum'})" "the answer has another SHA-256 than $sum"
    fails "lookup('http', '$url/status/200', {most = 29})" 'the answer is larger than 29 bytes'
    fails "lookup('http', '$url/endless')" 'the answer is larger than 1048576 bytes'
}

@test "what fails says why" {
    serve
    fails "lookup('http', '$url/status/500')" "GET '$url/status/500' was answered with status 500"
    fails "lookup('http', '$url/private/')" 'was answered with status 401'
    fails "lookup('http', '$url/redirect/items/x')" 'was answered with status 302'
    fails "lookup('http', '$url/away/file', {redirects = 3})" 'redirects to a URL that is not followed'
    fails "lookup('http', '$url/hang', {timeout = 1})" 'timed out after 1 s'
    fails "lookup('http', '$url/half')" 'closed the connection in the middle of its answer'
    fails "lookup('http', '$url/head')" 'closed the connection in the middle of its answer'
    fails "lookup('http', '$url/garbage')" "cannot get '$url/garbage': "
    fails "lookup('http', '$url/status/200', 'json')" "the answer of '$url/status/200' cannot be read as JSON: it is not JSON: line 1"
    fails "lookup('http', '$url/bytes', 'lines')" "is not UTF-8 text without NUL characters, which 'lines' needs"
    fails "lookup('http', 'http://127.0.0.1:1/')" "cannot get 'http://127.0.0.1:1/': "
    fails "lookup('http', 'ftp://127.0.0.1/')" "parameter 'url'"
    fails "lookup('http', 'http://me:secret@127.0.0.1/')" "parameter 'url'"
}

@test "TLS: the server's certificate must be signed by the file of 'ca'" {
    requires_command openssl
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 2>/dev/null
    serve "$work/cert" "$work/key"
    url=${url/http/https}
    applies "lookup('http', '$url/status/200', {ca = '$work/cert'})"
    status_is 0
    fails "lookup('http', '$url/status/200')" "cannot get '$url/status/200': .*certificate"
    if [ "$(id -u)" -eq 0 ]; then
        mkdir third
        cp cert token third
        chown daemon third
        fails "lookup('http', '$url/status/200', {ca = '$work/third/cert'})" "cannot use '$work/third/cert': .*its owner is user"
        fails "lookup('http', '$url/status/200', {ca = '$work/cert', token_file = '$work/third/token'})" "cannot use '$work/third/token': .*its owner is user"
        chmod 664 third/cert
        fails "lookup('http', '$url/status/200', {ca = '$work/third/cert'})" "as root, it must belong to root, and nobody else may write to it"
    fi
    : >empty
    fails "lookup('http', '$url/status/200', {ca = '$work/empty'})" "'$work/empty' is empty: it must have certificates"
}

@test "a secret answer is shown nowhere" {
    serve
    applies "lookup('http', '$url/status/200', {secret = true})"
    status_is 0
    says_not 'the answer of'
    run grep -r 'the answer of' "$BATS_TEST_TMPDIR/state" report.json
    status_is 1
}

@test "the same question is asked once in a run, and validate asks nothing" {
    serve
    applies "lookup('http', '$url/status/200')" "lookup('http', '$url/status/200', 'text')"
    status_is 0
    [ "$(wc -l <port.log)" -eq 1 ]
    : >port.log
    run rhost validate site.yaml
    status_is 0
    [ ! -s port.log ]
}

@test "rhost check has nothing to say" {
    run rhost check --seed=1 "$abs_top_builddir/plugins/.libs/http.so" --fixture "$abs_top_srcdir/plugins/http/http.fixture.yaml"
    status_is 0
}
