#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Channels: which revision each machine shall have, signed by the rollout key.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    [ -x "$abs_top_builddir/core/rhost-bundle" ] || skip "built without libcrypto"
    mkdir site
    printf 'resources:\n  - file: %s/made\n' "$work" >site/site.yaml
    key release
    key rollout
    printf 'ops namespaces="rhost-bundle" %s\nops namespaces="rhost-channel" %s\n' "$(cat release.pub)" \
        "$(cat rollout.pub)" >signers
    make_revisions 3
}

key() {
    ssh-keygen -q -t ed25519 -N '' -C '' -f "$1"
}

bundle() {
    case $1 in
    make) state_open && "$abs_top_builddir/rhost" bundle --state-dir "$BATS_TEST_TMPDIR/state" "$@" ;;
    *) "$abs_top_builddir/rhost" bundle "$@" ;;
    esac
}

make_revisions() {
    for ((n = 1; n <= $1; n++)); do
        echo "# $n" >>site/site.yaml
        bundle make site -o www 2>/dev/null
        bundle sign "www/r$n.json" --key=release
    done
}

channel() {
    run bundle channel --signers=signers --key=rollout www "$@"
}

refused() {
    status_is 1
    says "$1"
}

@test "a channel is made, signed, shown and counted up" {
    channel --to=1
    status_is 0
    json_is www/channel.json 'sorted(d), d["serial"], d["want"], d["else"], d["percent"], d["min_revision"]' \
        "(['else', 'expires', 'format', 'issued', 'min_revision', 'percent', 'salt', 'serial', 'want'], 1, 1, 1, 100, 1)"
    ssh-keygen -Y verify -f signers -I ops -n rhost-channel -s www/channel.json.sig <www/channel.json
    channel --to=2 --percent=10 --expires=7d --min-revision=1
    status_is 0
    says 'serial 2'
    json_is www/channel.json 'd["serial"], d["want"], d["else"], d["percent"]' '(2, 2, 1, 10)'
    local salt
    salt=$(json www/channel.json 'd["salt"]')
    channel --to=2 --percent=50 --host=web1 --host=web2
    status_is 0
    json_is www/channel.json 'd["serial"], d["else"], d["hosts"], d["salt"]' "(3, 1, ['web1', 'web2'], '$salt')"
    channel --to=3 --host=web1
    status_is 0
    json_is www/channel.json 'd["else"], d["percent"], d["salt"] != "'"$salt"'"' '(2, 0, True)'
    run bundle channel --signers=signers www
    status_is 0
    says 'revision 3 for 0 % of the machines, and for these:'
    says web1
    says 'otherwise 2'
    says 'signed by ops (SHA256:'
    run bundle channel --signers=signers --format=json www
    status_is 0
    is "$output" "$(cat www/channel.json)"
    is "$(find www -name '*channel*' ! -path 'www/channel.json*')" ''
    # Other tests have directories of that name, too, and not this salt.
    is "$(grep -ls -e "$salt" -e "$(json www/channel.json 'd["salt"]')" /tmp/rhost-channel-*/* || true)" ''
}

