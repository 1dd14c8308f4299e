#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A site with all types is applied to a machine that boots, and undone: the machine is compared with what it was.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/operator.bash"

setup_file() {
    operator_machine
    [ -z "$MACHINE_WHY" ] || return 0
    inside "apt-get -q -y install rhost '^rhost-plugin'" >/dev/null 2>&1
}

teardown_file() {
    machine_leave
}

site='rhost apply site/site.yaml'
setup_site() {
    [ -e "$machine/srv/repository/key.asc" ] || site+=' --attribute=repository.signed=false'
}

# What the tools of the system say, beside the files.
states() {
    inside 'getent passwd; getent group; getent shadow | cut -d: -f1,5
        systemctl list-units --type=service,timer,socket --state=active --no-legend --plain | cut -d" " -f1 | sort
        systemctl list-unit-files --no-legend | sort
        findmnt -rn -o TARGET,FSTYPE,OPTIONS | grep -v "^/\(proc\|sys\|run\|dev\|tmp\)" | sort
        apt-mark showmanual; apt-mark showhold
        sysctl -n net.ipv4.ip_forward net.ipv4.conf.all.log_martians net.ipv4.ip_local_port_range'
}

# Lines of a diff that are not among those that docs/undo.md explains.
unexplained() {
    diff "$1" "$2" | grep '^[<>]' | grep -vE "$3" || true
}

@test "a site is applied, and undone" {
    setup_site
    inventory >"$BATS_FILE_TMPDIR/before"
    states >"$BATS_FILE_TMPDIR/states"
    on "$site"
    status_is 0
    on 'rhost undo last'
    echo "$printed"
    # A held package is not removed, an account without its password not created, a directory with what a command
    # has left in it stays.
    status_is 4
    [ "$(grep -B1 '^  failed' <<<"$printed" | grep -o '^[a-z_]*\[[^]]*]' | sort | tr '\n' ' ')" = \
        'directory[/srv/shop/data] package[shop-tools] user[games] ' ]
    inventory >"$BATS_FILE_TMPDIR/after"
    states >"$BATS_FILE_TMPDIR/states-after"
    # Homes stay, and what commands and dpkg have left; copies of account files, and our own state, are new.
    run unexplained "$BATS_FILE_TMPDIR/before" "$BATS_FILE_TMPDIR/after" \
        '^. (/home/(alice|bob|carol)|/srv/shop|/usr/share/shop-(lib|tools)|/var/lib/(rhost|apt/lists)|/etc/sub[ug]id- |/etc/sysctl.d/99-rhost.conf )|  /etc/(g?shadow|group|passwd|sub[ug]id)-?$|  /etc/sysctl.d/99-rhost.conf$|^. shop-(lib|tools) |^. /var/cache/(apt|man)'
    [ -z "$output" ]
    run unexplained "$BATS_FILE_TMPDIR/states" "$BATS_FILE_TMPDIR/states-after" \
        '^. (games|editors|shop-(lib|tools)|)\b|^. shop-tools$|^. $'
    [ -z "$output" ]
}
