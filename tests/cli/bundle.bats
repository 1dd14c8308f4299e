#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Bundles: revisions of a site that are made, signed, verified, compared, published and applied.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    [ -x "$abs_top_builddir/core/rhost-bundle" ] || skip "built without libcrypto"
    mkdir -p site/roles site/secrets
    cat >site/site.yaml <<END
resources:
  - file: $work/made
    content: hello
END
    printf 'resources:\n  - directory: %s/web\n' "$work" >site/roles/web.yaml
    echo 'plain text' >site/secrets/password
    key release ed25519
    allow release 'namespaces="rhost-*"'
}

# key NAME TYPE [OPTION...]: a key of SSH
key() {
    ssh-keygen -q -t "$2" "${@:3}" -N '' -C '' -f "$1"
}

# allow KEY [OPTIONS]: it alone may sign
allow() {
    echo "ops@example.org ${2:+$2 }$(cat "$1.pub")" >signers
}

bundle() {
    case $1 in
    make) state_open && "$abs_top_builddir/rhost" bundle --state-dir "$BATS_TEST_TMPDIR/state" "$@" ;;
    *) "$abs_top_builddir/rhost" bundle "$@" ;;
    esac
}

# The bundle r1.json, made and signed.
make_bundle() {
    bundle make site -o out 2>/dev/null
    bundle sign out/r1.json --key="${1:-release}"
}

verify() {
    run bundle verify --signers=signers out/r1.json
}

refused() {
    status_is 1
    says "$1"
}

@test "a bundle is made, signed, verified and applied, and the run has its revision" {
    run bundle make site -o out --commit=abc --min-rhost=0.1
    status_is 0
    says out/r1.json
    says "skipping 'secrets/password': it is a secret in plain text"
    json_is out/r1.json 'd["format"], d["revision"], d["commit"], d["min_rhost"], d["files"], sorted(d["types"])' \
        "('rhost bundle 1', 1, 'abc', '0.1', 2, ['directory', 'file'])"
    is "$(sha256sum <"out/$(json out/r1.json 'd["sha256"]').tar.zst" | cut -d' ' -f1)" "$(json out/r1.json 'd["sha256"]')"
    run bundle sign out/r1.json --key=release
    status_is 0
    ssh-keygen -Y verify -f signers -I ops@example.org -n rhost-bundle -s out/r1.json.sig <out/r1.json
    verify
    status_is 0
    says "out/r1.json: revision 1, signed by ops@example.org ($(ssh-keygen -l -f release.pub | cut -d' ' -f2))"
    run rhost apply --signers=signers --report=report.json out/r1.json
    status_is 0
    is "$(cat made)" hello
    json_is report.json 'd["revision"], d["status"]' "('1', 'changed')"
    run rhost apply --signers=signers --detailed-exitcodes out/r1.json
    status_is 0
    run rhost runs
    status_is 0
    says 'revision 1'
}

@test "all types of keys that OpenSSH makes verify" {
    local of
    for of in rsa:3072 ecdsa:256 ecdsa:384 ecdsa:521; do
        rm -rf out
        key "k-$of" "${of%:*}" -b "${of#*:}"
        allow "k-$of"
        make_bundle "k-$of"
        verify
        status_is 0
    done
    rm -rf out
    key weak rsa -b 1024
    allow weak
    make_bundle weak
    verify
    refused 'the key of the signature cannot be used'
}

@test "the same site gives the same bytes" {
    bundle make site -o one 2>/dev/null
    touch -d '2 days ago' site/site.yaml
    chmod 600 site/roles/web.yaml
    bundle make site -o two 2>/dev/null
    diff -r one two
}

@test "what was changed, is signed by another key or for another purpose, or is not signed, is refused" {
    make_bundle
    mv out/r1.json.sig kept
    verify
    refused "'out/r1.json' is not signed: missing 'out/r1.json.sig'"
    key other ed25519
    bundle sign out/r1.json --key=other
    verify
    refused "'signers' does not have the key $(ssh-keygen -l -f other.pub | cut -d' ' -f2) of the signature"
    rm out/r1.json.sig
    ssh-keygen -q -Y sign -n file -f release out/r1.json
    verify
    refused "the signature is for 'file', not for 'rhost-bundle'"
    cp kept out/r1.json.sig
    verify
    status_is 0
    sed -i 's/"files": 2/"files": 3/' out/r1.json
    verify
    refused 'the signature is not that of the file'
    run rhost apply --signers=signers out/r1.json
    refused 'the signature is not that of the file'
    [ ! -e made ]
    echo 'no signature' >out/r1.json.sig
    verify
    refused 'it is no signature of SSH'
}

