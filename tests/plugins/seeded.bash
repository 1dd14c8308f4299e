# SPDX-License-Identifier: Apache-2.0
# The faults of tests/plugins/seeded.c, and which check is to find each; nothing: none does yet.

seeds=(
    'does only the first of a batch|batch'
    'resets what is not named|alone'
    'secrets for everybody|secret-files'
    'secret in a temporary file|secret-files'
    'secret in a log file|secret-files'
    'secret in base64 in a log file|secret-files'
    'secret outside of the directory|secret-files'
    'secret in a file that is soon removed|secret-files'
    'secrets for a group|secret-files'
    'secret in a message|secret'
    'truncates in place|atomic'
    'removes and writes anew|atomic'
    'rewrites its neighbour in place when it goes|atomic'
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
    'is made and changes its neighbour|others'
    'acts on its neighbour|others'
    'changes what is in no manifest|others'
    'leaves a child|children'
    'changes the umask|umask'
    'prints|quiet'
    'writes under noop|noop'
    'reports what it did not do|creates'
    'does not look again|afresh'
    'exports a symbol too many|symbol'
    'computes while it is loaded|quick'
    'has a default of another type|schema'
    'has no description|documented'
    'promises noop and writes nothing|callbacks'
    'canonicalizes anew each time|stable'
    'lists a resource twice|once'
    'reads something else each time|agrees'
    'finds what is absent|absent'
    'never changes a note|updates'
    'keeps what is to be absent|removes'
    'keeps what must go|removes-anyway'
    'finds what it has removed|removes-again'
    'says under noop that all stays|noop-tells'
    'takes any value|refuses'
    'changes the locale|locale'
    'keeps its kind when it is created again|replaces'
    'leaves a block open in a batch|blocks'
    'validates otherwise each time|validates'
    'writes while it validates|validates'
    'goes on when the run is to end|stops'
    'says that it is done when it was stopped|stops'
    'has a former name that is an attribute|schema'
    'has one former name for two attributes|schema'
    'has a former name that is a keyword|attributes'
    'has a former name that hides a keyword|attributes'
    'reads what it does not declare|needs'
    'writes what it does not declare|needs'
    'runs what it does not declare|needs'
    'connects where it does not declare|needs'
    'lacks a capability|confined'
    'takes what it cannot read for absent|faults'
    'ignores that a disk is full|faults'
    'crashes when a disk is full|faults'
    'waits until a disk has space|faults'
    'leaves what is in its own way|faults'
    'does not ask how its program ended|faults'
    'trusts malloc|no-memory'
    'trusts a second malloc|memory-limit'
)

# Whether it takes root to see this one: the kernel shows only root what is written elsewhere.
needs_root() {
    [ "$(id -u)" -ne 0 ] || return 1
    case $1 in *elsewhere | *outside* | *'soon removed' | 'lacks a capability') ;; *) return 1 ;; esac
}

# Whether $output says that nothing can be watched or refused here.
seed_is_hidden() {
    grep -qE "^skip +(needs|confined|faults) .*: (system calls cannot be watched|this kernel|this rhost)" <<<"$output"
}

# seeded_check FAULT DIR [OPTION...]: "" is the good one.
seeded_check() {
    local so=seeded fixture=seeded

    [ "$1" != 'exports a symbol too many' ] || so=seeded-exports
    [ "$1" != 'changes what is in no manifest' ] || fixture=seeded-more
    RHOST_PASS_ENV='FAULT_*' TMPDIR=$2 FAULT_SEED=$1 FAULT_STORE="$2/rhost-check.*/dir/*" FAULT_OUTSIDE="$2/outside" "$abs_top_builddir/rhost" check \
        "$abs_top_builddir/tests/plugins/.libs/$so.so" --fixture "${seeded_fixture:-$abs_top_srcdir/tests/plugins/$fixture.fixture.yaml}" \
        --seed=1 --rounds=20 --allocations=2 \
        $([ "$1" != 'goes on when the run is to end' ] || echo --time-limit=12) \
        $([ "$1" != 'waits until a disk has space' ] || echo --time-limit=6) "${@:3}"
}
