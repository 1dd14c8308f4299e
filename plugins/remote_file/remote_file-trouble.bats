#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What goes wrong, and what must not leak.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/remote_file/remote_file.bash"

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

@test "of a file that is there, owner and mode can be stated alone, and a change of them is undone" {
    serve
    changes <<<"source: $url/data"$'\nmode: "0644"'
    changes <<<"source: $url/data"$'\nmode: "0600"'
    run rhost undo last
    status_is 0
    is "$(stat -c %a f)" 644
    changes <<<'mode: "0640"'
    cmp f www/data
    stays <<<'mode: "0640"'
    refuses "'source' is required" <<<"checksum: sha256:$(printf '%064d' 0)"
    remote_file run apply --noop <<<"checksum: sha256:$(printf '%064d' 0)"
    says "'source' is required"
}

@test "on a file system without nameless files the new one has a name, which does not stay" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    serve
    mkdir out
    one "remote_file: $work/out/f" -- run apply --noop <<<"source: $url/data"
    status_is 0
    traced() {
        run strace -f -o trace -P "$work/out" -e inject=openat:error=EOPNOTSUPP:when=1 "$@" "$abs_top_builddir/rhost" apply \
            --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none "$BATS_TEST_TMPDIR/site.yaml"
        grep -q '".f.rhost-[0-9a-f]*", .*O_CREAT' trace
    }
    for content in first second; do
        echo $content >www/data
        traced
        status_is 0
        is "$(ls -A out)" f
        is "$(cat out/f)" $content
    done
    echo third >www/data
    traced -e inject=renameat:signal=KILL:when=1
    is "$(cat out/f)" second
    is "$(ls -A out | wc -l)" 2
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    is "$(ls -A out)" f
    is "$(cat out/f)" third
}
