#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Signatures of minisign and OpenPGP, made by minisign and gpg.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/remote_file/remote_file.bash"

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
    [ -z "${GNUPGHOME-}" ] || {
        gpgconf --kill all
        rm -rf "$GNUPGHOME"
    }
}

# Keys of minisign, good and other.
minisign_keys() {
    requires_command minisign
    for key in good other; do
        minisign -G -W -p $key.pub -s $key.key >minisign.log
    done
    public_key=$(tail -n 1 good.pub)
}

# Keys of OpenPGP: good, other, lost, first, and old, which has expired.
gpg_keys() {
    local fingerprint
    requires_command gpg
    requires_command gpgv
    GNUPGHOME=$(mktemp -d /tmp/rhost-gpg.XXXXXX)
    export GNUPGHOME
    gpg="gpg --batch --quiet --yes"
    for key in good other lost; do
        $gpg --passphrase '' --quick-gen-key $key@example.org ed25519 sign never
    done
    gpg_then 20200101 --passphrase '' --quick-gen-key old@example.org ed25519 sign 1y
    gpg_then 20200101 --passphrase '' --quick-gen-key first@example.org ed25519 sign never
}

# gpg on another day.
gpg_then() {
    $gpg --faked-system-time "$1T000000!" "${@:2}" 2>/dev/null
}

fingerprint_of() {
    gpg --batch --with-colons --list-keys "$1" | awk -F: '/^fpr/ { print $10; exit }'
}

# Its digest in the state, and the file itself, are those of the server.
downloads() {
    remote_file run apply --detailed-exitcodes
    status_is 2
    cmp www/data f
}

@test "minisign: a good signature, of both kinds, by a key in the manifest or in a file" {
    minisign_keys
    serve
    minisign -S -s good.key -m www/data >minisign.log
    minisign -S -l -s good.key -m www/data -x www/legacy.minisig >minisign.log
    for signature in "$url/data.minisig" "$work/www/data.minisig" "$url/legacy.minisig"; do
        for key in "$public_key" "$work/good.pub"; do
            rm -f f
            remote_file converges <<<"source: $url/data"$'\n'"signature: $signature"$'\n'"public_key: $key"
            cmp www/data f
        done
    done
    # The text of the key file as it is.
    rm -f f
    { echo "source: $url/data" && echo "signature: $url/data.minisig" && echo 'public_key: |' && sed 's/^/  /' good.pub; } >attributes
    remote_file converges <attributes
    # An empty file.
    : >www/data
    minisign -S -s good.key -m www/data >minisign.log
    minisign -S -l -s good.key -m www/data -x www/legacy.minisig >minisign.log
    for kind in data legacy; do
        rm -f f
        remote_file converges <<<"source: $url/data"$'\n'"signature: $url/$kind.minisig"$'\n'"public_key: $public_key"
        [ ! -s f ]
    done
}

# bats test_tags=inline
@test "minisign: whatever is not a good signature is refused, and the file stays" {
    minisign_keys
    serve
    signed() {
        refuses "$1" <<<"source: $url/data"$'\n'"signature: ${2-$url/data.minisig}"$'\n'"public_key: ${3-$public_key}"
    }
    minisign -S -s good.key -m www/data >minisign.log
    cp www/data.minisig www/whole
    other=$(tail -n 1 other.pub)
    for there in yes no; do
        rm -f f
        [ "$there" = no ] || echo before >f
        signed 'it is signed with another key: ' "$url/data.minisig" "$other"
        signed "cannot download the signature '$url/none': the server answers with status 404" "$url/none"
        signed "cannot read '$work/none': No such file or directory" "$work/none"
        signed "cannot read '$work/none': No such file or directory" "$url/data.minisig" "$work/none"
        signed "expected a public key of minisign" "$url/data.minisig" "$work/www/hello"
    done
    # The same number, another key.
    python3 - "$public_key" "$other" >mixed <<'END'
import base64, sys
good, other = (base64.b64decode(a) for a in sys.argv[1:])
print(base64.b64encode(good[:10] + other[10:]).decode())
END
    signed 'the signature is not one of this file' "$url/data.minisig" "$(cat mixed)"
    for lines in 0 1 2 3; do
        head -n $lines www/whole >www/data.minisig
        [ $lines -eq 0 ] && signed 'the signature is not one of minisign' || signed 'the signature is damaged or truncated'
    done
    head -c 60 www/whole >www/data.minisig
    signed 'the signature is damaged or truncated'
    head -c -10 www/whole >www/data.minisig
    signed 'the signature is damaged or truncated'
    sed 's/timestamp:1/timestamp:2/' www/whole >www/data.minisig
    not cmp -s www/whole www/data.minisig
    signed 'the comment of the signature was changed'
    printf 'a\0b' >www/data.minisig
    signed 'the signature is not one of minisign'
    cp www/hello www/data.minisig
    signed 'the signature is not one of minisign'
    head -c 2M /dev/zero >www/data.minisig
    signed 'cannot download the signature'
    minisign -S -l -s good.key -m www/hello -x www/data.minisig >minisign.log
    signed 'the signature is not one of this file'
    cp www/whole www/data.minisig
    printf x >>www/data
    signed "cannot download '$url/data': the signature is not one of this file"
}

