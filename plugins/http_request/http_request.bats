#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One resource, whose attributes stand on standard input; $where is how the server is reached.
request() {
    one 'http_request: it' "${where[@]}" -- "$@"
}

setup() {
    work_open
    requires_command python3
    where=()
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

# server.py at $work/NAME, with more arguments; it writes down what it is asked.
serve() {
    : >"$1.log"
    : >ready
    python3 "$abs_top_srcdir/plugins/http_request/server.py" "$work/$1" "${@:2}" >ready 2>/dev/null 3>&- &
    server=$!
    until [ -s ready ]; do
        kill -0 "$server"
        sleep 0.02
    done
}

serve_socket() {
    serve socket
    where=("socket: $work/socket")
}

serve_port() {
    serve port "$@"
    port=$(cat port)
}

# How many requests there were that jq selects so.
asked() {
    jq -c "select($1)" "$work/${2:-socket}.log" | wc -l
}

# It fails with this message.
refuses() {
    request run apply
    [ "$status" -ne 0 ]
    says "$1"
}

# bats test_tags=inline
@test "a request is sent when its check says so, and then it is done" {
    serve_socket
    request converges <<'END'
url: http://localhost/items/a
method: PUT
body: "hello\n"
headers: {X-Name: a value, X-Empty: ""}
check: {text: ^hello$}
END
    [ "$(asked '.method == "PUT"')" -ge 1 ]
    jq -se 'map(select(.method == "PUT"))[0] | .body == "hello\n" and .headers["x-name"] == "a value" and .headers["x-empty"] == ""
        and .headers["content-type"] == null and .headers.expect == null and .headers["content-length"] == "6"' socket.log
    # The check is a GET, without the body.
    jq -se 'map(select(.method == "GET"))[0] | .body == "" and .path == "/items/a"' socket.log
}

@test "a value is sent as JSON" {
    serve_socket
    request run apply --detailed-exitcodes <<'END'
url: http://localhost/items/a
method: POST
json: {a: [1, 2.5, true, null], "b\"": ü}
END
    status_is 2
    jq -se '.[0] | (.body | fromjson) == {"a": [1, 2.5, true, null], "b\"": "ü"} and .headers["content-type"] == "application/json"' socket.log
    request run apply --detailed-exitcodes <<'END'
url: http://localhost/items/a
method: POST
json: [1]
headers: {content-type: application/vnd.x+json}
END
    status_is 2
    jq -se '.[1] | .body == "[1]" and .headers["content-type"] == "application/vnd.x+json"' socket.log
}

@test "without a check a POST is sent in each run, and a dry run sends none" {
    serve_socket
    for n in 1 2; do
        request run apply --detailed-exitcodes <<<$'url: http://localhost/items/a\nmethod: POST'
        status_is 2
        says 'needed → done'
        [ "$(asked '.method == "POST"')" -eq "$n" ]
    done
    request run apply --noop --detailed-exitcodes <<<$'url: http://localhost/items/a\nmethod: POST'
    status_is 2
    [ "$(asked true)" -eq 2 ]
}

@test "what only reads is no change, also in a dry run, and fails when the answer is another one" {
    serve_socket
    for options in '' --noop; do
        for attributes in 'text: ^the answer' $'method: HEAD' $'method: OPTIONS\nstatus: [200, 204]'; do
            request run apply --detailed-exitcodes $options <<<$'url: http://localhost/status/200\n'"$attributes"
            status_is 0
            says '1 ok'
        done
    done
    refuses "GET 'http://localhost/status/500' was answered with status 500: the answer of status 500" <<<'url: http://localhost/status/500'
    says_not more
    refuses "GET 'http://localhost/status/204' was answered with status 204" <<<$'url: http://localhost/status/204\nstatus: [200]'
    refuses "GET 'http://localhost/status/200' was answered with status 200, and 'text' does not match: the answer of" \
        <<<$'url: http://localhost/status/200\ntext: nothing'
    request run apply --detailed-exitcodes <<<$'url: http://localhost/status/404\nstatus: [404, 410]'
    status_is 0
}

@test "the title can be the URL" {
    serve_port
    run apply --detailed-exitcodes <<<"resources: [{http_request: 'http://127.0.0.1:$port/status/200'}]"
    status_is 0
    run apply <<<'resources: [{http_request: something}]'
    [ "$status" -ne 0 ]
    says 'expected a URL, as https://example.org/path, here or as the name'
}

@test "a check that says nothing is a failure, and nothing is sent" {
    serve_socket
    for code in 401 403 407 408 429 500 503; do
        refuses "GET 'http://localhost/status/$code' was answered with status $code" <<END
url: http://localhost/items/a
method: POST
check: {url: http://localhost/status/$code}
END
    done
    [ "$(asked '.method == "POST"')" -eq 0 ]
    # What is listed says something.
    request run apply --detailed-exitcodes <<'END'
url: http://localhost/items/a
method: POST
check: {url: http://localhost/status/401, status: [401]}
END
    status_is 0
    request run apply --detailed-exitcodes <<'END'
url: http://localhost/items/a
method: POST
check: {url: http://localhost/status/404}
END
    status_is 2
}

@test "paths that exist make a request needless" {
    serve_socket
    touch there
    request run apply --detailed-exitcodes <<<$'url: http://localhost/items/a\nmethod: POST\n'"creates: $work/there"
    status_is 0
    request run apply --detailed-exitcodes <<<$'url: http://localhost/items/a\nmethod: POST\n'"creates: [$work/there, $work/none]"
    status_is 2
    [ "$(asked true)" -eq 1 ]
}

@test "a request that is notified is sent once, and none has a turn of its own" {
    serve_socket
    cat >m.yaml <<END
resources:
  - file: $work/f
    content: x
    notify: http_request[reload]
  - http_request: reload
    url: http://localhost/items/reload
    socket: $work/socket
    method: POST
    action: nothing
END
    run rhost apply --detailed-exitcodes m.yaml
    status_is 2
    [ "$(asked '.method == "POST"')" -eq 1 ]
    run rhost apply --detailed-exitcodes m.yaml
    status_is 0
    [ "$(asked true)" -eq 1 ]
}

# bats test_tags=inline
@test "other resources can use the answer" {
    serve_socket
    run apply --detailed-exitcodes <<END
resources:
  - http_request: get
    url: http://localhost/status/200
    socket: $work/socket
    capture: text
  - http_request: post
    url: http://localhost/items/a
    socket: $work/socket
    method: POST
    capture: sensitive
  - file: $work/got
    content: \${result("http_request[get]").answer}\${result("http_request[get]").code}
  - file: $work/posted
    content: \${result("http_request[post]").answer}
END
    status_is 2
    [ "$(cat got)" = $'the answer of status 200\nmore\n200' ]
    [ "$(cat posted)" = stored ]
    says_not stored
}

@test "what is no text is binary data" {
    serve_socket
    run apply --detailed-exitcodes <<END
resources:
  - http_request: get
    url: http://localhost/bytes
    socket: $work/socket
    capture: text
  - file: $work/got
    content: \${result("http_request[get]").answer}
END
    status_is 2
    [ "$(od -An -tx1 got | xargs)" = 'ff 00 fe' ]
}

@test "credentials reach the server, and no output, argument or environment" {
    serve_socket
    for attributes in $'user: me\npassword: secret-password' 'token: secret-token'; do
        request run apply --detailed-exitcodes --debug --verbose <<<$'url: http://localhost/private/x\n'"$attributes"
        status_is 0
        says_not secret-
    done
    refuses 'was answered with status 401: [redacted]' <<<$'url: http://localhost/private/x\ntoken: wrong-secret'
    says_not wrong-secret
    # A server that repeats them.
    refuses 'was answered with status 500: [redacted]' <<<$'url: http://localhost/echo\nuser: me\npassword: wrong-secret'
    says_not "$(printf me:wrong-secret | base64)"
    refuses 'was answered with status 500: [redacted]' <<<$'url: http://localhost/echo\nmethod: POST\nbody: hush-hush\nsensitive: [body]'
    says_not hush-hush
    where=()
    refuses "cannot send GET to '[redacted]'" <<<$'url: http://127.0.0.1:1/?key=hush-hush\nsensitive: [url]'
    says_not hush-hush
}

# bats test_tags=inline
@test "faults of a server have clear messages" {
    serve_socket
    refuses 'the server closed the connection in the middle of its answer' <<<'url: http://localhost/half'
    refuses 'the server closed the connection in the middle of its answer' <<<'url: http://localhost/head'
    refuses 'the server does not answer as HTTP has it' <<<'url: http://localhost/garbage'
    refuses 'the server closed the connection without an answer' <<<'url: http://localhost/close'
    refuses 'timed out after 1 s' <<<$'url: http://localhost/hang\ntimeout: 1'
    refuses 'the answer is larger than 16777216 bytes' <<<$'url: http://localhost/endless\ntimeout: 30'
    refuses 'the server closed the connection in the middle of its answer' \
        <<<$'url: http://localhost/items/a\nmethod: POST\ncheck: {url: http://localhost/half}'
    [ "$(asked '.method == "POST"')" -eq 0 ]
}

@test "sockets and ports without a server have clear messages" {
    local free
    free=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    refuses "socket: '$work/none' does not exist" <<<$'url: http://localhost/\nsocket: '"$work/none"
    touch file
    refuses "'$work/file' is not a socket" <<<$'url: http://localhost/\nsocket: '"$work/file"
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dead")'
    refuses "cannot send GET to 'http://localhost/'" <<<$'url: http://localhost/\nsocket: '"$work/dead"
    refuses "cannot send GET to 'http://127.0.0.1:$free/': Failed to connect to 127.0.0.1 port $free" <<<"url: http://127.0.0.1:$free/"
    refuses "cannot send GET to 'http://no-such-host.invalid/': Could not resolve host" <<<'url: http://no-such-host.invalid/'
}

@test "a socket that another user may not use, or has put there, is refused" {
    requires_root
    serve_socket
    mkdir -m 755 home
    chown nobody home
    ln -s "$work/socket" home/link
    where=()
    refuses 'unsafe path' <<<$'url: http://localhost/status/200\nsocket: '"$work/home/link"
    [ "$(asked true)" -eq 0 ]
}

@test "in a dry run, a server that an earlier resource may start is no failure" {
    run apply --noop --detailed-exitcodes <<END
resources:
  - file: $work/f
    content: x
  - http_request: it
    url: http://localhost/items/a
    socket: $work/socket
    method: PUT
    check: {}
    require: file[$work/f]
END
    status_is 2
    says_not 'failed:'
}

@test "redirects are followed where that is asked for, and never to another protocol" {
    serve_port
    refuses "was answered with status 302" <<<"url: http://127.0.0.1:$port/redirect/status/200"
    request run apply --detailed-exitcodes <<<"url: http://127.0.0.1:$port/redirect/status/200"$'\nredirects: 1'
    status_is 0
    refuses 'Maximum (1) redirects followed' <<<"url: http://127.0.0.1:$port/redirect/redirect/status/200"$'\nredirects: 1'
    refuses 'the server redirects to a URL that is not followed' <<<"url: http://127.0.0.1:$port/away/file"$'\nredirects: 5'
    says_not root:
}

# to URL, as a path that redirects to it.
to() {
    python3 -c 'import sys, urllib.parse; print("/to/" + urllib.parse.quote(sys.argv[1], safe=""))' "$1"
}

@test "after a request of https no redirect leads to http, also where the first request was of http" {
    requires_command openssl
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext 'subjectAltName = DNS:localhost' -keyout tls.key -out tls.pem 2>/dev/null
    serve_port
    serve tls tls.pem tls.key
    local plain=http://127.0.0.1:$port/status/200 tls
    tls=https://localhost:$(cat tls)
    : >port.log
    for url in "$tls$(to "$plain")" "http://127.0.0.1:$port$(to "$tls$(to "$plain")")"; do
        refuses 'the server redirects from https to http, which is not followed' <<<"url: $url"$'\nredirects: 5\n'"ca: $work/tls.pem"
    done
    is "$(asked '.path == "/status/200"' port)" 0
    request run apply <<<"url: http://127.0.0.1:$port$(to "$tls/status/200")"$'\nredirects: 5\n'"ca: $work/tls.pem"
    status_is 0
}

@test "certificates: of the server, of the client, and none that is not trusted" {
    requires_command openssl
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem 2>/dev/null
    for name in server client; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout $name.key -out $name.csr 2>/dev/null
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem \
            -extfile <(echo 'subjectAltName = DNS:localhost') 2>/dev/null
    done
    serve_port server.pem server.key ca.pem
    where=("url: https://localhost:$port/status/200")
    request run apply --detailed-exitcodes <<<"ca: $work/ca.pem"$'\n'"certificate: $work/client.pem"$'\n'"key: $work/client.key"
    status_is 0
    refuses 'SSL certificate problem' <<<"certificate: $work/client.pem"$'\n'"key: $work/client.key"
    refuses "cannot send GET to 'https://localhost:$port/status/200'" <<<"ca: $work/ca.pem" # the server wants one
    refuses "cannot read '$work/none': No such file or directory" <<<"ca: $work/none"
    : >empty
    refuses "'$work/empty' is empty" <<<"ca: $work/empty"
    echo nonsense >nonsense
    refuses "cannot send GET to 'https://localhost:$port/status/200'" <<<"ca: $work/nonsense"
    where=("url: https://127.0.0.1:$port/status/200")
    refuses 'SSL: no alternative certificate subject name matches' \
        <<<"ca: $work/ca.pem"$'\n'"certificate: $work/client.pem"$'\n'"key: $work/client.key"
}

# bats test_tags=inline
@test "what makes no sense is refused before anything is sent" {
    serve_socket
    where+=('url: http://localhost/items/a')
    refuses "'body' and 'json' exclude each other" <<<$'method: POST\nbody: x\njson: 1'
    refuses "'user' and 'token' exclude each other" <<<$'user: x\ntoken: y'
    refuses "'password' needs 'user' as well" <<<'password: x'
    refuses "'certificate' needs 'key' as well" <<<'certificate: /x'
    refuses "'key' needs 'certificate' as well" <<<'key: /x'
    refuses "CONNECT is for proxies" <<<'method: CONNECT'
    refuses "HEAD has no content" <<<$'method: HEAD\ntext: x'
    refuses "must not contain ':'" <<<$'user: "a:b"\npassword: x'
    refuses "'Content-Length' is set by rhost" <<<'headers: {Content-Length: "3"}'
    refuses "'authorization' excludes 'user' and 'token'" <<<$'headers: {authorization: x}\ntoken: y'
    refuses 'redirects are followed for GET and HEAD only' <<<$'method: POST\nredirects: 1'
    refuses "'socket' and 'redirects' exclude each other" <<<'redirects: 1'
    refuses "entry 'X' expects a match" <<<'headers: {X: "a\r\nY: b"}'
    refuses 'missing terminating ]' <<<'text: "["'
    refuses 'missing terminating ]' <<<'check: {text: "["}'
    where=('url: http://localhost/')
    refuses "with 'redirects', the sensitive header 'X-Key' could reach another server" \
        <<<$'redirects: 1\nheaders: {X-Key: abc}\nsensitive: [headers]'
    where=("socket: $work/socket")
    for url in file:///etc/passwd ftp://x/ http:// http://a@b/ 'http://a b/'; do
        refuses 'http_request[it].url expects' <<<"url: '$url'"
    done
    [ "$(asked true)" -eq 0 ]
}

@test "a signal ends a request that hangs" {
    serve_socket
    printf 'resources:\n  - http_request: http://localhost/hang\n    socket: %s\n    timeout: 60\n' "$work/socket" >m.yaml
    state_open
    "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" m.yaml >out 2>&1 3>&- &
    pid=$!
    until_true test -s socket.log
    kill -TERM "$pid"
    not wait "$pid"
    grep -q 'the run is to end: the request was given up' out || {
        cat out
        false
    }
}

@test "the example of the page works, and a second run finds nothing to do" {
    serve_socket
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/http_request/http_request.md" | sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
}
