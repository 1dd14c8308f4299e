# SPDX-License-Identifier: Apache-2.0
# The faults of tests/sdk/mutant.c, and which check is to find each.

mutants=(
    'forgets an attribute in get|creates'
    'canonicalizes the wrong way|canonical'
    'writes under noop|noop'
    'leaks a descriptor|descriptors'
    'returns -1 without a message|writes'
    'keeps what it read from one transaction to the next|afresh'
    'ignores all names but the first|by-name'
    'copies a long name into a short buffer|random'
    'says a secret|secret'
    'touches what is as it should be|idempotent'
    'asks a text for a number|kinds'
)

# mutant_check NUMBER DIR [OPTION...]: builds it in DIR, and checks it; 0 is the good one.
mutant_check() {
    local so=$2/mutant-$1.so
    gcc -Wall -Wextra -Werror -O1 -g -D_GNU_SOURCE -DMUTATION="$1" -fvisibility=hidden -fPIC -shared \
        -I"$abs_top_srcdir/sdk" -o "$so" "$abs_top_srcdir/tests/sdk/mutant.c"
    TMPDIR=$2 MUTANT_STORE="$2/rhost-check.*/dir/*.entry" "$abs_top_builddir/rhost" check "$so" \
        --fixture "$abs_top_srcdir/tests/sdk/mutant.fixture.yaml" --seed 1 "${@:3}"
}