@test "a bad signature passes a source over, and a broken connection is continued before it is checked" {
    minisign_keys
    serve
    minisign -S -s good.key -m www/data >minisign.log
    signature="signature: $url/data.minisig"$'\n'"public_key: $public_key"
    downloads <<<"source: [$url/hello, $url/drop/100000/data]"$'\n'"$signature"
    rm f
    refuses "cannot download '$url/hello': the signature is not one of this file" <<<"source: $url/hello"$'\n'"$signature"
    refuses "the server closed the connection in the middle of its answer" <<<"source: $url/drop-plain/100000/data"$'\n'"$signature"
    refuses "nothing was received for 1 s ('stall_timeout')" <<<"source: $url/data"$'\nstall_timeout: 1\n'"signature: $url/stall/data.minisig"$'\n'"public_key: $public_key"
    # Where the checksum is another one, the signature does not help.
    refuses "it has the checksum" <<<"source: $url/data"$'\n'"checksum: $(sum_of www/hello)"$'\n'"$signature"
}

@test "a file whose signature was not checked with these keys is downloaded again" {
    minisign_keys
    serve
    minisign -S -s good.key -m www/data >minisign.log
    signature="signature: $url/data.minisig"$'\n'"public_key: $public_key"
    changes <<<"source: $url/data"
    remote_file run apply --noop <<<"source: $url/data"$'\n'"$signature"
    says 'its signature was not checked with these keys: it would be downloaded'
    changes <<<"source: $url/data"$'\n'"$signature"
    : >port.log
    stays <<<"source: $url/data"$'\n'"$signature"
    is "$(asked true)" 1
    stays <<<"source: $url/data"$'\nrefresh: false\n'"$signature"
    # Another key, and the file by hand.
    minisign -S -s other.key -m www/data -x www/other.minisig >minisign.log
    changes <<<"source: $url/data"$'\nrefresh: false\n'"signature: $url/other.minisig"$'\n'"public_key: $(tail -n 1 other.pub)"
    echo by hand >>f
    changes <<<"source: $url/data"$'\nrefresh: false\n'"$signature"
    cmp www/data f
    # What something else has put there, with the list of the same server.
    rm -rf "$BATS_TEST_TMPDIR/state"
    (cd www && sha256sum data >SHA256SUMS)
    changes <<<"source: $url/data"$'\n'"checksum_source: $url/SHA256SUMS"$'\n'"$signature"
    stays <<<"source: $url/data"$'\n'"checksum_source: $url/SHA256SUMS"$'\n'"$signature"
    # A checksum of the manifest is enough for a file that exists.
    rm -rf "$BATS_TEST_TMPDIR/state"
    stays <<<"source: $url/data"$'\n'"checksum: $(sum_of www/data)"$'\n'"$signature"
    cmp www/data f
}

@test "OpenPGP: good, other, expired, revoked, bad, truncated, missing" {
    gpg_keys
    serve
    $gpg -u good@example.org -o www/good.sig -b www/data
    $gpg -u good@example.org -o www/good.asc -ab www/data
    $gpg -u good@example.org -o www/inline.sig -s www/data
    $gpg -u other@example.org -o www/other.sig -b www/data
    $gpg -u lost@example.org -o www/lost.sig -b www/data
    $gpg -u good@example.org --digest-algo SHA1 -o www/weak.sig -b www/data
    gpg_then 20200601 -u old@example.org -o www/old.sig -b www/data
    gpg_then 20200601 --default-sig-expire 30d -u first@example.org -o www/ended.sig -b www/data
    cat www/other.sig www/good.sig >www/two.sig
    lost=$(fingerprint_of lost@example.org)
    sed 's/^:---/---/' "$GNUPGHOME/openpgp-revocs.d/$lost.rev" | $gpg --import
    $gpg -o keyring.gpg --export good@example.org lost@example.org old@example.org first@example.org
    for key in good lost old; do
        gpg --batch --armor --export $key@example.org
    done >keyring.asc
    signed() {
        refuses "$1" <<<"source: $url/data"$'\n'"signature: $url/$2"$'\n'"keyring: $work/${3-keyring.gpg}"
    }
    for signature in good.sig good.asc two.sig; do
        for keyring in gpg asc; do
            rm -f f
            downloads <<<"source: $url/data"$'\n'"signature: $url/$signature"$'\n'"keyring: $work/keyring.$keyring"
        done
    done
    remote_file converges <<<"source: $url/data"$'\n'"signature: $work/www/good.sig"$'\n'"keyring: $work/keyring.gpg"
    rm f
    signed ', which is not in '"'keyring'" other.sig
    signed ', which it is signed with, has expired' old.sig
    signed ', which it is signed with, was revoked' lost.sig
    signed 'the signature, by the key' ended.sig
    says ', has expired'
    signed 'the signature cannot be checked: ' weak.sig
    signed 'not a detached signature' inline.sig
    head -c 50 www/good.sig >www/short.sig
    signed 'the signature cannot be checked: ' short.sig
    : >www/short.sig
    signed 'the signature cannot be checked: ' short.sig
    cp www/hello www/short.sig
    signed 'the signature cannot be checked: ' short.sig
    signed "cannot download the signature '$url/none': the server answers with status 404" none
    signed "cannot read '$work/none': No such file or directory" good.sig none
    signed "'$work/www/hello' has no public keys of OpenPGP" good.sig www/hello
    head -n 4 keyring.asc >half.asc
    signed "'$work/half.asc' has no public keys of OpenPGP" good.sig half.asc
    printf x >>www/data
    signed 'the signature is not one of this file, or was changed' good.sig
    is "$(find /tmp -maxdepth 1 -name 'rhost-signature.*' -newer keyring.asc)" ''
}

