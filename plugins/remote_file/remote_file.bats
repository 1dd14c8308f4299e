#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_command python3
    mkdir www
    head -c 300000 <(base64 -w 0 /dev/urandom) >www/data
    echo hello >www/hello
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

# server.py with the folder www, and more arguments; $url is where it is.
serve() {
    : >ready
    rm -f port
    : >port.log
    python3 "$abs_top_srcdir/plugins/remote_file/server.py" "$work/www" "$work/port" "$@" >ready 2>/dev/null 3>&- &
    server=$!
    until [ -s ready ]; do
        kill -0 "$server"
        sleep 0.02
    done
    port=$(cat port)
    url=http://127.0.0.1:$port
}

# The resource of $work/f, whose attributes stand on standard input.
remote_file() {
    one "remote_file: $work/f" -- "$@"
}

# How many requests there were that jq selects so.
asked() {
    jq -c "select($1)" "$work/port.log" | wc -l
}

# It changes nothing, and says so.
stays() {
    remote_file run apply --detailed-exitcodes
    status_is 0
}

changes() {
    remote_file run apply --detailed-exitcodes
    status_is 2
}

# The folder, without what tests put there, and the file.
what_is_there() {
    find . -maxdepth 1 ! -name 'port*' | sort
    [ ! -e f ] || [ -d f ] || sha256sum f
}

# It fails with this message; the file, or that there is none, stays as it was, and nothing is beside it.
refuses() {
    local before
    before=$(what_is_there)
    remote_file run apply
    [ "$status" -ne 0 ]
    says "$1"
    is "$(what_is_there)" "$before"
}

sum_of() {
    "${2:-sha256}sum" "$1" | cut -d' ' -f1
}

# bats test_tags=inline
@test "a file is downloaded once; then the server is only asked whether it has another one" {
    serve
    remote_file converges <<<"source: $url/data"
    cmp www/data f
    is "$(mode_of f)" 644
    jq -se '.[0].headers["if-none-match"] == null and .[1].headers["if-none-match"] != null and length == 2' port.log
    stays <<<"source: $url/data"
    # Another mode takes no content.
    changes <<<$'mode: "0600"\n'"source: $url/data"
    is "$(asked '.headers["if-none-match"] == null')" 1
    is "$(mode_of f)" 600
    # There is another one.
    echo new >www/data
    remote_file run apply --noop <<<"source: $url/data"
    says 'the server has another file: it would be downloaded'
    not cmp -s www/data f
    remote_file converges <<<"source: $url/data"
    cmp www/data f
    is "$(mode_of f)" 600
    # Somebody has changed this one.
    echo by hand >>f
    remote_file converges <<<"source: $url/data"
    says_not failed
    cmp www/data f
    remote_file converges <<<'ensure: absent'
    [ ! -e f ]
}

@test "a file with the checksum is in sync without a request" {
    serve
    for sum in "sha256:$(sum_of www/data)" "$(sum_of www/data)" "SHA512:$(sum_of www/data sha512 | tr a-f A-F)" "$(sum_of www/data sha512)"; do
        rm -f f
        : >port.log
        remote_file converges <<<"source: $url/data"$'\n'"checksum: '$sum'"
        cmp www/data f
        is "$(asked true)" 1
        stays <<<"source: $url/elsewhere"$'\n'"checksum: '$sum'"
        remote_file run apply --noop --detailed-exitcodes <<<"source: $url/elsewhere"$'\n'"checksum: '$sum'"
        status_is 0
        is "$(asked true)" 1
        echo by hand >>f
        remote_file converges <<<"source: $url/data"$'\n'"checksum: '$sum'"
        cmp www/data f
    done
}

@test "whatever the server says of its files, one that is the same is in sync" {
    serve
    for kind in weak dated plain close; do
        rm -f f
        remote_file converges <<<"source: $url/$kind/hello"
        stays <<<"source: $url/$kind/hello"
        cmp www/hello f
        cp -p www/hello kept
        echo Hello >www/hello # as long
        [ "$kind" != dated ] || touch -d '+1 hour' www/hello
        changes <<<"source: $url/$kind/hello"
        cmp www/hello f
        cp kept www/hello
    done
    # One that something else has put there is compared by its content.
    cp www/data f
    rm -rf "$BATS_TEST_TMPDIR/state"
    stays <<<"source: $url/data"
    printf x | dd of=f conv=notrunc status=none
    changes <<<"source: $url/data"
    # An empty one.
    : >www/empty
    for path in empty plain/empty close/empty; do
        rm -f f
        remote_file converges <<<"source: $url/$path"
        [ -e f ] && [ ! -s f ]
    done
}

