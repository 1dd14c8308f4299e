# SPDX-License-Identifier: Apache-2.0
# What 'rhost resource TYPE' lists on a machine with ordinary content is a manifest: applied, it changes
# nothing. Every type of the plugin directory is asked, so a new plugin is in it by itself.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

# As others than us write it: by the tools of the system, and with an editor.
fill_accounts() {
    inside sh -e <<'END'
groupadd --gid 2000 staff2
groupadd --system daemons
groupadd empty
useradd --create-home --comment 'Ålice Example,Room 7,,' --shell /bin/bash --groups staff2,users alice
useradd --uid 2500 --gid staff2 --no-create-home --expiredate 2031-02-28 --inactive 30 bob
useradd --system --gid daemons --home-dir /nonexistent --shell /usr/sbin/nologin worker
useradd --no-create-home --shell '' carol
useradd --non-unique --uid 0 --gid 0 --home-dir /root toor
groupadd --gid 65533 gone
useradd --no-create-home --gid gone dave
sed -i '/^gone:/d' /etc/group /etc/gshadow
echo 'alice:$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/' | chpasswd -e
echo 'bob:$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/' | chpasswd -e
usermod --lock bob
chage --mindays 1 --maxdays 90 --warndays 14 alice
chage --lastday 0 carol
usermod --append --groups empty nobody
# As logind keeps who lingers; it does not run here.
mkdir -p /var/lib/systemd/linger
touch /var/lib/systemd/linger/alice
echo 'ancient:x:2600:2600::/home/ancient:/bin/sh' >>/etc/passwd
END
}

fill_files() {
    mkdir -p "$machine"/etc/{apt/sources.list.d,apt/keyrings,cron.d,init.d,ssh,sysctl.d,skel} \
        "$machine"/{home/alice,root}/.ssh "$machine/srv/www"
    # One that can be said in full, and one that has what no attribute can say.
    cat >"$machine/etc/systemd/network/10-eth.network" <<'END'
[Match]
Name=eth0
[Network]
DHCP=v4
Address=192.0.2.10/24
Gateway=192.0.2.1
[Route]
Destination=198.51.100.0/24
Gateway=192.0.2.2
END
    cat >"$machine/etc/systemd/network/20-all.network" <<'END'
[Match]
Type=ether
[Network]
DHCP=maybe
[Route]
Gateway=_dhcp4
Table=7
END
    cat >"$machine/etc/hosts" <<'END'
127.0.0.1	localhost
127.0.1.1	machine.example.org machine   # ourselves
::1		localhost ip6-localhost ip6-loopback
ff02::1		ip6-allnodes
192.0.2.10	db.example.org db db1 mysql
192.0.2.11	Web.Example.org	www
192.0.2.12	www
2001:db8::10	db.example.org db
END
    cat >"$machine/etc/fstab" <<'END'
# <file system> <mount point>   <type>  <options>       <dump>  <pass>
UUID=8c2b2f2e-7b6c-4a0e-a7a5-0f8f5d1e4f11 /boot ext4 noauto,errors=remount-ro 0 2
LABEL=home	/home2	xfs	noauto,defaults,nosuid	0	0
PARTUUID="0a1b-02"  /boot/efi  vfat  noauto,umask=0077  0  1
/dev/disk/by-id/none-part3 none swap sw,nofail 0 0
/swapfile swap swap noauto
tmpfs /srv/tmp tmpfs noauto,size=10%,mode=1777 0 0
/srv/www /srv/mirror none bind,noauto
nas.example.org:/export/a /srv/nfs nfs4 noauto,_netdev,vers=4.2,x-systemd.automount 0 0
//nas.example.org/share /srv/my\040share cifs noauto,credentials=/root/.smb 0 0
/dev/sr0 /media/cdrom0 udf,iso9660 user,noauto 0 0
proc /proc proc defaults 0 0
END
    mkdir -p "$machine/etc/sudoers.d"
    printf '# Administrators.\n%%%%sudo ALL = (ALL : ALL) ALL\n' >"$machine/etc/sudoers.d/administrators"
    printf 'Defaults env_reset\n' >"$machine/etc/sudoers.d/defaults"
    chmod 440 "$machine/etc/sudoers.d/"*
    cat >"$machine/etc/apt/sources.list" <<'END'
# See sources.list(5).
deb http://deb.example.org/debian bookworm main contrib non-free-firmware
deb-src http://deb.example.org/debian bookworm main
# deb http://deb.example.org/debian bookworm-backports main
deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.example.org/debian-security bookworm-security main
deb cdrom:[Debian GNU/Linux 12.0.0 _Bookworm_ - Official amd64 NETINST]/ bookworm main
END
    cat >"$machine/etc/apt/sources.list.d/debian.sources" <<'END'
Types: deb deb-src
URIs: http://deb.example.org/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

# The other half.
Types: deb
URIs: http://deb.example.org/debian-security
Suites: bookworm-security
Components: main
Enabled: no
END
    cat >"$machine/etc/apt/sources.list.d/vendor.sources" <<'END'
X-Repolib-Name: Vendor
Types: deb
URIs: https://deb.example.org/vendor
Suites: ./
Trusted: yes
Architectures: amd64 arm64
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mDMEZpxQaRYJKwYBBAHaRw8BAQdAvb1sLHD1X7qkMkXvLn0k7hZ4ezrHTL3V7pT+
 =abcd
 -----END PGP PUBLIC KEY BLOCK-----
END
    printf 'Package: *\nPin: release n=bookworm-backports\nPin-Priority: 100\n' >"$machine/etc/apt/preferences.d/backports.pref"
    echo 'deb https://deb.example.org/old stable main' >"$machine/etc/apt/sources.list.d/old.list"
    cat >"$machine/etc/crontab" <<'END'
SHELL=/bin/sh
PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin
17 *	* * *	root	cd / && run-parts --report /etc/cron.hourly
25 6	* * *	root	test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }
END
    cat >"$machine/etc/cron.d/php" <<'END'
