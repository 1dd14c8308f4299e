# SPDX-License-Identifier: Apache-2.0
# Secrets that are looked for in all that rhost says and leaves.

export abs_top_builddir RHOST_ISOLATION BATS_TEST_TMPDIR

setup_file() {
    requires_command python3
    # What plugins describe themselves as, so that it need not be asked for each time.
    "${RHOST:-$abs_top_builddir/rhost}" types --state-dir "$BATS_FILE_TMPDIR" \
        --plugin-dir "$abs_top_builddir/tests/robust/.libs" >/dev/null
    export SECRET_PLUGINS=$BATS_FILE_TMPDIR/plugins.json
    # It leaks what it had when it ends its process; that is not what is looked for.
    [ "${RHOST_WATCHED-}" != asan ] || export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
}

# By its type, and by `sensitive`.
typed() {
    cat <<END
resources:
  - ${1:-gossip}: ${2:-bad}
    secret: @SECRET@
    number: @NUMBER@
    list: [@SECRET@, other]
    count: 5
    ${3-}
END
}

named() {
    cat <<END
resources:
  - ${1:-gossip}: ${2:-bad}
    value: @SECRET@
    count: 5
    sensitive: [value]
    ${3-}
END
}

in_worker() {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, what a plugin prints is the host's, and how it ends"
    not_sanitized
}

not_sanitized() {
    [ "${RHOST_WATCHED-}" != asan ] || skip "a sanitizer catches a crash, and must look into the process"
}

# Both, applied with as much said as can be, as text with a report and as JSON.
hidden() {
    local gossip=$1 type=${2:-gossip} title=${3:-bad} more=${4-}
    shift; shift || true; shift || true; shift || true
    note_run --gossip "$gossip" --manifest "$(typed "$type" "$title" "$more")" \
        $kinds "$@" apply -v -v --diff --report report.json
    note_run --gossip "$gossip" --manifest "$(named "$type" "$title" "$more")" \
        --in-value ${kinds_in_value:---only short --only quotes} "$@" apply -v -v --format=json
}

# The same with few kinds of secrets: where what is said takes a way on which another test sends all kinds.
also_hidden() {
    local kinds='--only plain --only lines' kinds_in_value='--only quotes'
    hidden "$@"
}

# With the manifest on standard input.
run_with() {
    note_run --manifest "$(cat)" "$@"
}

# The runs of a test are noted, and made at its end by one process: Python takes longer to start than rhost to run.
note_run() {
    [ ! -e "$BATS_TEST_TMPDIR/runs" ] || printf '%s\0' --and >>"$BATS_TEST_TMPDIR/runs"
    printf '%s\0' --isolation "$RHOST_ISOLATION" "$@" >>"$BATS_TEST_TMPDIR/runs"
}

teardown() {
    local runs

    [ -n "$BATS_TEST_COMPLETED" ] && [ -e "$BATS_TEST_TMPDIR/runs" ] || return 0
    mapfile -d '' runs <"$BATS_TEST_TMPDIR/runs"
    "$abs_top_srcdir/tests/robust/secret-run" "${runs[@]}"
}
