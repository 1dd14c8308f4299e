#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where limits are: of each, the last value that is accepted and the first one that is refused.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The manifest on standard input is refused with this message; without one it is accepted.
held() {
    cat >site.yaml
    run rhost validate site.yaml
    if [ $# -eq 0 ]; then
        [ "$status" -eq 0 ] && return
    elif [ "$status" -eq 1 ] && grep -qF -- "$1" <<<"$output"; then
        return
    fi
    echo "${1-expected no error}; status $status, of:"
    head -c 600 site.yaml
    echo "$output"
    return 1
}

# A keyword of a resource: the accepted values, --, the refused ones.
keyword() {
    local word=$1 message=$2 refused=
    shift 2
    for value in "$@"; do
        [ "$value" != -- ] || { refused=1 && continue; }
        printf 'resources:\n  - exec: /bin/true\n    %s: %s\n' "$word" "$value" | held ${refused:+"$message"}
    done
}

@test "numbers of a resource's keywords" {
    keyword retries 'retries must be an integer between 0 and 1000' 0 1000 -- -1 1001 1.5
    keyword retry_delay 'retry_delay must be a number of seconds between 0 and 604800' 0 604800 0.5 -- -1 -0.1 604801
    # exec has a timeout of its own: the keyword is that of all other types.
    for value in 0.1 604800; do
        printf 'resources:\n  - file: /srv/x\n    timeout: %s\n' "$value" | held
    done
    for value in 0.09 0 -1 604801; do
        printf 'resources:\n  - file: /srv/x\n    timeout: %s\n' "$value" |
            held 'timeout must be a number of seconds between 0.1 and 604800'
    done
}

@test "how often a schedule lets something be applied" {
    for value in 1 3600; do
        printf 'resources:\n  - file: /srv/x\n    schedule: {period: daily, repeat: %s}\n' "$value" | held
    done
    for value in 0 -1 3601; do
        printf 'resources:\n  - file: /srv/x\n    schedule: {period: daily, repeat: %s}\n' "$value" |
            held "'repeat' must be an integer between 1 and 3600"
    done
}

@test "how many tags and other names a resource has" {
    names() {
        printf 'resources:\n  - file: /srv/x\n    %s: [%s]\n' "$1" "$(seq -s, -f "${1:0:1}%g" "$2")"
    }
    names tag 1000 | held
    names tag 1001 | held 'a resource can have at most 1000 tags'
    names alias 1000 | held
    names alias 1001 | held 'a resource can have at most 1000'
}

# A value of N lists within each other.
nested() {
    printf 'resources:\n  - log: x\n    message: '
    printf '%*s' "$1" '' | tr ' ' '['
    printf '%*s\n' "$1" '' | tr ' ' ']'
}

@test "how deep YAML is nested" {
    # The attribute is in a hash, in a list, in a hash: 61 lists make 64 levels.
    cat > site.yaml < <(nested 61)
    run rhost validate site.yaml
    says_not 'nested deeper'
    nested 62 | held 'nested deeper than 64 levels'
}

@test "how deep a data type is nested" {
    type_of() {
        printf 'resources:\n  - define: x\n    parameters:\n      a: {type: "'
        printf 'Optional[%.0s' $(seq "$1")
        printf 'Any'
        printf '%*s' "$1" '' | tr ' ' ']'
        printf '"}\n    resources: []\n'
    }
    type_of 64 | held
    type_of 65 | held 'nested'
}

@test "numbers of options" {
    printf 'resources: []\n' >site.yaml
    for value in 1 2147483; do
        run rhost apply --time-limit="$value" site.yaml
        status_is 0
    done
    for value in 0 -1 1.5 2147484 99999999999999999999 x ''; do
        run rhost apply --time-limit="$value" site.yaml
        status_is 1
        says "invalid value '$value' for --time-limit"
    done
}