@test "OpenPGP: gpgv is missing, killed, or fails" {
    requires_root
    requires_command unshare
    gpg_keys
    serve
    $gpg -u good@example.org -o www/good.sig -b www/data
    $gpg -o keyring.gpg --export good@example.org
    printf 'resources:\n  - remote_file: %s/f\n    source: %s\n    signature: %s\n    keyring: %s\n' "$work" "$url/data" "$url/good.sig" "$work/keyring.gpg" >m.yaml
    with() {
        run unshare -m sh -c 'mount --bind "$1" "$(command -v gpgv)" && shift && exec "$@"' sh "$1" "$abs_top_builddir/rhost" \
            apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" m.yaml
        status_is 4
        [ ! -e f ]
    }
    export RHOST_ISOLATION
    touch none
    chmod 644 none
    with "$work/none"
    says "program 'gpgv' does not exist; it checks signatures of OpenPGP"
    printf '#!/bin/sh\nkill -KILL $$\n' >killed
    printf '#!/bin/sh\necho "[GNUPG:] GOODSIG 0123456789ABCDEF x"\nexit 2\n' >half
    printf '#!/bin/sh\necho no memory >&2\nexit 2\n' >failed
    chmod 755 killed half failed
    with "$work/killed"
    says 'gpgv was killed by signal 9'
    with "$work/half"
    says 'the signature cannot be checked: gpgv says nothing'
    with "$work/failed"
    says 'the signature cannot be checked: no memory'
}

@test "a run that is killed before the signature was checked leaves nothing" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    minisign_keys
    serve
    mkdir out
    minisign -S -s good.key -m www/data >minisign.log
    printf x >>www/data
    one "remote_file: $work/out/f" -- run apply --noop <<<"source: $url/data"$'\n'"signature: $url/data.minisig"$'\n'"public_key: $public_key"
    status_is 0
    for at in pread64:1 fsync:1; do
        strace -f -o trace -e inject="${at%:*}:signal=KILL:when=${at#*:}" "$abs_top_builddir/rhost" apply \
            --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none "$BATS_TEST_TMPDIR/site.yaml" >killed 2>&1 || true
        is "$(ls -A out)" ''
    done
}

# bats test_tags=inline
@test "what makes no sense is refused before anything is asked" {
    minisign_keys
    serve
    refuses "'signature' needs 'public_key' (of minisign) or 'keyring' (of OpenPGP) as well" <<<"source: $url/data"$'\n'"signature: $url/s"
    refuses "'public_key' needs 'signature' as well" <<<"source: $url/data"$'\n'"public_key: $public_key"
    refuses "'keyring' needs 'signature' as well" <<<"source: $url/data"$'\nkeyring: /x'
    refuses "'public_key' and 'keyring' exclude each other" <<<"source: $url/data"$'\n'"signature: $url/s"$'\nkeyring: /x\n'"public_key: $public_key"
    refuses 'expected a public key of minisign' <<<"source: $url/data"$'\n'"signature: $url/s"$'\npublic_key: abc'
    refuses 'expected a public key of minisign' <<<"source: $url/data"$'\n'"signature: $url/s"$'\n'"public_key: ${public_key%?}"
    refuses 'expected a URL of http or https' <<<"source: $url/data"$'\nsignature: ftp://x/s\n'"public_key: $public_key"
    refuses 'a user and a password do not belong into a URL' <<<"source: $url/data"$'\nsignature: http://me:x@127.0.0.1/s\n'"public_key: $public_key"
    is "$(asked true)" 0
}