@test "without refresh the server is asked for a first file alone, or for one of another URL" {
    serve
    changes <<<"source: $url/data"$'\nrefresh: false'
    echo new >www/data
    : >port.log
    stays <<<"source: $url/data"$'\nrefresh: false'
    is "$(asked true)" 0
    changes <<<"source: $url/hello"$'\nrefresh: false'
    cmp www/hello f
    echo by hand >>f
    changes <<<"source: $url/hello"$'\nrefresh: false'
    cmp www/hello f
}

@test "without replace a file that exists stays" {
    serve
    echo mine >f
    stays <<<"source: $url/data"$'\nreplace: false'
    stays <<<"source: $url/data"$'\nreplace: false\nchecksum: '"$(sum_of www/data)"
    is "$(asked true)" 0
    changes <<<"source: $url/data"$'\nreplace: false\nmode: "0600"'
    is "$(cat f)" mine
    is "$(asked true)" 0
    rm f
    changes <<<"source: $url/data"$'\nreplace: false'
    cmp www/data f
}

@test "of several sources the first one that has the file is used" {
    serve
    remote_file converges <<<"source: [http://127.0.0.1:1/data, $url/none, $url/hello, $url/data]"
    cmp www/hello f
    changes <<<"source: [$url/status/500, $url/hello, $url/data]"$'\n'"checksum: $(sum_of www/data)"
    cmp www/data f
    rm f
    refuses "cannot download 'http://127.0.0.1:1/data': cannot connect to 'http://127.0.0.1:1': Connection refused; '$url/none': the server answers with status 404: it has no such file" \
        <<<"source: [http://127.0.0.1:1/data, $url/none]"
}

# bats test_tags=inline
@test "a connection that breaks is continued where it broke" {
    serve
    remote_file converges <<<"source: $url/drop/100000/data"
    cmp www/data f
    jq -se 'map(.headers.range) | .[0] == null and .[1] == "bytes=100000-" and .[2] == "bytes=200000-"' port.log
    jq -se '.[1].headers["if-range"] | startswith("\"")' port.log
    # With another file meanwhile, it begins anew.
    rm f
    head -c 200000 <(base64 -w 0 /dev/urandom) >www/other
    remote_file converges <<<"source: $url/swap/100000/data/other"
    cmp www/other f
    # A server that does not know ranges: from the beginning, a few times.
    rm f
    refuses "cannot download '$url/drop-plain/100000/data': the server closed the connection in the middle of its answer" \
        <<<"source: $url/drop-plain/100000/data"
    is "$(asked '.path == "/drop-plain/100000/data"')" 3
    changes <<<"source: $url/busy-once/data"
}

# bats test_tags=inline
@test "faults of a server have clear messages, and the file stays" {
    local free
    free=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    serve
    for there in yes no; do
        rm -f f
        [ "$there" = no ] || echo before >f
        refuses 'status 404: it has no such file' <<<"source: $url/none"
        refuses 'status 403: it denies access' <<<"source: $url/status/403"
        refuses 'status 401: it wants other credentials' <<<"source: $url/private/data"
        refuses "it has the checksum sha256:$(sum_of www/data), expected sha256:$(sum_of www/hello)" \
            <<<"source: $url/data"$'\n'"checksum: $(sum_of www/hello)"
        refuses "more than 10 redirects ('redirects')" <<<"source: $url/loop"
        refuses "the server redirects, and 'redirects' is 0" <<<"source: $url/loop"$'\nredirects: 0'
        refuses "the server redirects to 'ftp://127.0.0.1:21', which is neither http nor https" <<<"source: $url/to?ftp://127.0.0.1/x"
        refuses "cannot connect to 'http://127.0.0.1:$free': Connection refused" <<<"source: http://127.0.0.1:$free/data"
        refuses "the name in 'http://no-such-host.invalid:80' does not resolve" <<<'source: http://no-such-host.invalid/data'
        refuses 'TLS connection' <<<"source: https://127.0.0.1:$port/data"
    done
    refuses "it is larger than 1000 bytes ('size_limit')" <<<"source: $url/data"$'\nsize_limit: 1000'
    refuses "it is larger than 100000 bytes ('size_limit')" <<<"source: $url/endless"$'\nsize_limit: 100000'
    refuses "nothing was received for 1 s ('stall_timeout')" <<<"source: [$url/stall/data]"$'\nstall_timeout: 1'
    refuses "it was not complete within 1 s ('timeout')" <<<"source: $url/hang"$'\ntimeout: 1'
}

