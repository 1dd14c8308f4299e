#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files that are decompressed, as gzip, bzip2, xz and zstd have compressed them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/remote_file/remote_file.bash"

forms='gzip bzip2 xz zstd'

# FORM FILE: FILE.FORM has it compressed.
compressed() {
    requires_command "$1"
    "$1" -c "$2" >"$2.$1"
}

# bats test_tags=inline
@test "a file is kept decompressed, and asked for once" {
    serve
    for form in $forms; do
        compressed "$form" www/hello
        for how in $form auto; do
            rm -f f
            : >port.log
            remote_file converges <<<"source: $url/hello.$form"$'\n'"decompress: $how"
            cmp www/hello f
            is "$(mode_of f)" 644
            jq -se '.[0].headers["if-none-match"] == null and .[1].headers["if-none-match"] != null and length == 2' port.log
            # By hand; a mode alone takes no content.
            echo by hand >>f
            remote_file run apply --noop <<<"source: $url/hello.$form"$'\n'"decompress: $how"
            says 'it was changed since it was downloaded: it would be downloaded'
            changes <<<"source: $url/hello.$form"$'\n'"decompress: $how"
            cmp www/hello f
            changes <<<"source: $url/hello.$form"$'\n'"decompress: $how"$'\nmode: "0600"'
            stays <<<"source: $url/hello.$form"$'\n'"decompress: $how"
        done
    done
    # Another one.
    echo new >www/hello
    compressed gzip www/hello
    changes <<<"source: $url/hello.gzip"$'\ndecompress: auto'
    is "$(cat f)" new
    # Nothing and back.
    changes <<<"source: $url/hello.gzip"
    cmp f www/hello.gzip
    changes <<<"source: $url/hello.gzip"$'\ndecompress: gzip'
    is "$(cat f)" new
    remote_file converges <<<'ensure: absent'
    [ ! -e f ]
}

@test "the checksum is that of the compressed file, and one that is in sync takes no request" {
    serve
    compressed xz www/data
    for sum in "$(sum_of www/data.xz)" "$(sum_of www/data.xz sha512)"; do
        changes <<<"source: $url/data.xz"$'\ndecompress: xz\n'"checksum: $sum"
        cmp www/data f
        : >port.log
        stays <<<"source: $url/data.xz"$'\ndecompress: xz\n'"checksum: $sum"
        is "$(asked true)" 0
        echo by hand >>f
    done
    (cd www && sha256sum data.xz >SHA256SUMS)
    changes <<<"source: $url/data.xz"$'\ndecompress: xz\n'"checksum_source: $url/SHA256SUMS"
    stays <<<"source: $url/data.xz"$'\ndecompress: xz\n'"checksum_source: $url/SHA256SUMS"
    cmp www/data f
    refuses "it has the checksum sha256:$(sum_of www/data.xz), expected sha256:$(sum_of www/data)" \
        <<<"source: $url/data.xz"$'\ndecompress: xz\n'"checksum: $(sum_of www/data)"
    # The compressed file itself has the checksum, and is not what is desired.
    cp www/data.xz f
    changes <<<"source: $url/data.xz"$'\ndecompress: xz\n'"checksum: $(sum_of www/data.xz)"
    cmp www/data f
    # What something else has put there.
    rm -rf "$BATS_TEST_TMPDIR/state"
    changes <<<"source: $url/data.xz"$'\ndecompress: xz'
    stays <<<"source: $url/data.xz"$'\ndecompress: xz'
    # A server that knows no conditional requests.
    changes <<<"source: $url/plain/data.xz"$'\ndecompress: xz'
    stays <<<"source: $url/plain/data.xz"$'\ndecompress: xz'
    changes <<<"source: $url/close/data.xz"$'\ndecompress: xz'
    head -c 300000 <(base64 -w 0 /dev/urandom) >www/data
    compressed xz www/data
    changes <<<"source: $url/close/data.xz"$'\ndecompress: xz'
    cmp www/data f
}

@test "the signature is that of the compressed file" {
    requires_command minisign
    serve
    compressed zstd www/data
    minisign -G -W -p good.pub -s good.key >minisign.log
    minisign -S -s good.key -m www/data.zstd >minisign.log
    minisign -S -s good.key -m www/data >minisign.log
    signed=$'decompress: zstd\n'"public_key: $(tail -n 1 good.pub)"$'\n'"source: $url/data.zstd"$'\n'
    refuses 'the signature is not one of this file' <<<"$signed""signature: $url/data.minisig"
    changes <<<"$signed""signature: $url/data.zstd.minisig"
    cmp www/data f
    stays <<<"$signed""signature: $url/data.zstd.minisig"
}