@test "each bit of a signature and of a description counts" {
    make_bundle
    python3 - "$abs_top_builddir/rhost" <<'END'
import base64, random, subprocess, sys
random.seed(1)
def verify():
    return subprocess.run([sys.argv[1], "bundle", "verify", "--signers=signers", "out/r1.json"],
                          capture_output=True).returncode
text = open("out/r1.json", "rb").read()
lines = open("out/r1.json.sig").read().split("\n")
blob = base64.b64decode("".join(lines[1:-2]))
def signature(b):
    t = base64.b64encode(b).decode()
    open("out/r1.json.sig", "w").write("\n".join([lines[0]] + [t[i:i+70] for i in range(0, len(t), 70)] + [lines[-2], ""]))
signature(blob)
assert verify() == 0
for i in range(120):
    b = bytearray(blob)
    b[random.randrange(len(b))] ^= 1 << random.randrange(8)
    signature(bytes(b[:random.randrange(len(b))] if i % 8 == 0 else b))
    assert verify() == 1, i
signature(blob)
for i in range(60):
    b = bytearray(text)
    b[random.randrange(len(b))] ^= 1 << random.randrange(8)
    open("out/r1.json", "wb").write(b)
    assert verify() == 1, i
END
}

@test "allowed signers have namespaces, times, patterns, comments and quotes" {
    make_bundle
    local line
    for line in 'ops@example.org' '"ops@example.org,b c"' '* namespaces="git,rhost-bundle"' 'a,b NAMESPACES="rhost-????le"' \
        'ops valid-after="20200101"' 'ops valid-before="29990101Z",namespaces="*"' 'ops valid-after="202001011200Z"' \
        'ops namespaces="*bundle"' 'ops namespaces="*-b*-b*,rhost-*"' 'ops namespaces="**r*t?b*e*"'; do
        printf '# comment\n\n  \n%s\n' "$line $(cat release.pub)" >signers
        verify
        status_is 0
    done
    allow release 'namespaces="git"'
    verify
    refused 'its line has other namespaces'
    allow release 'namespaces="rhost-bundle?,rhost-*x,?"'
    verify
    refused 'its line has other namespaces'
    # What each '*' stands for is not tried for each other one.
    allow release "namespaces=\"$(printf '*?%.0s' {1..6})$(printf '*-b*%.0s' {1..300})x\""
    run timeout 20 "$abs_top_builddir/rhost" bundle verify --signers=signers out/r1.json
    refused 'its line has other namespaces'
    allow release 'namespaces="rhost-*,!rhost-bundle"'
    verify
    refused 'its line has other namespaces'
    allow release 'valid-before="20200101"'
    verify
    refused 'its line is no longer valid (valid-before)'
    allow release 'valid-after="29990101"'
    verify
    refused 'its line is not valid yet (valid-after)'
    allow release cert-authority
    verify
    refused 'its line is for certificates (cert-authority)'
    for line in 'ops valid-after="2020"' 'ops valid-after="20201301"' 'ops unknown' 'ops namespaces="a' ops 'ops ssh-ed25519'; do
        printf '%s\n' "$line" >signers
        cat release.pub >>signers
        verify
        refused 'signers:1: this is no line of allowed signers'
    done
    : >signers
    verify
    refused "'signers' does not have the key"
}

@test "as root, signers that others can change are refused" {
    requires_root
    make_bundle
    chmod 666 signers
    verify
    refused "the allowed signers in 'signers' cannot be trusted"
    chmod 644 signers
    chown 1000 signers
    verify
    refused 'cannot be trusted'
}