@test "a list of checksums says which file it is" {
    serve
    mkdir www/sub
    (cd www && sha256sum data hello >SHA256SUMS && sha512sum --tag ./data >SUMS.bsd && sha256sum -b data >SUMS.b &&
        openssl dgst -sha256 data >SUMS.openssl && sum_of data >data.sha256 && md5sum data >MD5SUMS &&
        printf '%064d  a/data\n%064d  b/data\n' 1 2 >several && printf '%064d  a/data\n' 1 >wrong)
    for list in SHA256SUMS SUMS.bsd SUMS.b SUMS.openssl data.sha256; do
        rm -f f
        : >port.log
        remote_file converges <<<"source: $url/data?x=1"$'\n'"checksum_source: $url/$list"
        cmp www/data f
        is "$(asked '.path == "/data?x=1"')" 1
    done
    stays <<<"source: $url/data?x=1"$'\nrefresh: false\n'"checksum_source: $url/none"
    refuses "cannot use the checksums of '$url/MD5SUMS': it has 'data', but neither with SHA-256 nor with SHA-512" \
        <<<"source: $url/data"$'\n'"checksum_source: $url/MD5SUMS"
    refuses "it has several entries for 'data'" <<<"source: $url/data"$'\n'"checksum_source: $url/several"
    refuses "it has no entry for 'nothing'" <<<"source: $url/nothing"$'\n'"checksum_source: $url/SHA256SUMS"
    refuses "cannot use the checksums of '$url/none': the server answers with status 404" <<<"source: $url/data"$'\n'"checksum_source: $url/none"
    refuses "expected sha256:$(printf %064d 1)" <<<"source: $url/data"$'\n'"checksum_source: $url/wrong"
    echo new >www/data
    (cd www && sha256sum data >SHA256SUMS)
    changes <<<"source: $url/data"$'\n'"checksum_source: $url/SHA256SUMS"
    says 'the list of checksums has another one for it'
}

@test "certificates: of the server, of the client, and none that is not trusted" {
    requires_command openssl
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem 2>/dev/null
    for name in server client; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout $name.key -out $name.csr 2>/dev/null
        openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem \
            -extfile <(echo 'subjectAltName = DNS:localhost') 2>/dev/null
    done
    serve server.pem server.key ca.pem
    url=https://localhost:$port
    remote_file converges <<END
source: $url/data
ca: $work/ca.pem
certificate: $work/client.pem
key: $work/client.key
END
    cmp www/data f
    is "$(mode_of f)" 600
    refuses "the certificate of '$url' is not trusted" <<<"source: $url/hello"
    refuses "from https, http is not followed" <<END
source: $url/to?http://127.0.0.1:1/x
ca: $work/ca.pem
certificate: $work/client.pem
key: $work/client.key
END
    refuses "cannot download '$url/hello'" <<<"source: $url/hello"$'\n'"ca: $work/ca.pem"
    refuses "cannot read '$work/none': No such file or directory" <<<"source: $url/hello"$'\n'"ca: $work/none"
    refuses "the certificate of 'https://127.0.0.1:$port' is not trusted" <<<"source: https://127.0.0.1:$port/hello"$'\n'"ca: $work/ca.pem"
}

@test "credentials reach the server, no other one, and no output" {
    serve
    other=$(cat port)
    first=$server
    for attributes in $'user: me\npassword: secret-password' 'token: secret-token'; do
        rm -f f
        remote_file run apply --detailed-exitcodes --debug --verbose <<<"source: $url/private/data"$'\n'"$attributes"
        status_is 2
        says_not secret-
        cmp www/data f
        is "$(mode_of f)" 600
    done
    not grep -r secret- "$BATS_TEST_TMPDIR/state"
    # localhost and 127.0.0.1 are two servers.
    rm -f f
    : >port.log
    changes <<<"source: $url/to?http://localhost:$other/hello"$'\nuser: me\npassword: secret-password\nheaders: {X-Key: abc}'
    jq -se '.[0].headers.authorization != null and .[0].headers["x-key"] == "abc" and .[1].path == "/hello"
        and .[1].headers.authorization == null and .[1].headers["x-key"] == null' port.log
    rm -f f
    : >port.log
    changes <<<"source: $url/redirect/private/hello"$'\ntoken: secret-token'
    refuses "cannot download '[redacted]': the server answers with status 404" <<<"source: $url/none?key=hush-hush"$'\nsensitive: [source]'
    says_not hush-hush
}

