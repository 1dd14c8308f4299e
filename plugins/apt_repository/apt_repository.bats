#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/scratch.bash"

teardown() {
    scratch_close
}

KEY='-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEZ0examplekeyonlyxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
=abcd
-----END PGP PUBLIC KEY BLOCK-----'

file=apt/sources.list.d/tool.sources

# A repository below $work/apt, with more lines on standard input.
repository() {
    mkdir -p apt/sources.list.d
    { printf 'resources:\n  - apt_repository: tool\n    root: %s\n' "$work/apt"; sed 's/^/    /'; } >site.yaml
    "$@" <site.yaml
}

# The same with the key on a line of its own.
with_key() {
    { cat && printf '%s: |\n' "$1" && sed 's/^/  /' <<<"$KEY"; }
}

where() {
    printf 'uris: https://example.org/debian\nsuites: stable\ncomponents: main\n'
}

# The addresses that apt would read with it; nothing is fetched.
apt_reads() {
    requires_command apt-get
    mkdir -p lists/partial
    apt-get update --print-uris -o Dir::Etc::SourceList=/dev/null -o Dir::State::Lists="$work/lists" \
        -o Dir::Etc::SourceParts="$work/apt/sources.list.d" 2>&1
}

# bats test_tags=inline
@test "a repository is written as apt reads it" {
    for RHOST_ISOLATION in $isolations; do
        rm -rf apt
        repository converges <<'END'
uris: [https://example.org/debian]
suites: [stable, stable-updates]
components: [main, contrib]
architectures: [amd64, arm64]
signed_by: /usr/share/keyrings/debian-archive-keyring.gpg
END
        [ "$(cat $file)" = "Types: deb
URIs: https://example.org/debian
Suites: stable stable-updates
Components: main contrib
Architectures: amd64 arm64
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" ]
        [ "$(mode_of $file)" = 644 ]
    done
    rm -rf apt
    umask_is 077
    repository converges <<'END'
uris: [https://example.org/debian]
suites: [stable, stable-updates]
components: [main, contrib]
END
    is "$(mode_of $file)" 644
    [[ "$(apt_reads)" == *"https://example.org/debian/dists/stable-updates/InRelease"* ]]
}

# bats test_tags=inline
@test "noop shows what differs, and writes nothing" {
    repository run apply --noop < <(where)
    status_is 0
    says 'would change'
    [ ! -e $file ]
    repository converges < <(where)
    cp $file before
    sed -i 's/suites: stable/suites: testing/' site.yaml
    run rhost apply --noop site.yaml
    says 'stable'
    says 'testing'
    cmp $file before
}

@test "what is not mentioned stays byte for byte: fields, comments, order, how it is spelled" {
    mkdir -p apt/sources.list.d
    printf '# ours\n\nTypes: deb\nuris: https://example.org/debian\n# one at a time\nSuites: stable\n  testing\n' >$file
    printf 'X-Mine:  a\nComponents:   main\nEnabled: On\n' >>$file
    cp $file before
    repository is_in_sync <<'END'
uris: https://example.org/debian
suites: [stable, testing]
enabled: true
END
    cmp $file before
    repository converges <<'END'
suites: [stable]
architectures: amd64
END
    sed -i -e '/^  testing/d' before
    echo 'Architectures: amd64' >>before
    cmp $file before
}

@test "drift is repaired" {
    repository converges < <(where)
    cp $file before
    sed -i 's/example.org/evil.example/' $file
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'evil.example'
    cmp $file before
    echo 'Enabled: no' >$file
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

# bats test_tags=inline
@test "an armored key is stored beside, for everybody to read" {
    (
        umask 077
        where | with_key key | repository converges
    )
    printf '%s\n' "$KEY" | cmp - apt/keyrings/tool.asc
    [ "$(mode_of apt/keyrings)" = 755 ]
    [ "$(mode_of apt/keyrings/tool.asc)" = 644 ]
    grep -qx "Signed-By: $work/apt/keyrings/tool.asc" $file
    chmod 600 apt/keyrings/tool.asc
    run rhost apply --noop site.yaml
    says "cannot be read by apt, with the mode 0600"
    echo x >>apt/keyrings/tool.asc
    run rhost apply --noop site.yaml
    says "'$work/apt/keyrings/tool.asc' has another key"
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    [ "$(cat apt/keyrings/tool.asc)" = "$KEY" ]
    [ "$(mode_of apt/keyrings/tool.asc)" = 644 ]
    sed -i '/Signed-By/d' $file
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says "it is not signed by '$work/apt/keyrings/tool.asc'"
}

@test "a key is copied from a file, and has the suffix that apt wants for it" {
    mkdir apt
    printf '\x98\x33\x04abc\x00\xff' >downloaded
    { where && echo "key: $work/downloaded"; } | repository converges
    cmp downloaded apt/keyrings/tool.gpg
    grep -qx "Signed-By: $work/apt/keyrings/tool.gpg" $file
    echo "$KEY" >downloaded
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    cmp downloaded apt/keyrings/tool.asc
    [ ! -e apt/keyrings/tool.gpg ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "the file of the key may be made in the same run" {
    mkdir -p apt/sources.list.d
    { where && echo "key: $work/downloaded"; } | repository true
    {
        cat site.yaml
        printf '  - file: %s\n    content: |\n' "$work/downloaded"
        sed 's/^/      /' <<<"$KEY"
    } >both.yaml
    run rhost apply --noop both.yaml
    status_is 0
    run rhost apply --detailed-exitcodes both.yaml
    status_is 2
    [ "$(cat apt/keyrings/tool.asc)" = "$KEY" ]
}

@test "a key is stored where signed_by says" {
    { where && echo "signed_by: $work/keys/k.asc"; } | with_key key | repository converges
    [ "$(cat keys/k.asc)" = "$KEY" ]
    grep -qx "Signed-By: $work/keys/k.asc" $file
    sed -i 's/k.asc/k.gpg/' site.yaml
    run rhost apply site.yaml
    status_is 4
    says "only from a file that ends with '.asc'"
}

@test "a key in the stanza itself" {
    where | with_key signed_by | repository converges
    grep -qx ' -----BEGIN PGP PUBLIC KEY BLOCK-----' $file
    grep -qx ' \.' $file
    [ ! -e apt/keyrings ]
    [[ "$(apt_reads)" == *"https://example.org/debian/dists/stable/InRelease"* ]]
}

@test "other fields are kept by name, and taken out" {
    { where && printf 'fields:\n  Trusted: true\n  Check-Valid-Until: no\n  By-Hash: force\n'; } | repository converges
    grep -qx 'Trusted: yes' $file
    grep -qx 'Check-Valid-Until: no' $file
    { where && printf 'fields:\n  by-hash: ""\n  Trusted: yes\n'; } | repository converges
    not grep -qi by-hash $file
    grep -qx 'Check-Valid-Until: no' $file
}

@test "switched off, and without components again" {
    { where && echo 'enabled: false'; } | repository converges
    grep -qx 'Enabled: no' $file
    printf 'uris: https://example.org/debian\nsuites: ./\ncomponents: []\nenabled: true\n' | repository converges
    not grep -q Components $file
    [[ "$(apt_reads)" == *"https://example.org/debian/./InRelease"* ]]
}

@test "a path as suite" {
    printf 'uris: file:/srv/debs\nsuites: ./\ntypes: [deb, deb-src]\n' | repository converges
    [ "$(cat $file)" = "Types: deb deb-src
URIs: file:/srv/debs
Suites: ./" ]
}

# bats test_tags=inline
@test "absent removes the file and its key, not one that others use" {
    where | with_key key | repository converges
    repository converges <<<'ensure: absent'
    [ ! -e $file ]
    [ ! -e apt/keyrings/tool.asc ]
    where | with_key key | repository converges
    echo "deb [signed-by=$work/apt/keyrings/tool.asc] http://x y main" >apt/sources.list
    repository converges <<<'ensure: absent'
    [ ! -e $file ]
    [ -e apt/keyrings/tool.asc ]
}

@test "a title that ends in .sources is the one without" {
    mkdir -p apt/sources.list.d
    converges <<END
resources:
  - apt_repository: tool.sources.sources
    root: $work/apt
    uris: https://example.org/debian
    suites: stable
    components: main
END
    is "$(ls apt/sources.list.d)" tool.sources
}

# bats test_tags=inline
@test "what is in no manifest is purged, with its key" {
    scratch_open
    in_scratch sh -c 'rm -f /etc/apt/sources.list.d/*; mkdir -p /etc/apt/keyrings'
    { printf 'resources:\n  - apt_repository: tool\n' && where | sed 's/^/    /'; } >one.yaml
    printf 'Types: deb\nURIs: http://x.example/\nSuites: a\nComponents: b\n' >old
    in_scratch cp old /etc/apt/sources.list.d/old.sources
    in_scratch sh -c 'echo x >/etc/apt/keyrings/old.asc'
    { cat one.yaml && echo '  - purge: apt_repository'; } >site.yaml
    run rhost apply site.yaml
    status_is 0
    [ "$(in_scratch ls /etc/apt/sources.list.d)" = tool.sources ]
    in_scratch test ! -e /etc/apt/keyrings/old.asc
}

@test "the same in a file of lines is told" {
    mkdir -p apt/sources.list.d
    printf '# x\ndeb [arch=amd64 trusted=yes] https://example.org/debian/ stable main\n' >apt/sources.list.d/old.list
    repository run apply < <(where)
    status_is 0
    says "line 2 of '$work/apt/sources.list.d/old.list' has it as well"
}

@test "an empty file is not what is desired, and gets a stanza" {
    mkdir -p apt/sources.list.d
    : >$file
    repository converges < <(where)
    grep -qx 'Suites: stable' $file
}

@test "a file with several stanzas, or of another format, is refused, and can be removed" {
    mkdir -p apt/sources.list.d
    printf 'Types: deb\n\nTypes: deb-src\n' >$file
    repository run apply < <(where)
    status_is 4
    says 'has 2 stanzas, and a resource has one'
    printf 'deb http://x y z\n' >$file
    repository run apply < <(where)
    says "line 1 of '$work/$file' is not of the deb822 format"
    repository converges <<<'ensure: absent'
}

@test "mistakes are named" {
    mistake() {
        repository run apply < <(printf '%b\n' "$1")
        [ "$status" -ne 0 ]
        says "$2"
    }
    mistake 'uris: example.org/debian\nsuites: a\ncomponents: b' "'example.org/debian' is not a URI"
    mistake 'uris: /srv/x\nsuites: a/' 'file:/srv/debian'
    mistake 'uris: http://x\nsuites: a/\ncomponents: main' "cannot be set where the suite is a path"
    mistake 'uris: http://x\nsuites: a\ncomponents: []' 'the suite needs some'
    mistake 'uris: http://x\nsuites: a' 'the suite needs some'
    mistake 'uris: http://x\nsuites: [a, b/]\ncomponents: c' 'some are paths'
    mistake 'uris: []\nsuites: a\ncomponents: c' 'expected at least one'
    mistake 'suites: a\ncomponents: c' "cannot be created without 'uris'"
    mistake 'types: rpm' "expects a value of type Array[Enum['deb', 'deb-src'], 1]"
    mistake "$(where)\nfields: {Suites: x}" "has an attribute of its own, 'suites'"
    mistake "$(where)\nkey: <html>" 'it is not a public key of OpenPGP'
    mistake "$(where)\nkey: -----BEGIN PGP PRIVATE KEY BLOCK-----" 'it is a private key'
    mistake "$(where)\nkey: -----BEGIN PGP PUBLIC KEY BLOCK-----" 'it is cut short'
    mistake "$(where)\nkey: /nowhere.asc" "cannot read '/nowhere.asc'"
    mistake "$(where)\nkey: /etc/passwd" "'/etc/passwd': it is not a public key"
    mistake "$(where)\nsigned_by: 0123ABCD\nkey: /etc/passwd" 'the file in which that is stored'
    [ ! -e $file ]
    run apply <<<'resources: [{apt_repository: ../x}]'
    says 'expects a match for Pattern'
}

# bats test_tags=inline
@test "what is listed is as wanted" {
    scratch_open
    in_scratch sh -c 'rm -f /etc/apt/sources.list.d/*.sources'
    printf '# c\nTypes: deb deb-src\nURIs: http://a.example/ http://b.example\nSuites: s\nComponents: main\n' >one
    printf 'Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n -----END PGP PUBLIC KEY BLOCK-----\n' >>one
    printf 'Languages: none\nX-Long: a\n b\n .\n c\n' >>one
    printf 'Types: deb\nURIs: http://a.example\nSuites: ./\nEnabled: no\nSigned-By: /a.gpg /b.gpg\n' >two
    printf 'Types: deb\nURIs: nothing\nSuites: x\n' >three
    in_scratch cp one /etc/apt/sources.list.d/one.sources
    in_scratch cp two /etc/apt/sources.list.d/two.sources
    in_scratch cp three /etc/apt/sources.list.d/three.sources
    printf 'Types: deb\n\nTypes: deb-src\n' >four
    in_scratch cp four /etc/apt/sources.list.d/four.sources
    for RHOST_ISOLATION in $isolations; do
        run rhost resource apt_repository
        status_is 0
        says 'apt_repository: one'
        says 'apt_repository: two'
        printf '%s\n' "$output" | grep -v "has 2 stanzas" >listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        says_not 'would change'
    done
}
