# SPDX-License-Identifier: Apache-2.0
# What the tests of cargo_package share: crates of the test, in a directory that stands for crates.io.

setup() {
    work_open
    requires_root
    [ -x /usr/bin/cargo ] || skip "no cargo of the system on this machine"
    # cargo obeys a configuration above its home, so that must not be below /tmp.
    place=$(mktemp -d /var/lib/rhost-cargo.XXXXXX)
    chmod 755 "$place"
    home=$place/home
    mkdir "$home"
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
    printf '[source.crates-io]\nreplace-with = "test"\n[source.test]\ndirectory = "%s/crates"\n[build]\njobs = 1\n[profile.release]\nopt-level = 0\n' \
        "$work" >"$home/config.toml"
    mkdir crates
}

teardown() {
    rm -rf "${place:?}"
}

# The crate "one" of the place, whose other attributes stand on standard input.
package() {
    one "cargo_package: 'one: $place/root'" "cargo_home: $home" -- "$@"
}

# crate NAME VERSION [MAIN]: a program that prints what it is.
crate() {
    local to=crates/$1-$2 main
    mkdir -p "$to/src"
    printf '[package]\nname = "%s"\nversion = "%s"\nedition = "2021"\n[features]\ndefault = ["base"]\nbase = []\nextra = []\n' "$1" "$2" >"$to/Cargo.toml"
    main="println!(\"$2 {}\", cfg!(feature = \"extra\"))"
    echo "fn main() { ${3-$main} }" >"$to/src/main.rs"
    echo '{"files":{},"package":null}' >"$to/.cargo-checksum.json"
}

# noted VERSION [PROGRAM]...: what cargo has noted of the crate "one", and its programs.
noted() {
    local id="one $1 (registry+https://github.com/rust-lang/crates.io-index)" all
    shift
    mkdir -p "$place/root/bin"
    all=$(printf '"%s", ' "${@:-one}")
    for program in "${@:-one}"; do touch "$place/root/bin/$program"; done
    printf '[v1]\n"%s" = [%s]\n' "$id" "${all%, }" >"$place/root/.crates.toml"
    printf '{"installs":{"%s":{"version_req":null,"bins":[%s],"features":[],"all_features":false,"no_default_features":false,"profile":"release"}}}' \
        "$id" "${all%, }" >"$place/root/.crates2.json"
}
