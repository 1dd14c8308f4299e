# SPDX-License-Identifier: Apache-2.0
# The faults of tests/plugins/inquiry.c, and which check is to find each.

inquiries=(
    'has a type that is none|schema'
    'has no description|documented'
    'fails without a reason|reads'
    'finds what is absent|reads'
    'answers another key|reads'
    'answers a number instead of a text|fits'
    'answers something else each time|agrees'
    'writes while it is asked|looks'
    'is a slow fact|prompt'
    'secret in a message|secret'
    'secret in a cache|secret-files'
    'secret in a cache elsewhere|secret-files'
    'keeps a borrowed pointer|borrowed'
    'leaves a descriptor|descriptors'
    'leaves a child|children'
    'changes the umask|umask'
    'changes the directory|directory'
    'changes the locale|locale'
    'leaves a signal handler|signals'
    'asks a number for its text|kinds'
    'changes PATH|environment'
    'leaves a thread|threads'
    'leaves an alarm|timers'
    'prints|quiet'
    'copies a long key into a short buffer|random'
    'leaks 8 MB a call|grows'
    'leaves a block open|blocks'
    'declares less than it needs|confined'
    'trusts malloc|no-memory'
    'trusts a second malloc|memory-limit'
)

# Whether it takes root to see this one: the kernel shows only root what is written elsewhere.
needs_root() {
    [ "$(id -u)" -ne 0 ] || return 1
    case $1 in *elsewhere | *outside* | *'soon removed') ;; *) return 1 ;; esac
}

# inquiry_check FAULT DIR [OPTION...]: "" is the good one.
inquiry_check() {
    TMPDIR=$2 FAULT_SEED=$1 FAULT_OUTSIDE="$2/outside" "$abs_top_builddir/rhost" check "$abs_top_builddir/tests/plugins/.libs/inquiry.so" \
        --fixture "${inquiry_fixture:-$abs_top_srcdir/tests/plugins/inquiry.fixture.yaml}" --seed=1 --rounds=100 \
        --allocations=4 "${@:3}"
}