@test "revisions that no machine would take are not named" {
    channel --to=4
    refused "cannot open 'www/r4.json'"
    channel --to=2 --percent=10
    refused 'the first channel must say what the others get: give --else=REVISION'
    channel --to=2 --else=9 --percent=10
    refused "'www/r9.json'"
    rm www/r2.json.sig
    channel --to=2
    refused "'www/r2.json' is not signed"
    ssh-keygen -q -Y sign -n rhost-channel -f release www/r2.json
    channel --to=2
    refused "the signature is for 'rhost-channel', not for 'rhost-bundle'"
    ssh-keygen -q -Y sign -n rhost-bundle -f rollout - <www/r2.json >www/r2.json.sig
    channel --to=2
    refused 'its line has other namespaces'
    for archive in www/*.tar.zst; do echo X >>"$archive"; done
    channel --to=3
    refused 'is damaged'
    [ ! -e www/channel.json ]
}

@test "a channel by a key that does not count is not published" {
    run bundle channel --signers=signers --key=release www --to=1
    refused "nothing was published: the signature of"
    key stranger
    run bundle channel --signers=signers --key=stranger www --to=1
    refused "does not have the key"
    run bundle channel --signers=signers --key=missing www --to=1
    refused "ssh-keygen did not sign with 'missing'"
    [ ! -e www/channel.json ]
    [ ! -e www/channel.json.sig ]
    run bundle channel --signers=signers www --to=1
    refused 'needs --key=FILE'
}

@test "serial and lowest revision only go up" {
    channel --to=2 --min-revision=2 --serial=50
    status_is 0
    channel --to=3 --serial=50
    refused 'serial 50 is not above that of the last channel, 50'
    channel --to=3 --serial=1000051
    refused 'serial 1000051 is more than 1000000 above that of the last channel, 50'
    channel --to=3 --min-revision=1
    refused "'min_revision' can only go up: it was 2"
    channel --to=1
    refused "revision 1 is below 'min_revision', 2"
    channel --to=3 --else=1 --percent=50
    refused "revision 1 is below 'min_revision', 2"
    channel --to=3
    status_is 0
    json_is www/channel.json 'd["serial"], d["min_revision"]' '(51, 2)'
}

@test "a channel that was changed is not gone on from" {
    channel --to=1
    sed -i 's/"serial": 1/"serial": 999/' www/channel.json
    channel --to=2
    refused 'is not signed by'
    run bundle channel --signers=signers www
    refused 'is not signed by'
}

@test "both files are written before either is replaced" {
    channel --to=1
    cp www/channel.json* .
    mkdir www/.channel.json.new.sig
    channel --to=2
    refused "cannot write 'www/.channel.json.new.sig'"
    cmp channel.json www/channel.json
    cmp channel.json.sig www/channel.json.sig
    rmdir www/.channel.json.new.sig
    is "$(find www -name '.channel*')" ''
    channel --to=2
    status_is 0
    is "$(find www -name '.channel*')" ''
    # Cut off between the two renames.
    cp channel.json www
    channel --to=2
    refused 'is not signed by'
    says 'move the channel and its signature away, and give --serial and --min-revision'
    rm www/channel.json*
    channel --to=2 --serial=3
    status_is 0
}

@test "two at once do not make the same serial" {
    needs_python
    channel --to=1
    exec 8<www
    flock 8
    channel --to=2
    refused "another channel is being made in 'www'"
    exec 8<&-
}

@test "what is no channel is refused, each part of it" {
    needs_python
    python3 - "$abs_top_builddir/rhost" <<'END'
import json, subprocess, sys
good = dict(format="rhost channel 1", serial=1, issued="2026-01-01T00:00:00Z", expires="2026-02-01T00:00:00Z",
            want=2, percent=10, salt="ab", min_revision=1, hosts=["a"])
good["else"] = 1
def read(d, text=None):
    open("www/channel.json", "w").write(text if text is not None else json.dumps(d))
    p = subprocess.run([sys.argv[1], "bundle", "channel", "--insecure", "www"], capture_output=True, text=True)
    return p.returncode, p.stderr
assert read(good)[0] == 0, read(good)
for key in good:
    if key not in ("hosts",):
        d = dict(good); del d[key]
        assert read(d)[0] == 1, key
bad = dict(format=["rhost channel 2", "rhost channel 1\0", 1], serial=[0, -1, 1.5, "1", 10**18], issued=["", "2026", 5, "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T00:00:00", "2026-03-01T00:00:00Z"], expires=["2026-01-01T00:00:00Z"],
    want=[0, "2"], percent=[-1, 101, 10.5, None], salt=["", "a b", "x" * 65, 7], min_revision=[0, 3],
    hosts=["a", [1], [""], ["x" * 256], ["\0web1"], ["web1\0x"], ["x"] * 10001, {"a": 1}], other=[1])
for key, values in bad.items():
    for v in values:
        code, err = read(dict(good, **{key: v}))
        assert code == 1 and "is no channel" in err, (key, v, err)
assert "unknown key 'other'" in err
for text in ("", "[]", "{", json.dumps(good) + "x", "\0"):
    assert read(None, text)[0] == 1, text
assert "beyond" not in read(None, " " * (1 << 20) + json.dumps(good))[1] and read(None, " " * (1 << 20) + json.dumps(good))[0] == 1
END
}

@test "options of channels are for channels" {
    run bundle verify --signers=signers www/r1.json --to=1
    refused "for 'rhost bundle channel'"
    run bundle channel --signers=signers www --percent=5
    refused 'a channel is made with --to=REVISION'
    for bad in --percent=101 --percent=x --to=0 --expires=x --host= --serial=-1 --min-revision=a; do
        channel --to=1 "$bad"
        refused "${bad%%=*}"
    done
    run bundle channel
    refused 'expected make DIR'
}
