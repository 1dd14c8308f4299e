# SPDX-License-Identifier: Apache-2.0
# What is captured on a machine with ordinary content, applied to a fresh one, makes that one the same: both boot, and
# the system's own tools say what is on them.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

scanpackages_here() {
    command -v dpkg-scanpackages >/dev/null || {
        echo "needs dpkg-scanpackages"
        return 1
    }
}

setup_file() {
    machine_wanted scanpackages_here || return 0
    export old=$BATS_FILE_TMPDIR/old fresh=$BATS_FILE_TMPDIR/fresh
    machine_base "$machine_tarball"
    repository "$BATS_FILE_TMPDIR/repository"
    for machine in "$old" "$fresh"; do
        machine_make "$machine_tarball" "$machine"
        machine_put_rhost "$machine"
        : >"$machine/etc/apt/sources.list"
        cp -R "$BATS_FILE_TMPDIR/repository" "$machine/srv/repository"
    done
    machine_boot "$old"
    fill >"$BATS_FILE_TMPDIR/fill.log" 2>&1 || {
        tail -n 30 "$BATS_FILE_TMPDIR/fill.log"
        return 1
    }
    machine_boot "$fresh"
}

teardown_file() {
    for machine in ${old-} ${fresh-}; do
        machine_leave
    done
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

# A repository with packages of nearly nothing: one has a configuration file, an account and a service.
repository() (
    mkdir -p "$1" && cd "$1" || exit
    for package in tools:1.4 tools:2.0 lib:1.0 web:1.0 docs:1.0; do
        name=ours-${package%:*}
        mkdir -p "tree/DEBIAN" "tree/usr/share/$name"
        echo "$package" >"tree/usr/share/$name/version"
        printf '%s\n' "Package: $name" "Version: ${package#*:}" 'Architecture: all' 'Description: a package to try' \
            'Maintainer: An Operator <ops@example.org>' >tree/DEBIAN/control
        if [ "$name" = ours-web ]; then
            echo 'Depends: ours-lib' >>tree/DEBIAN/control
            mkdir -p tree/etc/ours tree/lib/systemd/system
            echo 'port = 80' >tree/etc/ours/web.conf
            echo 'level = info' >tree/etc/ours/log.conf
            printf '/etc/ours/web.conf\n/etc/ours/log.conf\n' >tree/DEBIAN/conffiles
            printf '[Service]\nUser=oursweb\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' \
                >tree/lib/systemd/system/ours-web.service
            printf '#!/bin/sh\nid oursweb 2>/dev/null || useradd --system --shell /usr/sbin/nologin oursweb\nsystemctl -q enable --now ours-web\n' \
                >tree/DEBIAN/postinst
            chmod 755 tree/DEBIAN/postinst
        fi
        dpkg-deb --root-owner-group -Znone --build tree "${name}_${package#*:}.deb" >/dev/null
        rm -r tree
    done
    dpkg-scanpackages --multiversion . >Packages 2>/dev/null
)

# What an operator does in a year.
fill() {
    machine_run "$old" sh -e <<'END'
printf 'Types: deb\nURIs: file:/srv/repository\nSuites: ./\nTrusted: yes\n' >/etc/apt/sources.list.d/ours.sources
printf 'Package: ours-tools\nPin: version 1.4\nPin-Priority: 700\n' >/etc/apt/preferences.d/ours
apt-get -q update
apt-get -qq -y install ours-tools=1.4 ours-web
apt-mark hold ours-tools

groupadd --gid 4711 editors
useradd --create-home --comment 'Ålice Example' --shell /bin/bash --groups editors,audio alice
useradd --no-create-home --uid 2500 --expiredate 2031-02-28 bob
useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin jobs
printf 'alice:$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/\n' | chpasswd -e
chage --maxdays 90 alice
gpasswd -a www-data editors
install -d -m 700 -o alice -g alice ~alice/.ssh
printf 'from="10.0.0.0/8",no-pty ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb alice@laptop\n' \
    >~alice/.ssh/authorized_keys
chown alice:alice ~alice/.ssh/authorized_keys
chmod 600 ~alice/.ssh/authorized_keys

printf '# ours\nnet.ipv4.ip_forward = 1\nnet.ipv4.conf.all.log_martians=1\n' >/etc/sysctl.d/60-ours.conf
sysctl -q -p /etc/sysctl.d/60-ours.conf
printf '192.0.2.10\tdb.example.org db\n2001:db8::10 cache.example.org\n' >>/etc/hosts
mkdir -p /srv/cache/thumbs /srv/mirror
printf 'tmpfs /srv/cache/thumbs tmpfs size=1m,nosuid 0 0\n/srv/repository /srv/mirror none bind,ro 0 0\nUUID=8c2b2f2e-7b6c-4a0e-a7a5-0f8f5d1e4f11 /srv/disk ext4 noauto 0 2\n' >>/etc/fstab
systemctl daemon-reload
mount /srv/cache/thumbs
mount /srv/mirror

echo 'port = 8080' >/etc/ours/web.conf
rm /etc/ours/log.conf
printf '\n# ours\nUMASK_OF_OURS 027\n' >>/etc/login.defs
echo 'alias ll="ls -l"' >>/etc/bash.bashrc
printf '#!/bin/sh\n\techo "${HOME}"  \n' >/usr/local/bin/ours
chmod 755 /usr/local/bin/ours
printf 'secret = hush5hush\n' >/etc/ours/secret.conf
chmod 640 /etc/ours/secret.conf
chgrp editors /etc/ours/secret.conf

printf 'MAILTO=ops\n5 3 * * * root true %% x\n' >/etc/cron.d/ours
printf '#!/bin/sh\ntrue\n' >/etc/cron.daily/ours
chmod 755 /etc/cron.daily/ours
printf '# mine\n*/5 * * * * true --password=hush5hush\n' | crontab -u alice -

printf '[Unit]\nDescription=Ours\n\n[Service]\nExecStart=/bin/sleep infinity\n\n[Install]\nWantedBy=multi-user.target\n' \
    >/etc/systemd/system/ours.service
printf '[Service]\nExecStart=/bin/sleep 300%%i\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/tpl@.service
printf '[Service]\nType=oneshot\nExecStart=/bin/true\n' >/etc/systemd/system/tidy.service
printf '[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n' >/etc/systemd/system/tidy.timer
mkdir /etc/systemd/system/cron.service.d
printf '[Service]\nNice=5\n' >/etc/systemd/system/cron.service.d/nice.conf
systemctl daemon-reload
systemctl -q enable --now ours tpl@1 tidy.timer
systemctl -q disable --now fstrim.timer
systemctl -q mask --now ours-web apt-daily.timer
systemctl reset-failed
systemctl restart cron
END
}

# rhost MACHINE COMMAND...
rhost() {
    machine_run "$1" /opt/rhost/rhost "$2" --plugin-dir /opt/rhost "${@:3}"
}

capture() {
    run rhost "$old" capture --files=/usr/local/bin --files=/etc/ours --output="/root/$1" "${@:2}"
    status_is 0
    run rhost "$old" validate "/root/$1"
    status_is 0
    # Where it was captured, nothing is to be changed.
    run rhost "$old" apply --noop --detailed-exitcodes "/root/$1"
    status_is 0
    cp "$old/root/$1" "$fresh/root/$1"
}

applied() {
    run rhost "$fresh" apply --detailed-exitcodes "/root/$1"
    status_is 2
    run rhost "$fresh" apply --detailed-exitcodes "/root/$1"
    status_is 0
}

# What is on a machine, as those say who know.
state_of() {
    machine_run "$1" sh <<'END'
echo "== packages"
dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n'
echo "== marks"
apt-mark showmanual
echo "== holds"
apt-mark showhold
echo "== accounts"
getent passwd alice bob jobs oursweb root | sed 's/^oursweb:x:[0-9:]*/oursweb/; s/^jobs:x:[0-9:]*/jobs/'
getent group | while IFS=: read -r name x gid members; do
    echo "$name $(echo "$members" | tr , '\n' | sort | tr '\n' ' ')"
done | sort
stat -c '%n %a %U %G' /home/*
echo "== hashes"
getent shadow alice bob jobs root | cut -d: -f1,2,4-
echo "== keys"
cat ~alice/.ssh/authorized_keys
stat -c '%n %a %U %G' ~alice/.ssh ~alice/.ssh/*
echo "== parameters"
sysctl net.ipv4.ip_forward net.ipv4.conf.all.log_martians
cat /etc/sysctl.d/*.conf | sed 's/ *= */=/; /^#/d' | sort
echo "== hosts"
getent hosts db.example.org db cache.example.org
echo "== mounts"
findmnt -rno TARGET,FSTYPE,OPTIONS /srv/cache/thumbs | sed 's/,inode64//; s/,uid=.*//'
findmnt -rno TARGET /srv/mirror
findmnt --fstab -rno TARGET | sort
echo "== crontabs"
crontab -l -u alice 2>&1
stat -c '%a %U %G' /var/spool/cron/crontabs/* 2>/dev/null
echo "== units"
systemctl list-unit-files --no-legend --plain | awk '{ print $1, $2 }' | sort
systemctl is-active ours tpl@1 tidy.timer ours-web fstrim.timer apt-daily.timer cron
systemctl show -P Nice cron
echo "== files"
find /etc/ours /etc/apt /etc/cron* /etc/systemd /etc/login.defs /etc/bash.bashrc /usr/local/bin \
    '(' -type f -o -type l ')' | sort | while read -r file; do
    echo "$(stat -c '%n %a %U %G' "$file") $(sha256sum <"$file" | cut -c1-16)"
done
END
}

# The lines that only one of the machines has.
different() {
    state_of "$old" >"$BATS_TEST_TMPDIR/old"
    state_of "$fresh" >"$BATS_TEST_TMPDIR/fresh"
    diff "$BATS_TEST_TMPDIR/old" "$BATS_TEST_TMPDIR/fresh" | grep '^[<>]' || true
}

@test "applied on a fresh machine, a capture makes that one the same, but for secrets" {
    capture open.yaml
    cp "$old/root/open.yaml" .
    # What packages and the distribution brought is not in it, and what somebody did is.
    not grep -qE '^  - (directory: /srv|directory: /usr/local|service: (rcS|cryptdisks).service)$' open.yaml
    for entry in 'package: ours-tools' 'package: ours-web' 'service: ours.service' 'service: fstrim.timer' \
        'service: ours-web.service' 'service: "tpl@1.service"' 'systemd_unit: cron.service.d/nice.conf' \
        'file: /etc/ours/log.conf' 'directory: /srv/cache'; do
        grep -qxF -e "  - $entry" open.yaml || {
            echo "no $entry"
            return 1
        }
    done
    not grep -qE 'hush5hush|saltsalt' open.yaml
    [ "$(grep -c '^  # left out, as ' open.yaml)" -eq 3 ]
    grep -q '^  # left out, as it is on a disk of this machine: mount\[/srv/disk\]' open.yaml
    grep -q '^  # left out, as not everybody may read it: file\[/var/spool/cron/crontabs/alice\]' open.yaml
    grep -q '^  # left out, as not everybody may read it: file\[/etc/ours/secret.conf\]' open.yaml
    not grep -qE '^  - (package: "?(ours-lib|dpkg)"?|user: "?(oursweb|root|_apt)"?|service: "?(cron|dbus).service"?)$' open.yaml
    applied open.yaml
    different >difference
    cat difference
    # The password with its settings, the crontab, and the private file; and the disk that this machine does not have.
    sed -E 's/^(.) alice:\$6\$.*/\1 the hash/; s/^(.) alice:!.*/\1 no hash/' difference | sort >is
    sort >expected <<'END'
< # mine
< */5 * * * * true --password=hush5hush
< 600 alice crontab
< /etc/ours/secret.conf
< /srv/disk
< the hash
> no crontab for alice
> no hash
END
    diff <(sed -E 's/^(. \/etc\/ours\/secret.conf).*/\1/' is) expected
}

@test "with its secrets, what the system's own tools say of both is the same" {
    capture secret.yaml --secrets
    [ "$(stat -c %a "$old/root/secret.yaml")" = 600 ]
    applied secret.yaml
    different >difference
    cat difference
    [ "$(cat difference)" = '< /srv/disk' ]
    # cron takes what was written for it.
    run machine_run "$fresh" crontab -l -u alice
    says '--password=hush5hush'
}

@test "what is captured of the machine that was made is the same again" {
    for machine in "$old" "$fresh"; do
        # Without the comments about the disk that one of them has.
        rhost "$machine" capture --secrets --versions --files=/usr/local/bin --files=/etc/ours 2>err |
            grep -v '/srv/disk\|^  #   ' >"$(basename "$machine")"
    done
    [ "$(grep -c '^  - ' old)" -gt 100 ]
    diff old fresh
}
