# SPDX-License-Identifier: Apache-2.0
# What the tests of the command line share, beside tests/lib.bash.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# Writes standard input to a manifest.
manifest() {
    cat >"${1:-site.yaml}"
}

# Runs a command: its outputs are in the files `out` and `err`, and its status in $status.
split() {
    status=0
    "$@" >out 2>err || status=$?
    output=$(cat out err)
}

# Prints a Python expression over the JSON in a file, which is `d` there.
json() {
    python3 - "$1" "$2" <<'END'
import json, re, sys

with open(sys.argv[1]) as f:
    d = json.load(f)
print(eval("(" + sys.argv[2] + ")"))
END
}

# The expression gives this text.
json_is() {
    local got

    got=$(json "$1" "$2") || return
    [ "$got" = "$3" ] && return
    echo "$2 is '$got', expected '$3', in:"
    cat "$1"
    return 1
}

needs_python() {
    requires_command python3
}

is_empty() {
    [ ! -s "$1" ] && return
    echo "'$1' is not empty:"
    cat "$1"
    return 1
}

# Runs the commands of console blocks; puts what they say behind each.
play() {
    local line

    while IFS= read -r line; do
        case $line in
        '$ '*)
            echo "$line"
            eval "${line#??}" 2>&1 || true
            ;;
        esac
    done
}

# How long it took may differ; and a page may show a message without its code.
timeless() {
    sed -E 's/ · [0-9]+\.[0-9]+ s/ · 0.00 s/' | without_codes
}