# Look for and purge old sessions every 30 minutes
09,39 *     * * *     root   [ -x /usr/lib/php/sessionclean ] && if [ ! -d /run/systemd/system ]; then /usr/lib/php/sessionclean; fi
END
    cat >"$machine/etc/cron.d/rhost" <<'END'
# rhost: nightly backup
30 2 * * mon-fri root /usr/local/sbin/backup --date "$(date +\%F)"
# rhost: reports
@weekly alice /usr/local/bin/report
# rhost: with a place
MAILTO=ops@example.org
PATH = /usr/bin:/bin
*/5 8-18 1,15 jan,jul 7 root  nice  check
END
    inside crontab -u alice - <<'END'
# m h dom mon dow command
0 5 * * 1 tar -zcf /var/backups/home.tgz /home/
# rhost: mine
@reboot /home/alice/bin/start
END
    cat >"$machine/root/.ssh/authorized_keys" <<'END'
# Who may come in
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXyz ops@example.org
from="192.0.2.0/24,!192.0.2.7",no-pty,command="/usr/bin/rsync --server \"$SSH_ORIGINAL_COMMAND\"" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXy0 backup of the night
restrict,port-forwarding,permitopen="localhost:5432",environment="A=b c" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXy1
END
    cat >"$machine/home/alice/.ssh/authorized_keys" <<'END'
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDAu1VXcbmgjLRzDXsSZ0Nv5PGKdaSTqFiLrSsKZ0XTKrVBCDPjNLvBEYUe6kcPJBDK9a7m1ONqRTP3FWMlEXhbdsyXlDzfhn5cVlCOKhIOVCUGZVHPMkcjtz/mOg1/Q0sBFbL3P2ZZxJ0Y3tq9y8H3xT7QBPcFBnh5PkLrp3+R9w== alice@laptop
cert-authority,principals="alice,admin" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXy0 alice@laptop
END
    printf '# Local settings\nkernel.panic = 10\nnet/ipv4/ip_forward=1\n' >"$machine/etc/sysctl.conf"
    cat >"$machine/etc/sysctl.d/10-network.conf" <<'END'
