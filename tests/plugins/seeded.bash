# SPDX-License-Identifier: Apache-2.0
# The faults of tests/plugins/seeded.c, and which check is to find each; nothing: none does yet.

seeds=(
    'does only the first of a batch|batch'
    'resets what is not named|alone'
    'secrets for everybody|secret-files'
    'secret in a temporary file|secret-files'
    'secret in a log file|secret-files'
    'secret in a message|secret'
    'truncates in place|atomic'
    'action answers 7|acts'
    'leaves a descriptor|descriptors'
    'list misses names with quotes|names'
    'list misses a resource|listed'
    'keeps a borrowed pointer|borrowed'
    'leaves a thread|threads'
    'leaves an alarm|timers'
    'changes PATH|environment'
    'leaves a signal handler|signals'
    'leaks 8 MB a call|grows'
    'suits writes|suits'
    'changes its neighbour|others'
    'removes its neighbour|others'
    'leaves a child|children'
    'changes the umask|umask'
    'prints|quiet'
    'writes under noop|noop'
    'reports what it did not do|creates'
    'does not look again|afresh'
)

# seeded_check FAULT DIR [OPTION...]: "" is the good one.
seeded_check() {
    TMPDIR=$2 FAULT_SEED=$1 FAULT_STORE="$2/rhost-check.*/dir/*" "$abs_top_builddir/rhost" check \
        "$abs_top_builddir/tests/plugins/.libs/seeded.so" --fixture "${seeded_fixture:-$abs_top_srcdir/tests/plugins/seeded.fixture.yaml}" \
        --seed=1 --rounds=20 --allocations=2 "${@:3}"
}