# bats test_tags=inline
@test "what is truncated, damaged, or something else is refused, and the file stays" {
    serve
    for form in $forms; do
        compressed "$form" www/data
        compressed "$form" www/hello
        echo before >f
        refuses "it is not compressed with $form, or truncated" <<<"source: $url/hello"$'\n'"decompress: $form"
        refuses 'it is compressed neither with gzip nor with bzip2, xz or zstd, or truncated' <<<"source: $url/hello"$'\ndecompress: auto'
        for n in 0 4 12 16 100 100000; do
            head -c $n www/data.$form >www/short
            refuses "cannot download '$url/short': " <<<"source: $url/short"$'\n'"decompress: $form"
        done
        head -c -1 www/hello.$form >www/short
        refuses "cannot decompress it with $form: " <<<"source: $url/short"$'\ndecompress: auto'
        { head -c 1000 www/data.$form && head -c 1000 /dev/zero && tail -c +2001 www/data.$form; } >www/short
        refuses "cannot decompress it with $form: " <<<"source: $url/short"$'\ndecompress: auto'
        changes <<<"source: [$url/short, $url/data.$form]"$'\ndecompress: auto'
        cmp www/data f
        # Without content.
        : >www/empty
        compressed "$form" www/empty
        rm f
        remote_file converges <<<"source: $url/empty.$form"$'\ndecompress: auto'
        [ -e f ]
        [ ! -s f ]
    done
    refuses 'it is not compressed with xz, or truncated' <<<"source: $url/hello.gzip"$'\ndecompress: xz'
    # With a long name in the header, which is all that came.
    cp www/data www/a-name-that-is-longer-than-the-rest
    gzip www/a-name-that-is-longer-than-the-rest
    head -c 30 www/a-name-that-is-longer-than-the-rest.gz >www/short
    refuses 'it is truncated or damaged' <<<"source: $url/short"$'\ndecompress: auto'
    # One compression is undone, and not two; several members are one file.
    gzip -c www/hello.gzip >www/twice
    changes <<<"source: $url/twice"$'\ndecompress: gzip'
    cmp www/hello.gzip f
    cat www/hello.gzip www/data.gzip >www/both
    refuses "or several files of gzip in one, which take a 'checksum' or a 'signature'" <<<"source: $url/both"$'\ndecompress: auto'
    changes <<<"source: $url/both"$'\ndecompress: auto\n'"checksum: $(sum_of www/both)"
    cmp f <(cat www/hello www/data)
}

@test "a file that grows beyond the limit is refused" {
    requires_command python3
    serve
    for form in $forms; do
        head -c 20M /dev/zero >www/zeros
        compressed "$form" www/zeros
        [ "$(stat -c %s www/zeros.$form)" -lt 50000 ]
        refuses "its content is larger than 1000000 bytes ('size_limit')" <<<"source: $url/zeros.$form"$'\nsize_limit: 1000000\n'"decompress: $form"
    done
    refuses "it is larger than 10 bytes ('size_limit')" <<<"source: $url/zeros.gzip"$'\nsize_limit: 10\ndecompress: gzip'
}

@test "a full disk, a broken connection and a run that is killed leave the former file alone" {
    requires_root
    requires_command unshare
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    serve
    compressed gzip www/data
    changes <<<"source: $url/drop/100000/data.gzip"$'\ndecompress: gzip'
    cmp www/data f
    mkdir small
    head -c 20M /dev/zero >www/zeros
    compressed gzip www/zeros
    printf 'resources:\n  - remote_file: %s/small/f\n    source: %s\n    decompress: auto\n' "$work" "$url/zeros.gzip" >m.yaml
    cat >in-memory <<'END'
mount -t tmpfs -o size=1m tmpfs small
echo before >small/f
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" m.yaml
echo "status $? $(ls -A small) $(cat small/f)"
END
    export RHOST_ISOLATION
    run unshare -m sh in-memory "$abs_top_builddir/rhost"
    says "cannot write '$work/small/f' after"
    says 'No space left on device'
    says 'status 4 f before'
    mkdir out
    printf 'resources:\n  - remote_file: %s/out/f\n    source: %s\n    decompress: auto\n' "$work" "$url/data.gzip" >m.yaml
    echo before >out/f
    for at in ftruncate:3 fsync:1 renameat:1; do
        for nameless in 0 1; do
            refuse=()
            # A file system without nameless files.
            [ $nameless = 1 ] || refuse=(-P "$work/out" -e inject=openat:error=EOPNOTSUPP:when=1+)
            strace -f -o trace -e inject="${at%:*}:signal=KILL:when=${at#*:}" "${refuse[@]}" "$abs_top_builddir/rhost" apply \
                --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none m.yaml >killed 2>&1 || true
            [ "$(cat out/f)" = before ] || cmp out/f www/data
        done
    done
    run rhost apply m.yaml
    status_is 0
    cmp out/f www/data
    is "$(ls -A out)" f
}

@test "what is listed of a file that was decompressed can be applied" {
    serve
    compressed gzip www/hello
    changes <<<"source: $url/hello.gzip"$'\ndecompress: auto'
    run rhost resource remote_file "$work/f"
    says "checksum: \"sha256:$(sum_of www/hello)\""
    says_not source:
    printf '%s\n' "$output" >shown.yaml
    run rhost apply --detailed-exitcodes shown.yaml
    status_is 0
    echo new >www/new
    compressed xz www/new
    changes <<<"source: $url/new.xz"$'\ndecompress: auto'
    run rhost undo last
    status_is 0
    cmp www/hello f
}

@test "the example of the page with an archive works, and a second run finds nothing to do" {
    mkdir -p app/bin
    echo one >app/bin/tool
    tar -czf www/app.tar.gz app
    echo 'three lines' >www/list
    compressed gzip www/list
    mv www/list.gzip www/list.gz
    serve
    awk '/^# scratch example with an archive/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/remote_file/remote_file.md" |
        sed "s|/tmp/example|$work/example|; s|:18203|:$port|; s|sha256:[0-9a-f]\{64\}|sha256:$(sum_of www/app.tar.gz)|" >example.yaml
    run rhost apply --noop example.yaml
    status_is 0
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    is "$(cat example/app/bin/tool)" one
    is "$(cat example/list)" 'three lines'
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
}