; hardening
-net.ipv4.conf.*.rp_filter = 2
-net.ipv4.conf.all.rp_filter
net.ipv4.tcp_rmem = 4096	131072 6291456
END
    printf 'kernel.panic = 20\nkernel.printk=4 4 1 7\n' >"$machine/etc/sysctl.d/99-rhost.conf"
    mkdir -p "$machine/etc/systemd/journald.conf.d"
    printf '[Journal]\n#Storage=auto\nStorage=volatile\nSystemMaxUse = 100M\n' \
        >"$machine/etc/systemd/journald.conf.d/size.conf"
    printf '[Manager]\nDefaultEnvironment="A=b c" D=e\nDefaultLimitNOFILE=1024:4096\n' \
        >>"$machine/etc/systemd/system.conf"
    echo machine.example.org >"$machine/etc/hostname"
    ln -sfn ../usr/share/zoneinfo/Etc/UTC "$machine/etc/localtime"
    cp -r "$machine/usr/lib/locale/C.utf8" "$machine/usr/lib/locale/en_ZZ.utf8"
    mkdir -p "$machine/etc/modprobe.d"
    printf 'blacklist pcspkr\noptions snd-hda-intel index=1 \\\n  model="a b"\nblacklist snd-hda-intel\n' >"$machine/etc/modprobe.d/ours.conf"
    printf '*.example.org,192.0.2.7 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXy0\n' |
        tee "$machine/etc/ssh/ssh_known_hosts" >"$machine/home/alice/.ssh/known_hosts"
    printf '|1|%s=|%s= ssh-ed25519 %s\n@revoked * ssh-ed25519 %s\n' AAAAAAAAAAAAAAAAAAAAAAAAAAA BBBBBBBBBBBBBBBBBBBBBBBBBBB \
        AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXy1 \
        AAAAC3NzaC1lZDI1NTE5AAAAIJ1nqO2bQ1V6ukqdpV5sR0n4WbMbN5HF0o3r2Yc1mXy1 >>"$machine/home/alice/.ssh/known_hosts"
    ln -s ../www "$machine/srv/link"
    ln -s nowhere "$machine/srv/dangling"
}

fill_units() {
    local dir=$machine/etc/systemd/system

    printf '[Unit]\nDescription=One — "the" first\n[Service]\nExecStart=/bin/sleep 3000\nExecStart=\nExecStart=/bin/sh -c "sleep \\\n  3000"\n[Install]\nWantedBy=multi-user.target\n' >"$dir/one.service"
    printf '[Service]\nExecStart=/bin/sleep 30%%i\n[Install]\nWantedBy=multi-user.target\nDefaultInstance=0\n' >"$dir/many@.service"
    printf '# no newline at the end\n[Service]\nType=oneshot\nExecStart=/bin/true\n[Install]\nAlias=nick.service' >"$dir/once.service"
    printf '[Service]\nExecStart=/bin/false\n' >"$dir/broken.service"
    printf '# gr\374n\n[Service]\nExecStart=/bin/true\n' >"$dir/latin.service"
    printf '[Timer]\nOnCalendar=Mon..Fri *-*-* 02:30\n[Install]\nWantedBy=timers.target\n' >"$dir/once.timer"
    printf '[Socket]\nListenStream=/run/one.socket\n[Install]\nWantedBy=sockets.target\n' >"$dir/one.socket"
    mkdir -p "$dir/one.service.d" "$dir/getty@.service.d"
    printf '[Service]\nMemoryMax=50M\n' >"$dir/one.service.d/10-limits.conf"
    printf '[Service]\nExecStart=\nExecStart=-/sbin/agetty --noclear %%I $TERM\n' >"$dir/getty@.service.d/override.conf"
    printf '#!/bin/sh\n### BEGIN INIT INFO\n# Provides: legacy\n# Required-Start:\n# Required-Stop:\n# Default-Start: 2 3 4 5\n# Default-Stop: 0 1 6\n### END INIT INFO\n[ "$1" != status ] || exit 3\n' >"$machine/etc/init.d/legacy"
    chmod +x "$machine/etc/init.d/legacy"
    inside systemctl daemon-reload
    inside systemctl --quiet enable --now one.service once.timer many@1.service 2>/dev/null
    inside systemctl --quiet enable once.service many@2.service many@.service 2>/dev/null
    inside systemctl --quiet mask systemd-pstore.service debug-shell.service 2>/dev/null
    inside systemctl --quiet disable fstrim.timer 2>/dev/null
    inside systemctl stop fstrim.timer
    inside systemctl start broken.service 2>/dev/null || true
}

# One is held, and of one only configuration files are left.
fill_packages() {
    inside dpkg --force-depends --remove e2fsprogs
    echo "tzdata hold" | inside dpkg --set-selections
}

setup_file() {
    machine_wanted || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    machine_boot "$machine"
    fill_accounts
    fill_files
    inside chown -R alice:alice /home/alice/.ssh
    fill_units
    fill_packages
}

teardown_file() {
    machine_leave
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

inside() {
    machine_run "$machine" "$@"
}

rhost() {
    local command=$1
    shift
    case $command in
    apply | resource) set -- --isolation="$RHOST_ISOLATION" "$@" ;;
    esac
    inside /opt/rhost/rhost "$command" --plugin-dir /opt/rhost "$@"
}

# The types of the plugin directory, each once; with arguments, their providers beside them. The machine has no server of
# MariaDB or PostgreSQL, so that those types list nothing; rhost check compares their lists with what is found by name.
types() {
    rhost types | awk -v all="${1-}" '!NF { exit } $1 !~ /^(mysql|postgresql)_/ && (all || !seen[$1]++) { print $1, all ? $2 : "" }'
}

