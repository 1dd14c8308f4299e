# SPDX-License-Identifier: Apache-2.0
# What the tests of services and units share: a machine that boots with systemd, with what was just built put into
# it. Cases about what may differ inline try both isolations.

source "$abs_top_srcdir/tests/system/machine.bash"

libsystemd_here() {
    [ -e "$abs_top_builddir/plugins/.libs/service-systemd.so" ] || {
        echo "needs libsystemd"
        return 1
    }
}

setup_file() {
    machine_wanted libsystemd_here || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    machine_boot "$machine"
}

teardown_file() {
    machine_leave
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

# In the machine.
inside() {
    machine_run "$machine" "$@"
}

rhost() {
    local command=$1
    shift
    inside /opt/rhost/rhost "$command" --plugin-dir /opt/rhost --isolation="$RHOST_ISOLATION" "$@"
}

# A unit file, of standard input; systemd is not told.
unit_file() {
    cat >"$machine/etc/systemd/system/$1"
}

# One that runs until it is stopped, with these lines in [Service].
daemon() {
    {
        printf '[Service]\nExecStart=/bin/sleep 3000\n'
        [ $# -lt 2 ] || printf '%s\n' "${@:2}"
        printf '[Install]\nWantedBy=multi-user.target\n'
    } | unit_file "$1"
}

# A manifest of resources, one a line as YAML in braces, behind `rhost` and its options.
with() {
    local n=$1

    {
        echo resources:
        printf '  - %s\n' "${@:n+2}"
    } >"$machine/root/site.yaml"
    run rhost "${@:2:n}" /root/site.yaml
}

applied() {
    with 2 apply --detailed-exitcodes "$@"
    status_is 2
    run rhost apply --detailed-exitcodes /root/site.yaml
    status_is 0
}

in_sync() {
    with 2 apply --detailed-exitcodes "$@"
    status_is 0
}

fails() {
    local message=$1
    shift
    with 1 apply "$@"
    [ "$status" -ne 0 ]
    says "$message"
}

state_is() {
    [ "$(inside systemctl is-active "$1")" = "$2" ] || {
        echo "$1 is not $2"
        return 1
    }
}

enabled_is() {
    [ "$(inside systemctl is-enabled "$1" 2>/dev/null)" = "$2" ] || {
        echo "$1 is not $2"
        return 1
    }
}

pid_of() {
    inside systemctl show -P MainPID "$1"
}
