#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The crate in sdk/rust: a provider in Rust is as good as one in C. Nothing is fetched: it needs the standard
# library alone.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/as-link.bash"
source "$abs_top_srcdir/tests/sdk/sample.bash"

setup_file() {
    export crate=$BATS_FILE_TMPDIR/crate
    unset MAKEFLAGS MFLAGS # cargo would ask a make that does not answer, and old ones fail then
    export CARGO_HOME=$BATS_FILE_TMPDIR/cargo CARGO_TARGET_DIR=$BATS_FILE_TMPDIR/target RUSTFLAGS='-D warnings'
    if command -v cargo >/dev/null; then
        cp -r "$abs_top_srcdir/sdk/rust" "$crate"
        chmod -R u+w "$crate"
        cargo build --offline --quiet --release --examples --manifest-path "$crate/Cargo.toml" >"$crate.log" 2>&1 || {
            cat "$crate.log"
            return 1
        }
    fi
}

eval "lib_$(declare -f setup)"
setup() {
    lib_setup
    requires_command cargo
    mkdir plugins
    cp "$CARGO_TARGET_DIR/release/examples/liblink.so" plugins/link.so
    cp "$CARGO_TARGET_DIR/release/examples/libsample.so" plugins/sample.so
    cp "$CARGO_TARGET_DIR/release/examples/libthrows.so" plugins/throws.so
    cp "$CARGO_TARGET_DIR/release/examples/libkeeper.so" plugins/keeper.so
}

@test "the link in Rust passes the tests of the link" {
    stands_in_for_link link.so
}

@test "the link in Rust passes the check with the fixture of the link" {
    run rhost check --seed=1 --state-dir state plugins/link.so --fixture "$abs_top_srcdir/plugins/link/link.fixture.yaml"
    echo "$output"
    status_is 0
    # Rust's library gives up when memory is out.
    [ -z "$(grep -E '^(warn|fail)' <<<"$output" | grep -vE '^warn +(no-memory|memory-limit) ')" ]
}

@test "a crate of its own, as docs/authors/rust.md has it, becomes the plugin" {
    mkdir -p link/src
    sed -n '/^    \[package\]/,/^[^ ]/s/^    //p' "$abs_top_srcdir/docs/authors/rust.md" |
        sed "s|/usr/share/rhost/rust|$crate|" >link/Cargo.toml
    grep -q "^rhost-provider = { path = \"$crate\" }" link/Cargo.toml
    cp "$crate/examples/link.rs" link/src/lib.rs
    cargo build --offline --quiet --release --manifest-path link/Cargo.toml
    run rhost check --seed=1 --state-dir state "$CARGO_TARGET_DIR/release/liblink.so" \
        --fixture "$abs_top_srcdir/plugins/link/link.fixture.yaml"
    echo "$output"
    status_is 0
}

@test "a plugin in Rust exports its entry alone" {
    requires_command nm
    [ "$(nm -D --defined-only plugins/link.so | awk '{ print $3 }')" = rhost_plugin_v1 ]
}

@test "what goes wrong in Rust fails the resource that it is about, with its reason" {
    cat >site.yaml <<YAML
resources:
  - {throws: a, how: attribute}
  - {throws: b, how: system}
  - {throws: c, how: library}
  - {throws: d, how: panic}
  - {throws: e, how: index}
  - {throws: f, how: well}
  - {throws: g, how: canonicalize}
YAML
    for RHOST_ISOLATION in confined none; do
        run rhost apply --plugin-dir=plugins site.yaml
        status_is 1
        says 'site.yaml:8:22: error: throws[g]: how: there is no such way'
        says '1 error; nothing was changed'
    done
    sed -i /canonicalize/d site.yaml
    for RHOST_ISOLATION in confined none; do
        run rhost apply --plugin-dir=plugins site.yaml
        echo "$output"
        status_is 4
        says 'this is no way'
        says 'cannot do it: No space left on device'
        says 'invalid digit found in string'
        says 'panicked at examples/throws.rs:'
        says 'nobody thought of panic'
        says 'index out of bounds'
        says "it is to be 'well'"
        says '6 were set'
        says '1 changed, 5 failed'
        says_not 'crashed'
        says_not 'something else'
        says_not 'RUST_BACKTRACE'
    done
}

@test "get in Rust knows what is asked, and can fail one name" {
    cat >site.yaml <<'YAML'
resources:
  - {throws: a, how: unread}
  - {throws: b, how: well}
YAML
    run rhost apply --plugin-dir=plugins site.yaml
    status_is 4
    says 'failed: it cannot be read: unread'
    says '1 changed, 1 failed'
}

@test "a panic while reading fails the reading" {
    run rhost resource --plugin-dir=plugins throws unreadable
    status_is 4
    says 'thrown while reading'
    # Also when what it was panicked with panics again.
    run rhost resource --plugin-dir=plugins throws fuse
    status_is 4
    says 'no reason given'
    says_not 'crashed'
    run rhost resource --plugin-dir=plugins throws readable
    status_is 0
    says 'values: {"b": true, "i": 7, "r": 0.5, "s": "text", "n": null, "l": ["a", "b"]}'
}

@test "an action of a provider in Rust follows a notification" {
    cat >site.yaml <<YAML
resources:
  - {throws: a, how: well, notify: "throws[b]"}
  - {throws: b, how: default}
YAML
    run rhost apply --plugin-dir=plugins site.yaml
    echo "$output"
    says 'b has to shout'
}

@test "the crate has the layout of the headers, and its manual compiles" {
    RHOST_ABI_LAYOUT=$abs_top_srcdir/tests/sdk/abi-1.layout \
        run cargo test --offline --quiet --release --manifest-path "$crate/Cargo.toml"
    echo "$output"
    status_is 0
}

@test "a member that moved is named" {
    sed 's/^rhost_change.is at 24/rhost_change.is at 32/' "$abs_top_srcdir/tests/sdk/abi-1.layout" >layout
    RHOST_ABI_LAYOUT=$work/layout run cargo test --offline --release --manifest-path "$crate/Cargo.toml" --test layout
    [ "$status" -ne 0 ]
    says 'rhost_change.is'
}

@test "sample in Rust: attributes with old names, rights, what cannot be undone and the SDK are described" {
    sample_is_described
}

@test "sample in Rust: old names and deprecated attributes are warned of" {
    sample_warns_of_old_names
}

@test "sample in Rust: validate refuses a manifest" {
    sample_validates
}

@test "sample in Rust: reports without a block, of resources that come at once and are read back" {
    sample_reports
}

@test "sample in Rust: busy, progress and deadline" {
    sample_works_long
}

@test "sample in Rust: stopping" {
    sample_stops
}

@test "sample in Rust: types with one worker share a connection, which is closed once" {
    sample_shares_a_process
}

@test "sample in Rust: a device is reached by a transport" {
    sample_reaches_a_device
}

@test "sample in Rust: a lookup and a fact" {
    sample_answers
}

@test "keeper in Rust: a password that can't be read, overlapping work, a lookup and a fact" {
    keeper_keeps
}

@test "keeper in Rust: texts that are kept, a comparison of its own, actions" {
    keeper_compares_and_acts
}
