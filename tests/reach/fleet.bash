# SPDX-License-Identifier: Apache-2.0
# Many targets on this machine. Each has its own network, processes, host name and root file system (this machine's,
# with its changes in memory), and an sshd on a link to one bridge. All of it is in namespaces of one process, and ends
# with it: the network configuration of the machine is not used.
#
#     fleet_enter "$0" "$@"        first: executes the script again, in the namespaces
#     fleet_open DIR [PLUGINS]     an empty directory; a kit with these plugins is made in memory
#     fleet_add FIRST LAST         starts targets: t001 ..., at 10.99.0.11 ...
#     fleet_ready FIRST LAST       waits until they answer
#     fleet_on NAME COMMAND...     on a target
#
# Inside, `ssh t001` works as for an operator: names, keys and known hosts are there.

# Says why there can be no fleet here, or nothing.
fleet_why_not() {
    [ "$(id -u)" = 0 ] || { echo "needs root"; return; }
    command -v ssh >/dev/null || { echo "no ssh"; return; }
    [ -x /usr/sbin/sshd ] || { echo "no sshd"; return; }
    command -v ip >/dev/null || { echo "no ip"; return; }
    [ -x "$abs_top_builddir/core/rhost-kit" ] || { echo "built without rhost-kit"; return; }
    ! grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h" || { echo "built with sanitizers"; return; }
    unshare --mount --net --pid --fork --propagation private sh -c '
        mount -t tmpfs none /mnt && mkdir /mnt/upper /mnt/work /mnt/root &&
        mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root &&
        ip link add fleet type bridge' >/dev/null 2>&1 || echo "no namespaces with overlays and bridges"
}

fleet_enter() {
    [ -z "${FLEET_INSIDE-}" ] || return 0
    FLEET_INSIDE=1 exec unshare --mount --net --pid --fork --kill-child --propagation private --mount-proc bash "$@"
}

fleet_name() {
    printf 't%03d' "$1"
}

fleet_address() {
    echo "10.99.$((($1 + 10) / 250)).$((($1 + 10) % 250 + 1))"
}

fleet_open() {
    fleet=$1
    mount -t tmpfs -o mode=755 fleet "$fleet"
    mount -t tmpfs -o mode=755 run /run
    mount -t tmpfs -o mode=755 cache /var/cache
    mkdir "$fleet/ssh" "$fleet/etc" /run/sshd
    # Where the machine replaces a file, what is mounted at it here would be gone.
    cp -a /etc/. "$fleet/etc"
    mount --bind "$fleet/etc" /etc
    ssh-keygen -q -t ed25519 -N '' -f "$fleet/ssh/id"
    ssh-keygen -q -t ed25519 -N '' -f "$fleet/ssh/host"
    cp "$fleet/ssh/id.pub" "$fleet/ssh/authorized"
    echo "* $(cut -d' ' -f1,2 "$fleet/ssh/host.pub")" >"$fleet/ssh/known"
    cat >"$fleet/ssh/config" <<EOF
Host *
    User root
    IdentityFile $fleet/ssh/id
    IdentitiesOnly yes
    UserKnownHostsFile $fleet/ssh/known
    GlobalKnownHostsFile /dev/null
EOF
    cat >"$fleet/ssh/sshd_config" <<EOF
HostKey /run/ssh/host
AuthorizedKeysFile /run/ssh/authorized
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin yes
PasswordAuthentication no
Subsystem sftp internal-sftp
PidFile none
MaxStartups 300
EOF
    mount --bind "$fleet/ssh/config" /etc/ssh/ssh_config
    [ ! -d ~/.ssh ] || mount -t tmpfs none ~/.ssh
    cp /etc/hosts "$fleet/hosts"
    mount --bind "$fleet/hosts" /etc/hosts
    ip link set lo up
    ip link add fleet type bridge
    ip addr add 10.99.0.1/16 dev fleet
    ip link set fleet up
    "$abs_top_builddir/rhost" kit make ${2:+--plugins="$2"} >/dev/null
}

# The first process of a target. Its arguments: its directory, its name, its address.
fleet_target='
    set -e
    root=$1/root
    mount -t overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$2" "$root"
    rm -rf "$root/var/lib/rhost" "$root/var/cache/rhost"
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
    mount -t tmpfs -o mode=755 run "$root/run"
    mkdir "$root/run/sshd"
    cp -r "$1/../ssh" "$root/run/ssh"
    rm "$root/run/ssh/id"
    sed -i "s/^root:[^:]*/root:*/" "$root/etc/shadow"
    hostname "$2"
    echo "$2" >"$root/etc/hostname"
    until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
    ip link set lo up
    ip addr add "$3/16" dev eth0
    ip link set eth0 up
    exec chroot "$root" /usr/sbin/sshd -D -f /run/ssh/sshd_config
'

fleet_add() {
    local i dir name pids=() own

    own=$(readlink /proc/self/ns/net)
    for ((i = $1; i <= $2; i++)); do
        name=$(fleet_name "$i") dir=$fleet/$(fleet_name "$i")
        mkdir -p "$dir/upper" "$dir/work" "$dir/root"
        echo "$(fleet_address "$i") $name" >>"$fleet/hosts"
        unshare --mount --net --pid --uts --fork --kill-child --propagation private \
            sh -c "$fleet_target" sh "$dir" "$name" "$(fleet_address "$i")" </dev/null >"$dir/log" 2>&1 3>&- &
        echo $! >"$dir/pid"
        pids[i]=$!
    done
    for ((i = $1; i <= $2; i++)); do
        until [ "$(readlink "/proc/${pids[i]}/ns/net")" != "$own" ]; do sleep 0.01; done
        echo "link add v$i type veth peer name eth0 netns ${pids[i]}"
        echo "link set v$i master fleet up"
    done >"$fleet/links"
    ip -batch "$fleet/links"
}

fleet_ready() {
    local i tries

    for ((i = $1; i <= $2; i++)); do
        for ((tries = 0; tries < 600; tries++)); do
            ! (exec 4<>"/dev/tcp/$(fleet_address "$i")/22") 2>/dev/null || continue 2
            sleep 0.05
        done
        echo "$(fleet_name "$i") does not answer" >&2
        cat "$fleet/$(fleet_name "$i")/log" >&2
        return 1
    done
}

# The process that all of a target end with: its first process is the child of that.
fleet_pid() {
    cat "$fleet/$1/pid"
}

# fleet_on NAME COMMAND...: on the target, but not through its sshd.
fleet_on() {
    local first
    first=$(pgrep -P "$(fleet_pid "$1")")
    shift
    nsenter --target "$first" --mount --uts --net --pid --root --wd -- "$@"
}
