# SPDX-License-Identifier: Apache-2.0
# What the tests of --confirm-within share: a machine that boots with systemd, where a run breaks sshd and the firewall,
# which both lock everybody out who comes over the network.

source "$abs_top_srcdir/tests/system/service.bash"

machine_with_services

# The state directory that was configured, and the unit that each boot starts, as make install would have it.
setup_file() {
    machine_wanted libsystemd_here || return 0
    export machine=$BATS_FILE_TMPDIR/machine state
    state=$(make_value localstatedir)/lib/rhost
    machine_with_rhost
    sed -e 's|/usr/bin/rhost|/opt/rhost/rhost|' -e "s|/var/lib/rhost|$state|" \
        "$abs_top_srcdir/packaging/rhost-confirm.service" >"$machine/lib/systemd/system/rhost-confirm.service"
    ln -s ../rhost-confirm.service "$machine/lib/systemd/system/multi-user.target.wants/rhost-confirm.service"
    # What is not needed here would make the machine come up later.
    rm -f "$machine"/etc/systemd/system/multi-user.target.wants/{nginx,postgresql}.service
    install -d -m 700 "$machine/root/.ssh"
    ssh_keys
    cp "$machine/etc/ssh/sshd_config" "$machine/root/sshd_config"
    printf '%s\n' 'flush ruleset' 'table inet filter {' '    chain input {' \
        '        type filter hook input priority filter; policy drop;' '        iif "lo" accept' \
        '        tcp dport 22 accept' '    }' '}' >"$machine/root/nftables.conf"
    boot
    inside systemctl -q enable nftables
}

ssh_keys() {
    chroot "$machine" ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id
    cp "$machine/root/.ssh/id.pub" "$machine/root/.ssh/authorized_keys"
    {
        printf '192.0.2.1 '
        cat "$machine/etc/ssh/ssh_host_ed25519_key.pub"
    } >"$machine/root/.ssh/known_hosts"
}

# With a network, at the other end of which there is a place called outside.
boot() {
    machine_boot "$machine"
    inside sh -ec 'ip netns add outside
        ip link add inside type veth peer name eth0 netns outside
        ip address add 192.0.2.1/24 dev inside
        ip link set inside up
        ip -n outside address add 192.0.2.2/24 dev eth0
        ip -n outside link set eth0 up'
}

# outside OPTION... COMMAND: by ssh, over the network.
outside() {
    inside timeout 60 ip netns exec outside ssh -i /root/.ssh/id -o BatchMode=yes -o ConnectTimeout=1 root@192.0.2.1 "$@"
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    inside rm -f "$state/confirm.json"
    rm -f "$machine"/root/{go,started,session}
    cp "$machine/root/sshd_config" "$machine/etc/ssh/sshd_config"
    cp "$machine/root/nftables.conf" "$machine/etc/nftables.conf"
    inside systemctl reset-failed
    inside systemctl restart ssh nftables
    ruleset=$(inside nft list ruleset)
    grep -q 'dport 22' <<<"$ruleset"
    run outside 'echo hello'
    is "$output" hello
    cat >"$machine/root/site.yaml" <<'YAML'
resources:
  - file: /etc/ssh/sshd_config
    content: |
      PermitRootLogni no
    notify: service[ssh]
  - service: ssh
    ensure: running
  - file: /etc/nftables.conf
    content: |
      flush ruleset
      table inet filter {
          chain input {
              type filter hook input priority filter; policy drop;
          }
          chain output {
              type filter hook output priority filter; policy drop;
          }
      }
    notify: service[nftables]
  - service: nftables
    ensure: running
YAML
}

teardown() {
    [ -z "$MACHINE_WHY" ] || return 0
    touch "$machine/root/go"
    inside pkill -9 -x 'rhost|rhost-.*|ssh' || true
    [ -z "${job-}" ] || wait "$job" || true
}

# The same, which goes on then until the file `go` is there.
long_site() {
    printf '  - exec: wait\n    command: [sh, -c, "touch /root/started; until test -e /root/go; do sleep 0.1; done"]\n    require: service[nftables]\n' \
        >>"$machine/root/site.yaml"
}

explain() {
    inside journalctl -n 30 --no-pager
}

locked_out() {
    inside nft list ruleset | grep -q 'hook output .* policy drop'
    [ "$(inside systemctl is-active ssh)" != active ]
    run outside true
    status_is 255
}

rolled_back() {
    until_true test ! -e "$machine$state/confirm.json"
    cmp "$machine/root/sshd_config" "$machine/etc/ssh/sshd_config"
    cmp "$machine/root/nftables.conf" "$machine/etc/nftables.conf"
    is "$(inside nft list ruleset)" "$ruleset"
    state_is ssh active
    state_is nftables active
    run outside 'echo hello'
    is "$output" hello
    run inside /opt/rhost/rhost runs
    status_is 0
    says 'rolled back'
}