# archive FILE...: puts this tar file into the bundle, as somebody with the key would.
hostile() {
    local sum size
    zstd -q -f archive.tar -o archive.zst
    sum=$(sha256sum <archive.zst | cut -d' ' -f1)
    size=$(stat -c %s archive.zst)
    rm -f out/*
    cp archive.zst "out/$sum.tar.zst"
    printf '{"format": "rhost bundle 1", "revision": 1, "manifest": "site.yaml", "sha256": "%s", "size": %s, "files": %s, "unpacked": %s}\n' \
        "$sum" "$size" "$1" "$2" >out/r1.json
    bundle sign out/r1.json --key=release
    verify
}

@test "archives with anything but plain files are refused" {
    command -v zstd >/dev/null || skip "no zstd"
    mkdir out
    python3 - <<'END'
import io, tarfile
def entry(t, name, data=b"x", **of):
    e = tarfile.TarInfo(name)
    e.size = len(data) if "type" not in of else 0
    e.mode = of.pop("mode", 0o644)
    for k, v in of.items():
        setattr(e, k, v)
    t.addfile(e, io.BytesIO(data) if e.size else None)
cases = {
    "up": [("../up", {})], "absolute": [("/tmp/up", {})], "dots": [("a/../../up", {})],
    "link": [("l", dict(type=tarfile.SYMTYPE, linkname="/etc"))],
    "hard": [("h", dict(type=tarfile.LNKTYPE, linkname="site.yaml"))],
    "device": [("d", dict(type=tarfile.CHRTYPE, devmajor=1, devminor=3))],
    "fifo": [("f", dict(type=tarfile.FIFOTYPE))], "directory": [("d", dict(type=tarfile.DIRTYPE))],
    "setuid": [("s", dict(mode=0o4755))], "owner": [("o", dict(uid=1000))], "twice": [("site.yaml", {})],
    "newline": [("a\nb", {})],
}
for name, entries in cases.items():
    with tarfile.open(name + ".tar", "w", format=tarfile.PAX_FORMAT) as t:
        entry(t, "site.yaml")
        for n, of in entries:
            entry(t, n, **of)
END
    for name in up absolute dots link hard device fifo directory setuid owner twice; do
        cp $name.tar archive.tar
        hostile 2 2
        [ "$status" -eq 1 ] || { echo "accepted: $name"; false; }
        says 'is no bundle: '
        run rhost apply --signers=signers out/r1.json
        status_is 1
        [ ! -e ../up ]
    done
    [ -z "$(find "$BATS_TEST_TMPDIR/state/bundles" -mindepth 1 ! -name lock 2>/dev/null)" ]
    cp newline.tar archive.tar
    hostile 1 1
    refused 'it has more than its description says'
    hostile 3 2
    refused 'it has less than its description says'
}

@test "an archive that grows without end is read no further than its description says" {
    command -v zstd >/dev/null || skip "no zstd"
    mkdir out
    truncate -s 400M big
    tar --owner=0 --group=0 --numeric-owner --mode=0644 -cf archive.tar --transform=s/big/site.yaml/ big
    rm big
    (ulimit -v 300000; hostile 1 1000; [ "$status" -eq 1 ] && says 'it has more than its description says')
    rm archive.tar
}

@test "a damaged archive, and one of another bundle, are refused" {
    make_bundle
    for archive in out/*.tar.zst; do :; done
    damage "$archive" 60
    verify
    refused 'is damaged: it has not the size and digest of its description'
    rm "$archive"
    verify
    refused 'No such file or directory'
    run rhost apply --signers=signers out/r1.json
    status_is 1
    [ ! -e made ]
}

@test "bundles of a newer rhost wait for it" {
    bundle make site -o out --min-rhost=99.1 2>/dev/null
    run rhost apply --insecure out/r1.json
    refused 'revision 1 needs rhost 99.1, and this is rhost'
}

@test "a site that is not valid gives no bundle, also where only a role is wrong" {
    printf 'resources:\n  - directory: %s/web\n    nod: 1\n' "$work" >site/roles/web.yaml
    run bundle make site -o out
    refused "unknown attribute 'nod'"
    printf 'roles: [web]\n' | cat - site/site.yaml >site/new && mv site/new site/site.yaml
    run bundle make site -o out
    status_is 1
    [ ! -e out ]
    run bundle make /etc
    status_is 1
    run bundle make nothing
    status_is 1
}

@test "revisions go up, and none is replaced" {
    bundle make site -o out 2>/dev/null
    run bundle make site -o out --revision=1
    status_is 0
    echo '# more' >>site/site.yaml
    run bundle make site -o out --revision=1
    refused "'out/r1.json' is there already, and is another bundle"
    run bundle make site -o out
    status_is 0
    says out/r2.json
    json_is out/r2.json 'd["parent"]' 1
    run bundle make site -o out --revision=2 --parent=2
    refused 'revision 2 cannot come after revision 2'
    for n in 0 x 1.5 -1 ''; do
        run bundle make site -o out "--revision=$n"
        refused '--revision'
    done
    run bundle diff out/r1.json out/r2.json
    status_is 0
    says '+# more'
    run bundle show out/r2.json
    status_is 0
    says 'parent 1'
    says 'roles/web.yaml'
    says_not 'secrets/password'
}

@test "publishing copies a bundle once, and replaces none" {
    make_bundle
    mkdir www
    run bundle publish --signers=signers out/r1.json www
    status_is 0
    run bundle publish --signers=signers out/r1.json www
    status_is 0
    diff -r out www
    rm -r out
    echo '# more' >>site/site.yaml
    make_bundle
    run bundle publish --signers=signers out/r1.json www
    refused "'www/r1.json' is there already, and is another bundle"
    run bundle publish --signers=signers out/r1.json nowhere
    status_is 1
}

@test "rsync publishes a bundle in the same way" {
    requires_command rsync
    make_bundle
    mkdir www
    run bundle publish --signers=signers out/r1.json "rsync:$PWD/www"
    status_is 0
    is "$output" "rsync:$PWD/www/r1.json"
    run bundle publish --signers=signers out/r1.json "rsync:$PWD/www"
    status_is 0
    diff -r out www
    is "$(stat -c %a www/* | sort -u)" 644
    rm -r out
    echo '# more' >>site/site.yaml
    make_bundle
    cp -R www before
    run bundle publish --signers=signers out/r1.json "rsync:$PWD/www"
    refused "'r1.json' in '$PWD/www' is another bundle of the same revision"
    diff -r before www
    # It is no option of rsync.
    run bundle publish --signers=signers out/r1.json rsync:--version
    status_is 0
    [ -e ./--version/r1.json ]
    run bundle publish --signers=signers out/r1.json rsync:/proc/none/here
    status_is 1
    says 'rsync could not copy'
}

@test "only the bundles used last, or in the last day, are kept" {
    for n in 1 2 3 4 5 6 7; do
        echo "# $n" >>site/site.yaml
        bundle make site -o out 2>/dev/null
        rhost apply -q --insecure "out/r$n.json"
    done
    cd "$BATS_TEST_TMPDIR/state/bundles"
    is "$(ls | grep -c '^r')" 7
    touch -d '2 days ago' r[1-6]-*
    cd - >/dev/null
    rhost apply -q --insecure out/r7.json
    is "$(ls "$BATS_TEST_TMPDIR/state/bundles" | grep -c '^r')" 5
}

@test "what was changed where a bundle is unpacked is not applied" {
    make_bundle
    rhost apply -q --signers=signers out/r1.json
    sed -i 's/hello/changed/' "$BATS_TEST_TMPDIR"/state/bundles/r1-*/site.yaml
    rm made
    rhost apply -q --signers=signers out/r1.json
    is "$(cat made)" hello
}

