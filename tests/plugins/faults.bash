# SPDX-License-Identifier: Apache-2.0
# What the tests of misbehaving plugins share: a manifest with one resource that goes wrong in the
# middle of others, and what must be true of it whatever happens.

own_plugin tests/plugins/.libs/fault.so

# The type that has a callback.
type_with() {
    case $1 in
    get | set) echo fault_set ;;
    converge) echo fault_converge ;;
    *) echo fault_simple ;;
    esac
}

# The manifest for a fault at this callback: neighbours of the type before and behind, and files
# around it, one of which depends on it.
manifest_for() {
    local at=$1 type title=bad more='value: new'
    type=$(type_with "$at")
    case $at in
    create) title=newbad ;;
    remove) more='ensure: absent' ;;
    act) more='action: poke' ;;
    esac
    cat <<END
resources:
  - file: $work/before
    content: x
  - $type: first
    value: new
  - $type: $title
    $more
  - $type: last
    value: new
  - file: $work/dependent
    content: x
    require: $type[$title]
  - file: $work/after
    content: x
END
}

# Applies it with this fault: FAULT="AT HOW".
strike() {
    local at=$1 how=$2
    shift 2
    type=$(type_with "$at")
    manifest_for "$at" >"$BATS_TEST_TMPDIR/site.yaml"
    FAULT="$at $how" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" --color=never \
        "$@" "$BATS_TEST_TMPDIR/site.yaml"
}

# The host went on: all that does not depend on the resource was done, what does was skipped.
goes_on() {
    status_is 4
    [ -f before ] && [ -f after ] || {
        echo "not everything else was done:"
        echo "$output"
        return 1
    }
    [ ! -e dependent ]
    says "skipped: depends on $type[$(bad_title "$1")], which failed"
    says '6 resources:'
}

bad_title() {
    [ "$1" = create ] && echo newbad || echo bad
}

# The process ends while this is being done, and the message says all there is to say.
ends() {
    local at=$1 how=$2 message=$3
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    strike "$at" "$how" "${@:4}"
    goes_on "$at"
    says "provider '$type' 1.5 $message"
}

# The resource fails with this message; its neighbours don't.
fails() {
    local at=$1 how=$2 message=$3
    strike "$at" "$how" "${@:4}"
    goes_on "$at"
    says "failed: $message"
    says "1 failed, 1 skipped"
}

# The manifest is refused at the resource, before anything is touched.
refuses() {
    local at=$1 how=$2 message=$3
    strike "$at" "$how" "${@:4}"
    status_is 1
    says "site.yaml:6:5: error: $type[bad]: provider '$type' 1.5 $message"
    [ ! -e before ]
}

# Nothing comes of it but, maybe, a warning.
passes() {
    local at=$1 how=$2
    strike "$at" "$how" "${@:3}"
    status_is 0
    [ -f before ]
    [ -f after ]
    [ -f dependent ]
}
