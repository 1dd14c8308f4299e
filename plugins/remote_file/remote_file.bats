#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/remote_file/remote_file.bash"

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
        [ -e f ]
        [ ! -s f ]
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

# bats test_tags=inline
@test "the target: links, directories, owners, attributes" {
    serve
    echo before >real
    ln -s real f
    remote_file converges <<<"source: $url/data"
    [ -L f ]
    cmp www/data real
    remote_file converges <<<'ensure: absent'
    [ ! -L f ]
    cmp www/data real
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
    # What it will have can be unpacked.
    run apply --noop --detailed-exitcodes <<END
resources:
  - remote_file: $work/f
    source: $url/data
  - archive: $work/unpacked
    source: $work/f
END
    status_is 2
    says_not 'failed:'
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
    status_is 0
    cmp www/data f
    rm -r "$BATS_TEST_TMPDIR/state"
    echo before >f
    chmod 640 f
    changes <<<"source: $url/data"$'\nmode: "0600"'
    run rhost undo last
    status_is 0
    is "$(cat f)" before
    is "$(mode_of f)" 640
    run rhost resource remote_file "$work/f"
    says_not source:
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

@test "the example of the page works, and a second run finds nothing to do" {
    echo one >www/tool
    echo two >www/list
    serve
    awk '/^# scratch example$/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/remote_file/remote_file.md" | sed "s|/tmp/example|$work|; s|:18203|:$port|" >example.yaml
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
}