# A list (of standard output) that comes to /root/list.FORMAT in the machine; fails as rhost does.
list() {
    local format=$1
    shift
    rhost resource "$@" --format="$format" >"$machine/root/list.$format" 2>"$work/err"
}

# That list, applied, has something and finds all of it as wanted.
changes_nothing() {
    local format=$1
    shift
    run rhost apply --detailed-exitcodes "$@" "/root/list.$format"
    status_is 0
    [[ "$output" =~ ([0-9]+)\ resources?:\ ([0-9]+)\ ok ]] || { echo "$type: $output" && return 1; }
    [ "${BASH_REMATCH[1]}" -gt 0 ]
    [ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
    echo "$type: ${BASH_REMATCH[1]} listed, as wanted ($format, $RHOST_ISOLATION)"
}

# Whether none of its providers has a list, or suits the machine; the reason is given in $work/err.
is_unlisted() {
    list yaml "$1" && return 1
    [ ! -s "$machine/root/list.yaml" ]
    grep -qE "^error: (type '$1' cannot be listed|no provider of '$1' suits this machine): " "$work/err"
}

# What the machine has none of: it has no disks of its own.
has_none_of() {
    case $1 in
    filesystem | partition | swap) ;;
    *) return 1 ;;
    esac
}

# How an operator asks for some of a type of which there is no list.
names_of() {
    case $1 in
    archive) printf '%s\n' /etc /home/alice /srv/link/.. /srv/none ;;
    apt_upgrade) echo machine ;;
    git) printf '%s\n' /srv/none ;;
    remote_file) printf '%s\n' /etc/hosts /srv/none ;;
    htpasswd) printf '%s\n' '/srv/none:anna' ;;
    ssh_key) printf '%s\n' /srv/none ;;
    pip_package | npm_package | gem_package | cargo_package) printf '%s\n' 'a: /srv/none' ;;
    flatpak) printf '%s\n' org.example.None ;;
    flatpak_remote) printf '%s\n' none ;;
    directory) printf '%s\n' /etc /var/lib/dpkg /home/alice /tmp /srv/link/.. ;;
    file) printf '%s\n' /etc/hosts /etc/shadow /usr/bin/dpkg /srv/none ;;
    line) printf '%s\n' '/etc/hosts: 192.0.2.12	www' '/etc/fstab: # <file system> <mount point>   <type>  <options>       <dump>  <pass>' ;;
    substitution) printf '%s\n' '/etc/hosts: ^127' '/etc/fstab: nothing' ;;
    text_block) printf '%s\n' /etc/hosts '/etc/fstab: // {mark} two' /srv/none ;;
    x509_key) printf '%s\n' /srv/none ;;
    x509_request) printf '%s\n' /srv/none ;;
    x509_certificate) printf '%s\n' /srv/none ;;
    json_setting) printf '%s\n' '/srv/none#/a' ;;
    yaml_setting) printf '%s\n' '/srv/none#/a' ;;
    link) printf '%s\n' /srv/link /srv/dangling /etc/mtab /srv/none ;;
    *) echo "say here how a '$1' is asked for" >&2 && return 1 ;;
    esac
}

@test "what a type lists is a manifest that changes nothing" {
    local type format n=0
    for type in $(types); do
        ! is_unlisted "$type" || continue
        for RHOST_ISOLATION in confined none; do
            for format in yaml json; do
                list "$format" "$type" || { cat "$work/err" && return 1; }
                [ ! -s "$work/err" ] || { cat "$work/err" && return 1; }
                ! has_none_of "$type" || continue
                changes_nothing "$format" --noop
            done
        done
        n=$((n + 1))
    done
    [ "$n" -ge 12 ]
}

@test "nor does it when it is applied in earnest" {
    local type
    for type in $(types); do
        ! is_unlisted "$type" || continue
        list yaml "$type"
        has_none_of "$type" || changes_nothing yaml
    done
}

@test "so is what another provider than the usual one lists" {
    local type provider n=0
    while read -r type provider; do
        [ "$(types all | grep -c "^$type ")" -gt 1 ] || continue
        rhost types --suits | grep -q "^$type *$provider .* no " && continue
        for format in yaml json; do
            list "$format" "$type" --provider="$provider"
            changes_nothing "$format" --noop
        done
        grep -q "provider: $provider" "$machine/root/list.yaml"
        n=$((n + 1))
    done < <(types all)
    [ "$n" -ge 2 ]
}

