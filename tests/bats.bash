# SPDX-License-Identifier: Apache-2.0
# What bats does around each test, in less time. It starts a shell for each, which reads bats and the file anew, and
# takes longer than most tests do. Here the shell that has read them forks, and only reads the file again. lib.bash loads
# this where bats reads a file for the first time. With another version of bats, and with options that are not known here,
# bats does it by itself; so it does with RHOST_TEST_TRACE=1.

# What runs one test, as bats has it, but for the files of the test's output, which go with all others at the end, and
# for the time, which bash knows.
bats_quick_functions() {
    local functions
    functions=$(sed -n '/^[a-z_]*() {/,/^}/p' "$BATS_LIBEXEC/bats-exec-test")
    functions=${functions//'rm -f "$BATS_OUT"'/:}
    [ -z "${EPOCHREALTIME-}" ] ||
        functions=${functions//'$(get_mills_since_epoch)'/'$((${EPOCHREALTIME/[.,]/} / 1000))'}
    eval "$functions"
}

# Notes in which line of its file a test is, before each command, and nothing else: bats notes all functions on the way.
bats_quick_tracing() {
    bats_setup_tracing() {
        bats_quick_line='' BATS_DEBUG_LAST_STACK_TRACE_IS_VALID='' BATS_ERROR_SUFFIX=''
        exec 4<&1
        # At an exit it is in line 1, for bash.
        trap '[[ ${BASH_SOURCE-} != "$BATS_TEST_SOURCE" || $LINENO = 1 ]] || bats_quick_line=$LINENO' DEBUG
        trap bats_error_trap ERR
    }
    bats_error_trap() {
        bats_check_status_from_trap
    }
    bats_get_failure_stack_trace() {
        eval "$1=()"
        [ -z "$bats_quick_line" ] || eval "$1=(\"\$bats_quick_line \$BATS_TEST_NAME \$BATS_TEST_SOURCE\")"
    }
}

# The directory of a test, and in it the one where it starts; see work_open.
bats_quick_directories() {
    BATS_TEST_TMPDIR=$BATS_RUN_TMPDIR/test/$BATS_SUITE_TEST_NUMBER
    [ ! -e "$BATS_TEST_TMPDIR" ] || return
    mkdir -p "$BATS_TEST_TMPDIR/work" || return
    printf '%s\n' "$BATS_TEST_NAME" >"$BATS_TEST_TMPDIR.name"
    export BATS_TEST_TMPDIR
}

# One test, in a shell of its own: bats_quick_test NAME NUMBER-IN-SUITE NUMBER-IN-FILE
bats_quick_test() {
    set -eET
    unset BATS_SETUP_FILE_COMPLETED BATS_SOURCE_FILE_COMPLETED BATS_TEARDOWN_FILE_COMPLETED
    export BATS_TEST_NAME=$1 BATS_SUITE_TEST_NUMBER=$2 BATS_TEST_NUMBER=$3
    BATS_TEST_TRY_NUMBER=1 SECONDS=0
    BATS_OUT=$BATS_RUN_TMPDIR/bats.test.$2.out
    trap bats_interrupt_trap INT
    bats_quick_directories || exit 1
    setup() { :; }
    teardown() { :; }
    # shellcheck disable=SC1090
    source "$BATS_TEST_SOURCE"
    bats_perform_test
}

# All tests of the file, one after the other.
bats_quick_tests() {
    local bats_quick_number=$BATS_FILE_FIRST_TEST_NUMBER_IN_SUITE bats_quick_first bats_quick_name
    bats_quick_first=$bats_quick_number

    bats_exec_file_status=0
    bats_quick_functions
    bats_quick_tracing
    trap - ERR DEBUG
    # The shell of a test leaves at its first error only if nobody asks for its status in a condition.
    set +e
    for bats_quick_name in "${tests_to_run[@]}"; do
        [ -n "$bats_quick_name" ] || continue
        [ -z "${BATS_INTERRUPTED+set}" ] || {
            bats_exec_file_status=130
            break
        }
        bats_quick_number=$((bats_quick_number + 1))
        (bats_quick_test "$bats_quick_name" "$bats_quick_number" $((bats_quick_number - bats_quick_first)))
        bats_quick_status=$?
        [ "$bats_quick_status" -eq 0 ] || bats_exec_file_status=$bats_quick_status
    done
    set -e
    trap 'bats_debug_trap "$BASH_SOURCE"' DEBUG
    trap bats_error_trap ERR
}

# bats runs its tests by this.
bats_quick_possible() {
    local flag
    for flag in "${flags[@]}"; do
        case $flag in
        --dummy-flag) ;;
        -T) BATS_ENABLE_TIMING=-T ;;
        *) return 1 ;;
        esac
    done
    [ "${BATS_VERSION-}" = 1.8.2 ] && [ "$num_jobs" = 1 ] && [ -z "${BATS_TEST_TIMEOUT-}${RHOST_TEST_TRACE-}" ] &&
        [ "${BATS_TEST_RETRIES:-0}" = 0 ]
}

if bats_quick_possible; then
    # What only bats-exec-test begins with.
    BATS_ENABLE_TIMING=${BATS_ENABLE_TIMING-} BATS_EXTENDED_SYNTAX=''
    BATS_SHOW_OUTPUT_OF_SUCCEEDING_TESTS='' BATS_PRINT_OUTPUT_ON_FAILURE='' BATS_GATHER_TEST_OUTPUTS_IN=''
    bats_run_tests() {
        bats_quick_tests
    }
fi
