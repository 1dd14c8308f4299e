#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the cargo and rustc of the machine, on crates of the test: no registry is asked.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/cargo_package/cargo.bash"

@test "a crate is built and installed, changed to another version and other features, and removed" {
    crate one 1.0.0
    crate one 1.1.0
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/cargo_package/cargo_package.md" |
        sed "s|/srv/example|$place|" >example.yaml
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e "$place/root" ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    is "$("$place/root/bin/one")" '1.0.0 false'
    is "$(CARGO_HOME=$home /usr/bin/cargo install --list --root "$place/root")" $'one v1.0.0:\n    one'
    package is_in_sync <<<'version: ^1.0'
    package run apply <<<'features: [extra]'
    status_is 0
    says 'features  [] → ["extra"]'
    is "$("$place/root/bin/one")" '1.1.0 true'
    package is_in_sync <<<'features: [extra]'
    package run apply <<<'version: 1.0.0'
    status_is 0
    is "$("$place/root/bin/one")" '1.0.0 true'
    package converges <<<'ensure: absent'
    is "$(ls "$place/root/bin")" ''
}

# differ TEXT: the summary of a dry run of the pairs "VERSION WANTED" on standard input.
differ() {
    local n=0 version wanted
    echo resources: >site.yaml
    rm -rf "$place"/e*
    while read -r version wanted; do
        n=$((n + 1))
        noted "$version"
        mv "$place/root" "$place/e$n"
        printf '  - cargo_package: "one: %s/e%s"\n    version: "%s"\n' "$place" "$n" "$wanted" >>site.yaml
    done
    run rhost apply --noop site.yaml
    status_is 0
    says "$n resources: $1"
}

@test "versions and requirements are compared by the rules of cargo" {
    differ '11 ok' <<'END'
1.0.0 1.0.0
1.0.0 =1.0
1.9.3 ^1.2
1.2.9 ~1.2.3
1.2.9 ~1.2
0.2.9 ^0.2.3
1.2.3 >=1.2, <2
1.10.0 >1.9
2.0.0-rc.1 2.0.0-rc.1
2.0.0-rc.2 >=2.0.0-rc.1
1.0.0+build 1.0.0
END
    differ '8 would change' <<'END'
1.0.1 1.0.0
2.0.0 ^1.2
1.3.0 ~1.2.3
0.3.0 ^0.2.3
1.9.0 >1.10
1.9.3 >1.9
2.0.0-rc.1 ^2.0.0
2.0.0-rc.1 >=1.0
END
}

@test "what cargo has noted is read as cargo reads it" {
    noted 1.0.0 one one-more
    cat >>"$place/root/.crates.toml" <<'END'
"one-two 3.0.0 (registry+https://github.com/rust-lang/crates.io-index)" = [
    "a", # the first
    "b",
]
'two 2.0.0 (path+file:///srv/two)' = []
END
    is "$(CARGO_HOME=$home /usr/bin/cargo install --list --root "$place/root" | grep '^[^ ]')" \
        $'one v1.0.0:\none-two v3.0.0:\ntwo v2.0.0 (/srv/two):'
    run rhost resource cargo_package "one: $place/root"
    says 'version: "1.0.0"'
    says 'default_features: true'
    mkdir -p "$place/root/bin"
    touch "$place/root/bin/"{a,b}
    run rhost resource cargo_package "one-two: $place/root"
    says 'version: "3.0.0"'
    run rhost resource cargo_package "two: $place/root"
    says 'version: "2.0.0"'
    run rhost resource cargo_package "three: $place/root"
    says 'absent'
    # Of a crate that only .crates.toml has, cargo knows that it was built with the default features.
    rm "$place/root/.crates2.json"
    package is_in_sync <<<$'version: 1.0.0\ndefault_features: true\nfeatures: []'
    : >"$place/root/.crates.toml"
    package run apply --noop --detailed-exitcodes </dev/null
    status_is 2
}

@test "cargo runs as the owner, and as root only where nobody else can change what it obeys" {
    crate one 1.0.0
    mkdir "$place/cargo"
    cp "$home/config.toml" "$place/cargo/"
    chown -R daemon "$place/cargo"
    one "cargo_package: 'one: $place/own'" 'owner: daemon' "cargo_home: $place/cargo" -- run apply </dev/null
    status_is 0
    is "$(stat -c %U "$place"/own/bin/one "$place"/own/.crates.toml | sort -u)" daemon
    one "cargo_package: 'one: $place/own'" -- fails "owner: '$place/own' belongs to user 'daemon'" <<<'owner: root'
    one "cargo_package: 'one: $place/own'" -- fails "unknown user 'nobody-here'" <<<'owner: nobody-here'
    one "cargo_package: 'one: $place/own'" "cargo_home: $work/home" -- \
        fails "cannot run cargo with its home '$work/home': another user can change '${BATS_TEST_TMPDIR%/bats-run*}/.cargo'" <<<'version: 2.0.0'
    mkdir -p "$place/root/bin" "$home/registry/src"
    touch "$place/root/bin/one" "$place/root/.crates.toml"
    for path in root/bin root/bin/one root/.crates.toml home/config.toml home home/registry/src; do
        chown daemon "$place/$path"
        package fails "as root: another user can change '$place/$path'" </dev/null
        chown root "$place/$path"
    done
    one "cargo_package: 'one: $place/root'" "cargo_home: $work/home" -- \
        fails "cannot run cargo in '$place/root' as root: '${BATS_TEST_TMPDIR%/bats-run*}/.cargo/config' is not safe: others can create it" </dev/null
}

@test "what a manifest cannot say is refused" {
    for version in 1.0 new v1.0.0 '~> 1.2' '>=1.0 <2' '1.x' '*' '^1.2,'; do
        package fails "version: '$version' is not a whole version such as '1.2.0', nor requirements such as '^1.2, <1.9'" <<<"version: '$version'"
    done
    package fails "index: 'registry' and 'index' exclude each other" <<<$'registry: ours\nindex: https://example.org/'
    package run apply <<<'index: https://me:secret@example.org/'
    status_is 1
    says 'must not have a user or a password'
    says_not 'secret@'
    one "cargo_package: 'one: root'" -- run apply </dev/null
    status_is 1
    one "cargo_package: '--help: $place/root'" -- run apply </dev/null
    status_is 1
    package run apply <<<'features: [--all]'
    status_is 1
}
