#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Beside a server with the API that Vault documents (server.py).
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    requires_command python3 jq
    (umask 077; printf 'root-token\n' >token; printf role-id-9 >role; printf secret-id-9 >secret)
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

# server.py, with more arguments; `at` is how it is reached.
serve() {
    : >port.log
    python3 "$abs_top_srcdir/plugins/vault/server.py" "$work/port" "$@" >ready 2>/dev/null 3>&- &
    server=$!
    until [ -s ready ]; do
        kill -0 "$server"
        sleep 0.02
    done
    at="address = \"http://127.0.0.1:$(cat port)\", token_file = \"$work/token\""
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
    if [[ $output =~ (pw-|root-token|secret-id-|login-token) ]]; then
        echo "a secret is in: $output"
        return 1
    fi
}

gives() {
    applies "$1"
    status_is 0
    is "$(cat out1)" "$2"
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

asked() {
    jq -c "select($1)" port.log | wc -l
}

@test "secrets of KV 2: all of it, a field, a version; and nil for what is not there" {
    serve
    applies "json(lookup('vault', 'secret/app/db', {$at}))" "lookup('vault', 'secret/app/db', 'password', {$at})" \
        "lookup('vault', 'secret/app/db', {field = 'password', version = 1, $at})" \
        "lookup('vault', 'secret/a b/ü', {field = 'k', $at})" \
        "lookup('vault', 'team/kv/x', {field = 'k', mount = 'team/kv', $at})" \
        "default(lookup('vault', 'secret/none', {$at}), 'none')" \
        "default(lookup('vault', 'secret/gone', {$at}), 'deleted')" \
        "default(lookup('vault', 'secret/app/db', {version = 9, $at}), 'none')" \
        "lookup('vault', 'secret/x', {namespace = 'ops', field = 'k', $at})"
    status_is 0
    is "$(jq -c . out1)" '{"user":"app","password":"pw-second-9","port":5432}'
    is "$(cat out2 out3 out4)" pw-second-9pw-first-9pw-encoded-9
    is "$(cat out5 out6 out7 out8 out9)" pw-nested-9nonedeletednonepw-space-9
    [ "$(asked '.path == "/v1/secret/data/a%20b/%C3%BC"')" -eq 1 ]
    run grep -rE '(pw|root-token)-' "$BATS_TEST_TMPDIR/state" report.json
    status_is 1
}

@test "secrets of KV 1" {
    serve
    gives "lookup('vault', 'old/app/db', {field = 'password', kv = 1, $at})" pw-old-9
    gives "default(lookup('vault', 'old/none', {kv = 1, $at}), 'none')" none
    fails "lookup('vault', 'old/app/db', {$at})" "'old/app/db' is not of KV 2: its answer has no metadata: use 'kv: 1'"
    fails "lookup('vault', 'secret/app/db', {kv = 1, $at})" "has nothing at 'secret/app/db' \(status 404\): Invalid path for a versioned K/V secrets engine.*: use 'kv: 2'"
}

@test "AppRole logs in once in a run" {
    serve
    at="address = \"http://127.0.0.1:$(cat port)\", role_id_file = \"$work/role\", secret_id_file = \"$work/secret\""
    applies "lookup('vault', 'secret/app/db', 'password', {$at})" "lookup('vault', 'secret/app/db', 'user', {$at})" \
        "lookup('vault', 'secret/app/db', 'password', {$at})"
    status_is 0
    is "$(cat out1 out2 out3)" pw-second-9apppw-second-9
    [ "$(asked '.method == "POST"')" -eq 1 ]
    [ "$(asked '.method == "GET"')" -eq 2 ]
    [ "$(asked '.token == "login-token-9"')" -eq 2 ]
    echo secret-id-false-9 >secret
    fails "lookup('vault', 'secret/app/db', {$at})" "refuses the request for 'auth/approle/login' \(status 400\): \[redacted\]"
    fails "lookup('vault', 'secret/app/db', {role_mount = 'no', $at})" "refuses the request for 'auth/no/login' \(status 400\): missing client token"
}

@test "TLS: the server's certificate must be signed by the file of 'ca'" {
    requires_command openssl
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 2>/dev/null
    serve "$work/cert" "$work/key"
    at="address = \"https://127.0.0.1:$(cat port)/\", token_file = \"$work/token\""
    gives "lookup('vault', 'secret/app/db', 'user', {ca = '$work/cert', $at})" app
    fails "lookup('vault', 'secret/app/db', {$at})" "cannot ask 'https://127.0.0.1:[0-9]+': .*certificate"
    fails "lookup('vault', 'secret/app/db', {ca = '$work/none', $at})" "cannot read '$work/none': No such file"
    fails "lookup('vault', 'secret/app/db', {ca = '$work/cert', ${at/https/http}})" "cannot ask 'http://127.0.0.1:[0-9]+': "
}

@test "what the server refuses is said, without a secret" {
    serve
    fails "lookup('vault', 'secret/denied/x', {$at})" "refuses 'secret/denied/x' \(status 403\): permission denied: the token"
    fails "lookup('vault', 'no/x', {$at})" "has nothing at 'no/x' \(status 404\): no handler for route"
    fails "lookup('vault', 'secret/app/db', 'pasword', {$at})" "the secret 'secret/app/db' has no field 'pasword'"
    echo false-token-9 >token
    fails "lookup('vault', 'secret/app/db', {$at})" "status 403\): permission denied, invalid token: the token is not valid there"
    echo root-token >token
    : >port.sealed
    fails "lookup('vault', 'secret/app/db', {$at})" "it is sealed, or in maintenance \(status 503\): Vault is sealed"
    mv port.sealed port.busy
    fails "lookup('vault', 'secret/app/db', {$at})" 'too many requests \(status 429\): request path .* rate limit quota exceeded: try again later'
    mv port.busy port.standby
    fails "lookup('vault', 'secret/app/db', {$at})" 'redirects to another server \(status 307\), which is not followed'
    rm port.standby
    for text in '<html>' '{}' '{"data": {"metadata": {}, "data": ["pw-x-9"]}}'; do
        printf %s "$text" >port.broken
        fails "lookup('vault', 'secret/app/db', {$at})" "has no data: it is not that of KV 2|is not of KV 2"
    done
    kill "$server"
    fails "lookup('vault', 'secret/app/db', {$at})" "cannot ask 'http://127.0.0.1:[0-9]+': "
}

@test "files of secrets must be those of a trusted user" {
    serve
    chmod 664 token
    fails "lookup('vault', 'secret/app/db', {$at})" "others can write to '$work/token': run 'chmod go-w' on it"
    chmod 600 token
    printf 'root-token\nmore\n' >token
    fails "lookup('vault', 'secret/app/db', {$at})" "'$work/token' must have one line of printable ASCII characters"
    : >token
    fails "lookup('vault', 'secret/app/db', {$at})" "'$work/token' is empty"
    rm token
    fails "lookup('vault', 'secret/app/db', {$at})" "cannot read '$work/token': No such file"
    mkdir token
    fails "lookup('vault', 'secret/app/db', {$at})" "'$work/token' is not a regular file"
    fails "lookup('vault', 'secret/app/db')" "one of 'token_file' and 'role_id_file' is needed"
    fails "lookup('vault', 'secret/app/db', {role_id_file = '$work/role', $at})" "'token_file' and 'role_id_file' exclude each other"
    fails "lookup('vault', 'secret/app/db', {secret_id_file = '$work/secret', $at})" "'secret_id_file' needs 'role_id_file'"
    fails "lookup('vault', 'secret/x', {address = 'http://vault.example.org:8200', token_file = '$work/token'})" "would show the token to whoever is on the way"
    fails "lookup('vault', 'secret/../sys/x', {$at})" "'.' and '..' cannot be parts of a path"
    fails "lookup('vault', 'secret/x', {role_mount = '../sys', role_id_file = '$work/role'})" "'.' and '..' cannot be parts of a path"
    fails "lookup('vault', 'secret/x', {mount = 'team', $at})" "the path 'secret/x' must begin with the mount, 'team/'"
    fails "lookup('vault', 'old/x', {kv = 1, version = 1, $at})" "'version' needs KV 2"
    [ ! -s port.log ]
}

@test "validate asks nothing" {
    serve
    printf 'resources:\n  - file: /tmp/x\n    content: ${lookup("vault", "secret/app/db", "password", {%s})}\n' "$at" >site.yaml
    run rhost validate site.yaml
    status_is 0
    [ ! -s port.log ]
    sed -i 's|secret/app/db|secret|' site.yaml
    run rhost validate site.yaml
    status_is 1
    says "parameter 'path' of lookup 'vault'"
}

@test "rhost check has nothing to say" {
    run rhost check --seed=1 "$abs_top_builddir/plugins/.libs/vault.so" --fixture "$abs_top_srcdir/plugins/vault/vault.fixture.yaml"
    status_is 0
}