@test "the name of a bundle decides, and nothing that is in it" {
    mkdir out
    printf '{"resources": [{"file": "%s/made", "content": "evil"}]}\n' "$work" >out/r1.json
    run rhost apply --signers=signers out/r1.json
    refused 'is not signed'
    run rhost apply out/r1.json
    status_is 1
    run rhost apply --insecure out/r1.json
    refused 'describes no bundle'
    rm out/r1.json
    rhost plan -q -o out/r1.json site/site.yaml || [ $? -eq 2 ]
    run rhost apply --signers=signers out/r1.json
    refused 'is not signed'
    [ ! -e made ]
    # One revision is not given out as another.
    rm -r out
    make_bundle
    cp out/r1.json out/r9.json
    cp out/r1.json.sig out/r9.json.sig
    run rhost apply --signers=signers out/r9.json
    refused "is the description of revision 1: its name must be 'r1.json'"
    [ ! -e made ]
}

@test "links, and output within the site, are refused" {
    ln -s ../secrets/password site/roles/link
    run bundle make site -o out
    refused "'roles/link' is a symbolic link: a bundle cannot have it"
    rm site/roles/link
    mkdir site/out
    run bundle make site -o site/out
    refused 'must not be written into the site'
    (cd site && run bundle make . && refused 'must not be written into the site')
    printf '%0300d' 0 >long
    run bundle make site -o out --commit="$(cat long)"
    refused "'commit' must be a text of 1 to 200 bytes"
}

@test "a run of a bundle that is refused is reported with its revision" {
    make_bundle
    run rhost apply --role=none --signers=signers --report=report.json out/r1.json
    status_is 1
    is "$(json report.json '[d["status"], d["revision"]]')" "['refused', '1']"
}

@test "a bundle stands alone, and has a revision of its own" {
    make_bundle
    run rhost apply --signers=signers out/r1.json site/site.yaml
    refused "'out/r1.json' is a bundle: name it alone"
    run rhost apply --signers=signers --revision=x out/r1.json
    refused 'a bundle has its own revision'
    run rhost apply --signers=signers site/site.yaml
    refused "--signers and --insecure are for bundles, and 'site/site.yaml' is none"
    run bundle
    refused 'expected make DIR, sign FILE'
    run bundle mak
    refused "unknown command 'mak'"
    says "did you mean 'make'?"
    run bundle sign out/r1.json
    refused "'rhost bundle sign' needs --key=FILE"
    run bundle verify --key=release out/r1.json
    refused "--key is for 'rhost bundle sign'"
    run bundle verify --commit=x out/r1.json
    refused "are for 'rhost bundle make'"
    run bundle make site --signers=signers
    refused "'rhost bundle make' verifies no signature"
}