# bats test_tags=inline
@test "the target: links, directories, owners, attributes" {
    serve
    echo before >real
    ln -s real f
    remote_file converges <<<"source: $url/data"
    [ -L f ]
    cmp www/data real
    rm f
    mkdir f
    refuses "'$work/f' exists, but is not a regular file: it is a directory" <<<"source: $url/data"
    mkdir elsewhere
    rmdir f
    ln -s elsewhere f
    refuses "it is a directory" <<<"source: $url/data"
    ln -sfn /dev/null f
    refuses "'$work/f' exists, but is not a regular file" <<<"source: $url/data"
    rm f

    one "remote_file: $work/no/such/f" -- run apply <<<"source: $url/data"
    status_is 4
    says "cannot create '$work/no/such/f': directory '$work/no/such' does not exist; 'directory: $work/no/such' creates it"
    one "remote_file: $work/no/such/f" -- converges <<<"source: $url/data"$'\nparents: true'
    cmp www/data no/such/f
}

@test "a new content keeps owner, mode and attributes of the file" {
    requires_root
    requires_command setfacl
    serve
    changes <<<"source: $url/data"$'\nowner: nobody\nmode: u=rwxs,go=r'
    is "$(stat -c '%U %a' f)" 'nobody 4744'
    setfacl -m u:daemon:rw f
    setfattr -n user.note -v kept f
    echo new >www/data
    changes <<<"source: $url/data"
    is "$(cat f)" new
    is "$(stat -c '%U %a' f)" 'nobody 764' # without the setuid bit, which was granted to the former content
    getfacl -p f | grep -q user:daemon:rw-
    is "$(getfattr --only-values -n user.note f)" kept
    changes <<<"source: $url/data"$'\nowner: daemon'
    is "$(stat -c %U f)" daemon
    not grep -q user:daemon <(getfacl -p f)
}

@test "what another user could have put there is not followed" {
    requires_root
    serve
    mkdir -m 755 home
    chown nobody home
    ln -s "$work/www/hello" home/f
    one "remote_file: $work/home/f" -- run apply <<<"source: $url/data"
    [ "$status" -ne 0 ]
    says 'unsafe path'
    is "$(cat www/hello)" hello
}

@test "a full disk leaves the former file, and nothing beside it" {
    requires_root
    requires_command unshare
    serve
    mkdir small
    head -c 2M /dev/urandom >www/big
    cat >in-memory <<'END'
mount -t tmpfs -o size=1m tmpfs small
echo before >small/f
for m in big endless; do
    "$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" $m.yaml
    echo "status $? $(ls -A small) $(cat small/f)"
done
END
    export RHOST_ISOLATION
    for m in big endless; do
        printf 'resources:\n  - remote_file: %s/small/f\n    source: %s\n' "$work" "$url/$m" >$m.yaml
    done
    run unshare -m sh in-memory "$abs_top_builddir/rhost"
    is "$(grep -c "cannot write '$work/small/f' after .* bytes: No space left on device" <<<"$output")" 2
    is "$(grep -c 'status 4 f before' <<<"$output")" 2
}

