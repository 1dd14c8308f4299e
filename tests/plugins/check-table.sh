#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the tables of docs/evidence/checks.md anew, from real runs:
#     abs_top_builddir=/build tests/plugins/check-table.sh docs/evidence/checks.md
set -eu

: "${abs_top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${abs_top_builddir:=$abs_top_srcdir}"
export abs_top_srcdir abs_top_builddir
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source "$abs_top_srcdir/tests/sdk/mutants.bash"
source "$abs_top_srcdir/tests/plugins/checked.bash"
source "$abs_top_srcdir/tests/plugins/inquiry.bash"
source "$abs_top_srcdir/tests/plugins/seeded.bash"

# The first complaint among the lines of a check: row FAULT <LINES
row() {
    awk -v fault="$1" '$1 == "fail" || $1 == "crash" {
        check = $2; $1 = $2 = ""; if ($3 ~ /:$/) $3 = ""; sub(/^ +/, ""); gsub(/[^ \x27[]*rhost-check\.[^\/]*\//, "")
        gsub(/\\n/, " "); gsub(/\|/, "\\|")
        if (length($0) > 110) $0 = substr($0, 1, 107) "..."
        printf "| %s | `%s` | %s |\n", fault, check, $0; exit }'
}

mutations() {
    local n
    for n in "${!mutants[@]}"; do
        { mutant_check $((n + 1)) "$dir" --allocations=8 || true; } | row "${mutants[n]%|*}"
    done
}

# The faults that tests/cli/check.bats tries, one at a time.
faults() {
    local fault type
    sed -n "s/^ *caught [a-z-]* [a-z]* '\(.*\)'.*/\1/p" "$abs_top_srcdir/tests/cli/check.bats" |
        while read -r fault; do
            type=simple
            case $fault in get* | set*) type=set ;; esac
            printf 'type: fault_%s\nabsent: new\nstates:\n  - title: bad\n    state: {value: new}\n' "$type" \
                >"$dir/fault.yaml"
            { FAULT=$fault "$abs_top_builddir/rhost" check "$abs_top_builddir/tests/plugins/.libs/fault.so" \
                --fixture "$dir/fault.yaml" --time-limit=5 --only static --only reading --only writes --only manners \
                </dev/null || true; } | row "$fault"
        done
}

# Those of seeded.bash: each by the check that is about it, which may only warn.
seeded() {
    local seed
    for seed in "${seeds[@]}"; do
        { seeded_check "${seed%|*}" "$dir" --only reads --only writes --only creates --only "${seed#*|}" || true; } |
            sed -n "s/^warn/fail/; /^[a-z]* *${seed#*|} /p" | row "${seed%|*}"
    done
}

# Those of inquiry.bash, likewise.
inquiries() {
    local fault
    for fault in "${inquiries[@]}"; do
        { inquiry_check "${fault%|*}" "$dir" --only reads --only "${fault#*|}" || true; } |
            sed -n "s/^warn/fail/; /^[a-z]* *${fault#*|} /p" | row "${fault%|*}"
    done
}

# Faults have time of their own, as a program that is slow is run some hundred times.
plugins() {
    local name
    for name in $(checked_names); do
        {
            "$abs_top_builddir/rhost" check "$(checked_plugin "$name")" --time-limit=60 --seed 1 \
                --allocations=8 --faults=1 --fixture "$(checked_fixture "$name")" || true
            "$abs_top_builddir/rhost" check "$(checked_plugin "$name")" --time-limit=400 --seed 1 \
                --faults=40 --only faults --fixture "$(checked_fixture "$name")" | sed 's/^pass/faults/' || true
        } | awk -v name="$name" '$1 == "pass" { pass++ } $1 == "fail" || $1 == "crash" { bad = bad " **" $2 "**" }
                $1 == "skip" && $2 != "faults" { skipped = skipped (skipped ? ", " : "") $2; n++ }
                $1 == "faults" && / kinds$/ { kinds = $(NF - 1) }
                END { printf "| %s | %d%s | %s | %s |\n", name, pass, bad, kinds, (n > 20 ? "all others" : skipped) }'
    done
}

mutations >"$dir/mutations"
faults >"$dir/faults"
seeded >"$dir/seeded"
inquiries >"$dir/inquiries"
plugins >"$dir/plugins"
awk -v dir="$dir" '
    /^\| mutation \| caught/ { table = dir "/mutations" }
    /^\| fault \| caught/ { table = dir "/faults" }
    /^\| seeded fault \| caught/ { table = dir "/seeded" }
    /^\| fault of a lookup or fact \| caught/ { table = dir "/inquiries" }
    /^\| plugin \| passed/ { table = dir "/plugins" }
    /^\| --- / { print; while (table && (getline line <table) > 0) print line; skip = table != ""; table = ""; next }
    skip && /^\| / { next }
    { skip = 0; print }' "$1" >"$dir/page"
cp "$dir/page" "$1"
