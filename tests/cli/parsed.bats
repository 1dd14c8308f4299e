#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Records of large manifests: they make the next run faster, and change nothing else.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    large x >site.yaml
}

# A manifest of more than 16 KiB, with each way of writing a scalar.
large() {
    printf 'resources:\n'
    for i in {1..200}; do
        printf '  - file: %s/f%s\n    content: "pass%sword\\n%s"\n    mode: "0600"\n' "$work" "$i" "$i" "$1"
    done
    printf '  - log: |-\n      a block\n\n      of lines\n  - log: >\n      a folded\n      text\n'
    printf "  - log: 'it''s'\n  - log: &pass_anchor two\n    message: ä\n  - log: three\n    message: *pass_anchor\n    level: !!str info\n"
}

validate() {
    "${RHOST:-$abs_top_builddir/rhost}" validate --state-dir "$work/state" "$@"
}

compiled() {
    "${RHOST:-$abs_top_builddir/rhost}" compile --state-dir "$work/state" "$@"
}

records() {
    find state/manifest-records -type f -name '????????????????????????????????????????????????????????????????' | sort
}

@test "a record is kept for its owner, and has no text of the manifest" {
    umask_is 000 2>/dev/null || umask 000
    validate site.yaml
    [ "$(records | wc -l)" -eq 1 ]
    [ "$(stat -c %a state/manifest-records)" = 700 ]
    [ "$(stat -c %a "$(records)")" = 600 ]
    ! grep -aq 'pass\|word\|block\|folded\|file' "$(records)" || return 1
    # BLAKE2b of libsodium, or SHA-256 in a build without it
    case $(basename "$(records)") in
    "$(b2sum -l 256 <site.yaml | cut -d' ' -f1)" | "$(sha256sum <site.yaml | cut -d' ' -f1)") ;;
    *) return 1 ;;
    esac
}

@test "the second run reads the record, and gives the same catalog" {
    compiled site.yaml >first
    touch -d '2001-01-01' "$(records)"
    compiled site.yaml >second
    cmp first second
    [ "$(stat -c %Y "$(records)")" -lt 1000000000 ] # it was not made again
    compiled --state-dir "$work/other" site.yaml >third
    cmp first third
}

@test "what is wrong with the manifest has the same place and caret" {
    printf '  - flie: /x\n  - file: relative\n    mode: 99999\n' >>site.yaml
    run validate --color=never site.yaml
    status_is 1
    first=$output
    says "site.yaml:"
    says "did you mean 'file'?"
    [ "$(records | wc -l)" -eq 1 ] # the YAML is good
    touch -d '2001-01-01' "$(records)"
    run validate --color=never site.yaml
    [ "$output" = "$first" ]
    [ "$(stat -c %Y "$(records)")" -lt 1000000000 ]
}

@test "wrong YAML has no record, nor has a small manifest" {
    printf '  - file: [\n' >>site.yaml
    run validate site.yaml
    status_is 1
    [ ! -e state/manifest-records ]
    printf 'resources:\n  - log: x\n' >small.yaml
    validate small.yaml
    [ ! -e state/manifest-records ]
}

@test "a manifest that has changed has a record of its own" {
    validate site.yaml
    large y >site.yaml
    validate site.yaml
    [ "$(records | wc -l)" -eq 2 ]
}

@test "a damaged, cut or foreign record is made again" {
    validate site.yaml
    record=$(records)
    cp "$record" good
    for how in 0 20 40 300 cut; do
        cp good "$record"
        case $how in
        cut) head -c 300 good >"$record" ;;
        *) printf '\377' | dd of="$record" bs=1 seek="$how" conv=notrunc status=none ;;
        esac
        ! cmp -s good "$record" || return 1
        run validate site.yaml
        status_is 0
        cmp good "$record"
    done
    rm "$record"
    mkdir "$record"
    run validate site.yaml
    status_is 0
    rmdir "$record"
    echo mine >other
    ln -s ../../other "$record"
    run validate site.yaml
    status_is 0
    cmp good "$record"
    [ "$(cat other)" = mine ]
    # Neither through a link, though it leads to one that is good; nor is a fifo waited for.
    cp good other
    ln -sf ../../other "$record"
    run validate site.yaml
    status_is 0
    [ ! -L "$record" ]
    rm "$record"
    mkfifo "$record"
    run timeout 20 "${RHOST:-$abs_top_builddir/rhost}" validate --state-dir "$work/state" site.yaml
    status_is 0
    cmp good "$record"
}

@test "a record that others could have written is not read" {
    validate site.yaml
    chmod 666 "$(records)"
    touch -d '2001-01-01' "$(records)"
    validate site.yaml
    [ "$(stat -c %Y "$(records)")" -gt 1000000000 ]
    [ "$(stat -c %a "$(records)")" = 600 ]
    rm -r state/manifest-records
    mkdir -m 777 state/manifest-records
    chmod 777 state/manifest-records
    validate site.yaml
    [ -z "$(records)" ]
}

@test "no more than 64 are kept, and leftovers of killed runs go" {
    validate site.yaml
    record=$(records)
    for i in {10..79}; do
        cp "$record" "state/manifest-records/$(printf '%064d' "$i")"
        touch -d "2001-01-01 00:00:$((i - 10 < 60 ? i - 10 : 59))" "state/manifest-records/$(printf '%064d' "$i")"
    done
    touch -d 2001-01-01 "$record.abcdef" "$record.site.yaml" state/manifest-records/site.yaml
    touch "$record.012345"
    large y >site.yaml
    validate site.yaml
    [ "$(records | wc -l)" -eq 64 ]
    [ -e "$record" ]
    [ ! -e "state/manifest-records/$(printf '%064d' 10)" ]
    [ ! -e "$record.abcdef" ]
    [ -e "$record.012345" ]
    [ -e "$record.site.yaml" ] # none of ours
    [ -e state/manifest-records/site.yaml ]
}

@test "the directory of records is not followed through a link" {
    mkdir -p state elsewhere
    ln -s ../elsewhere state/manifest-records
    run validate site.yaml
    status_is 0
    [ -z "$(ls elsewhere)" ]
}

@test "a directory that cannot be written to costs nothing but time" {
    mkdir -p state
    echo >state/manifest-records
    run validate site.yaml
    status_is 0
    says "205 resources, no errors"
}