@test "what cannot be listed says why, and goes round when it is asked for by name" {
    local type title
    for type in $(types); do
        is_unlisted "$type" || continue
        if grep -q -e 'it has no state to read' -e "it has no attribute 'ensure'" -e 'suits this machine' "$work/err"; then
            continue
        fi
        grep -q "name it: 'rhost resource $type TITLE'" "$work/err"
        [[ $type != container* ]] || continue # no engine runs on this machine
        while read -r title; do
            for RHOST_ISOLATION in confined none; do
                for format in yaml json; do
                    list "$format" "$type" "$title" || { cat "$work/err" && return 1; }
                    changes_nothing "$format" --noop
                done
            done
        done <<<"$(names_of "$type")"
    done
    type=ini_setting
    for title in '/etc/systemd/system.conf [Manager] DefaultLimitNOFILE' '/usr/lib/os-release [] ID' \
        '/etc/systemd/system/one.service [Install] WantedBy' '/etc/systemd/system.conf [Manager] None'; do
        list yaml "$type" "$title"
        changes_nothing yaml --noop
    done
}

@test "what is there and something else is not shown as absent" {
    for RHOST_ISOLATION in confined none; do
        for asked in 'file /srv/link' 'file /etc' 'directory /etc/hosts' 'directory /srv/link' \
            'link /etc/hosts'; do
            run rhost resource $asked
            status_is 4
            says "'${asked#* }' exists, but is not a"
        done
    done
    run rhost resource file /srv/link
    says "it is a symbolic link, as the type 'link' keeps them"
}

@test "who is not root gets a list that changes nothing as well, or hears why not" {
    local type
    for type in $(types); do
        is_unlisted "$type" && continue
        run inside setpriv --reuid=65534 --clear-groups sh -c "
            cd /tmp && r='/opt/rhost/rhost' o='--plugin-dir /opt/rhost --state-dir /tmp/nobody'
            \$r resource \$o $type >list.$type.yaml || exit 99
            \$r apply \$o --noop --detailed-exitcodes list.$type.yaml"
        if [ "$status" -eq 99 ]; then
            says 'error: '
            says "cannot read"
        else
            status_is 0
        fi
    done
}

@test "the lists have what is there" {
    list yaml user
    for has in '- user: alice' 'comment: "Ålice Example,Room 7,,"' 'expiry: "2031-02-28"' \
        'password_max_age: 90' 'password_last_change: must_change' 'gid: 65533' '- user: ancient'; do
        grep -qF -- "$has" "$machine/root/list.yaml"
    done
    grep -A12 -- '- user: bob' "$machine/root/list.yaml" | grep -q 'locked: true'
    list yaml package
    grep -A3 -- '- package: tzdata' "$machine/root/list.yaml" | grep -q 'held: true'
    not grep -q e2fsprogs "$machine/root/list.yaml"
    list yaml service
    grep -A3 -- '- service: debug-shell.service' "$machine/root/list.yaml" | grep -q 'mask: true'
    grep -A3 -- '"many@2.service"' "$machine/root/list.yaml" | grep -q 'enable: true'
    list yaml cron
    for has in '- cron: "nightly backup"' '- cron: "crontab:alice mine"' 'special: reboot' 'minute: "*/5"' \
        'environment: ["MAILTO=ops@example.org", "PATH=/usr/bin:/bin"]'; do
        grep -qF -- "$has" "$machine/root/list.yaml" || { cat "$machine/root/list.yaml" && return 1; }
    done
    list yaml ssh_authorized_key
    grep -qF -- '- ssh_authorized_key: "root: backup of the night"' "$machine/root/list.yaml"
    list yaml systemd_unit
    grep -qF -- '- systemd_unit: one.service.d/10-limits.conf' "$machine/root/list.yaml"
    list yaml ini_setting
    grep -qF -- '- ini_setting: "/etc/systemd/journald.conf.d/size.conf [Journal] SystemMaxUse"' \
        "$machine/root/list.yaml"
    list yaml sysctl
    grep -A3 -- '- sysctl: kernel.panic$' "$machine/root/list.yaml" | grep -q 'persist: "20"'
    list yaml mount
    grep -qF -- '- mount: "/srv/my share"' "$machine/root/list.yaml"
}

@test "without crontab(1) the crontabs of users are left out, aloud" {
    rm "$machine/usr/bin/crontab"
    run rhost resource cron
    status_is 0
    says 'warning: cron: crontab(1) is not installed, ignoring the crontabs of users'
    says 'cron: "nightly backup"'
    says_not 'crontab:alice'
}