@test "a run that is killed leaves the former file or the new one, and the next run leaves nothing beside it" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    serve
    mkdir out
    one "remote_file: $work/out/f" -- converges <<<"source: $url/data"
    cp out/f former
    head -c 100000 <(base64 -w 0 /dev/urandom) >www/data
    cp -a "$BATS_TEST_TMPDIR/state" state-before
    for at in write:20 fsync:1 linkat:1 renameat:1 renameat:2 renameat:3; do
        rm -rf out/* "$BATS_TEST_TMPDIR/state"
        cp -p former out/f
        cp -a state-before "$BATS_TEST_TMPDIR/state"
        strace -f -o trace -e inject="${at%:*}:signal=KILL:when=${at#*:}" "$abs_top_builddir/rhost" apply \
            --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none "$BATS_TEST_TMPDIR/site.yaml" >killed 2>&1 || true
        cmp -s out/f former || cmp out/f www/data
        run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
        status_is 0
        cmp out/f www/data
        is "$(ls -A out)" f
    done
}

@test "a dry run says what would be, and needs no network where there is a checksum" {
    serve
    remote_file run apply --noop --detailed-exitcodes <<<"source: http://127.0.0.1:1/data"$'\n'"checksum: $(sum_of www/data)"
    status_is 2
    says 'absent → present'
    remote_file run apply --noop --detailed-exitcodes --verbose <<<"source: $url/data"
    status_is 2
    says "Would download '$url/data'"
    [ ! -e f ]
    is "$(asked true)" 1
    remote_file run apply --noop <<<"source: $url/none"
    status_is 4
    says "cannot download '$url/none': the server answers with status 404"
    # An earlier resource may start the server.
    run apply --noop --detailed-exitcodes <<END
resources:
  - exec: start a server
    command: ["true"]
  - remote_file: $work/f
    source: http://127.0.0.1:1/data
END
    status_is 2
    says_not 'failed:'
}

@test "an undo brings back what was there, and what rhost shows can be applied" {
    serve
    echo before >f
    chmod 640 f
    changes <<<"source: $url/data"$'\nmode: "0600"'
    run rhost resource remote_file "$work/f"
    says "source: \"$url/data\""
    says "checksum: \"sha256:$(sum_of www/data)\""
    printf '%s\n' "$output" >shown.yaml
    run rhost apply --detailed-exitcodes shown.yaml
    status_is 0
    changes <<<"source: $url/hello"
    run rhost undo last
    cmp www/data f
    rm -r "$BATS_TEST_TMPDIR/state"
    echo before >f
    chmod 640 f
    changes <<<"source: $url/data"$'\nmode: "0600"'
    run rhost undo last
    is "$(cat f)" before
    is "$(mode_of f)" 640
    run rhost resource remote_file "$work/f"
    says_not source:
}

# bats test_tags=inline
@test "what makes no sense is refused before anything is asked" {
    serve
    refuses "a file of this machine is for the type 'file'" <<<'source: file:///etc/passwd'
    refuses 'expected a URL of http or https' <<<'source: ftp://example.org/x'
    refuses "a user and a password do not belong into a URL" <<<"source: http://me:x@127.0.0.1:$port/data"
    refuses "a user and a password do not belong into a URL" <<<"source: [$url/data, http://me@127.0.0.1:$port/data]"
    refuses 'the URL has no host' <<<'source: "http:///x"'
    refuses "'source' is required" <<<'mode: "0644"'
    refuses 'MD5 and SHA-1 can be forged' <<<"source: $url/data"$'\nchecksum: '"$(md5sum www/data | cut -d' ' -f1)"
    refuses "expected 'sha256:' with 64" <<<"source: $url/data"$'\nchecksum: "sha256:'"$(sum_of www/data sha512)\""
    refuses "'checksum' and 'checksum_source' exclude each other" <<<"source: $url/data"$'\nchecksum: '"$(sum_of www/data)"$'\nchecksum_source: '"$url/x"
    refuses "'user' and 'token' exclude each other" <<<"source: $url/data"$'\nuser: x\ntoken: y'
    refuses "'password' needs 'user' as well" <<<"source: $url/data"$'\npassword: x'
    refuses "'key' needs 'certificate' as well" <<<"source: $url/data"$'\nkey: /x'
    refuses "'range' is set by rhost" <<<"source: $url/data"$'\nheaders: {range: bytes=0-}'
    refuses "'authorization' excludes 'user' and 'token'" <<<"source: $url/data"$'\nheaders: {authorization: x}\ntoken: y'
    refuses "entry 'X' expects a match" <<<"source: $url/data"$'\nheaders: {X: "a\\r\\nY: b"}'
    is "$(asked true)" 0
}

@test "a signal ends a download that hangs, and nothing is left" {
    serve
    printf 'resources:\n  - remote_file: %s/f\n    source: %s\n' "$work" "$url/stall/data" >m.yaml
    state_open
    "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" m.yaml >out 2>&1 3>&- &
    pid=$!
    until_true test -s port.log
    kill -TERM "$pid"
    not wait "$pid"
    grep -q 'the run is to end' out || {
        cat out
        false
    }
    is "$(find . -name '*f*' -newer m.yaml ! -name 'port*')" ''
}

@test "a server of the field: nginx" {
    command -v nginx >/dev/null || PATH=$PATH:/usr/sbin
    requires_command nginx
    chmod 755 .
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    url=http://127.0.0.1:$port
    mkdir nginx
    cat >nginx.conf <<END
daemon off; pid $work/nginx/pid; error_log $work/nginx/error.log; worker_processes 1; user $(id -un);
events { worker_connections 64; }
http { access_log $work/nginx/access.log; client_body_temp_path $work/nginx/b; proxy_temp_path $work/nginx/p;
fastcgi_temp_path $work/nginx/f; uwsgi_temp_path $work/nginx/u; scgi_temp_path $work/nginx/s;
server { listen 127.0.0.1:$port; root $work/www; } }
END
    nginx -c "$work/nginx.conf" -p "$work/nginx" 2>nginx.err 3>&- &
    server=$!
    until (exec 7<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        kill -0 "$server"
        sleep 0.05
    done
    remote_file converges <<<"source: $url/data"
    cmp www/data f
    is "$(grep -c '" 304 ' nginx/access.log)" 1
    echo new >www/data
    remote_file converges <<<"source: $url/data"
    is "$(cat f)" new
}
