#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A site with all types is applied to a machine that boots, and undone: the machine is compared with what it was.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/operator.bash"

attributes_possible() {
    local program

    for program in getfacl getfattr; do
        command -v "$program" >/dev/null || {
            echo "needs $program"
            return 1
        }
    done
}

setup_file() {
    machine_wanted attributes_possible || return 0
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

# What modes do not say, a line for each file that has some: ACLs, and extended attributes with capabilities.
further_attributes() {
    (
        cd "$machine" || exit
        find . -xdev '(' -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var/log \
            ')' -prune -o ! -type l -print0 >"$BATS_TEST_TMPDIR/all"
        xargs -0 getfacl -s -n -p <"$BATS_TEST_TMPDIR/all" | awk -v RS= '{ gsub(/\n/, " "); print "acl", $0 }'
        xargs -0 getfattr -d -m '^(user|security)[.]' <"$BATS_TEST_TMPDIR/all" |
            awk -v RS= '{ gsub(/\n/, " "); print "xattr", $0 }'
    ) | sort
}

# What the site changes in several ways, or removes, gets both: a file, parts of files, a directory.
give_further_attributes() {
    for file in motd environment login.defs systemd/journald.conf apt/sources.list; do
        setfacl -m u:2:r "$machine/etc/$file"
        setfattr -n user.origin -v "by hand" "$machine/etc/$file"
    done
    setfacl -m u:2:rx "$machine/etc/apt"
}

# Lines of a diff that are not among those that docs/guides/undo.md explains.
unexplained() {
    diff "$1" "$2" | grep '^[<>]' | grep -vE "$3" || true
}

@test "a site is applied, and undone" {
    setup_site
    give_further_attributes
    further_attributes >"$BATS_FILE_TMPDIR/further"
    [ "$(grep -c '^acl .* user:2:r' "$BATS_FILE_TMPDIR/further")" -eq 6 ]
    [ "$(grep -c '^xattr .* user.origin=' "$BATS_FILE_TMPDIR/further")" -eq 5 ]
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
    # What was removed and is there again has neither: no type manages them.
    further_attributes >"$BATS_FILE_TMPDIR/further-after"
    run diff "$BATS_FILE_TMPDIR/further" "$BATS_FILE_TMPDIR/further-after"
    status_is 1
    is "$(grep '^[<>]' <<<"$output" | sed 's|^\(. [a-z]* # file: [^ ]*\) .*|\1|')" \
        $'< acl # file: ./etc/apt/sources.list\n< xattr # file: etc/apt/sources.list'
}
