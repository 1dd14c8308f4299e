# SPDX-License-Identifier: Apache-2.0
# For tests of the types of firewalld: a network, processes and a configuration of their own, in which rhost runs.
# firewall_open DIRECTORY makes them below it, firewall_start has firewalld run there with a bus of its own.

source "$abs_top_srcdir/tests/one.bash"

firewall_open() {
    requires_root
    for program in firewall-cmd firewall-offline-cmd nft; do requires_command "$program"; done
    unshare --net --mount true 2>/dev/null || skip "no namespaces here"
    firewall=$1
    mkdir -p "$firewall"
    cat >"$firewall/open.sh" <<'SETUP'
ip link set lo up
cp -a /etc/firewalld "$1/etc"
rm -f "$1"/etc/zones/*
mount --bind "$1/etc" /etc/firewalld
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/dbus
echo $$ >"$1/ready"
exec sleep 900
SETUP
    # What bats waits for at its end is closed, or it would wait for this one.
    unshare --net --mount --propagation private --pid --fork --kill-child --mount-proc \
        sh -e "$firewall/open.sh" "$firewall" >"$firewall/log" 2>&1 3>&- 4>&- &
    echo $! >"$firewall/pid"
    until_true test -s "$firewall/ready"
    pgrep -P "$(<"$firewall/pid")" >"$firewall/inner"
    printf '#!/bin/sh\nexec nsenter -t %s --net --mount --pid --wd="$PWD" "%s" "$@"\n' "$(<"$firewall/inner")" \
        "$abs_top_builddir/rhost" >"$firewall/rhost"
    chmod 755 "$firewall/rhost"
}

# What firewall_open made at DIRECTORY is what rhost, and `within`, run in.
firewall_use() {
    firewall=$1
    RHOST=$firewall/rhost
}

within() {
    nsenter -t "$(<"$firewall/inner")" --net --mount --pid "$@"
}

firewall_start() {
    requires_command dbus-daemon
    cat >"$firewall/bus.conf" <<'END'
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
END
    within dbus-daemon --config-file="$firewall/bus.conf" --nofork --nopidfile --nosyslog >"$firewall/bus.log" 2>&1 3>&- 4>&- &
    until_true within test -S /run/dbus/system_bus_socket
    within firewalld --nofork --nopid >"$firewall/firewalld.log" 2>&1 3>&- 4>&- &
    until_true firewall_answers
}

firewall_answers() {
    sleep 0.4
    within firewall-cmd --state >/dev/null 2>&1
}

# firewall_close DIRECTORY: all that runs there ends with the first process of its namespace.
firewall_close() {
    [ ! -s "$1/inner" ] || kill -KILL "$(<"$1/inner")" 2>/dev/null || true
}
