#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A site with all types, on a machine that boots, as an operator would: installed, applied, applied again,
# looked after, upgraded, purged. Its state is looked at with the system's own tools.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/operator.bash"

setup_file() {
    operator_machine
}

teardown_file() {
    machine_leave
}

site='rhost apply --detailed-exitcodes --report=report.json site/site.yaml'

# Where there is no gpg, the repository is not signed.
setup_site() {
    [ -e "$machine/srv/repository/key.asc" ] || site+=' --attribute=repository.signed=false'
}

# What the site is about, as those say who know.
all_is_well() {
    inside_is "dpkg-query -W -f '\${Package} \${Version} \${db:Status-Status}\n' 'shop-*' | grep -v not-installed" \
'shop-docs 1.0 installed
shop-lib 1.0 installed
shop-tools 1.4 installed
shop-web 1.0 installed'
    inside_is 'apt-mark showhold' 'shop-tools'
    inside_is 'systemctl is-active shop shop-web shop-report.timer cron debug-shell' \
        $'active\nactive\nactive\nactive\ninactive'
    inside_is 'systemctl is-enabled shop shop-web shop-report.timer cron debug-shell' \
        $'enabled\nenabled\nenabled\nenabled\nmasked'
    inside_is 'systemctl show -P MemoryMax -P User -P NeedDaemonReload shop' $'52428800\nshop\nno'
    inside_is 'systemctl --failed --no-legend' ''
    inside_is 'getent passwd alice bob carol shop games | cut -d: -f1,5-' \
'alice:Alice Adams:/home/alice:/bin/bash
bob:Bob Brown:/home/bob:/bin/bash
carol:Carol Clark:/home/carol:/bin/sh
shop::/srv/shop:/usr/sbin/nologin'
    inside_is 'getent shadow alice | cut -d: -f2,5' "$(cat "$machine/root/site/secrets/alice.hash"):365"
    inside_is 'getent group editors ops web games | cut -d: -f1,4' $'editors:alice,bob\nops:alice,bob,carol\nweb:'
    inside_is 'getent group web | cut -d: -f3' 4711
    inside_is 'getent hosts db1 cache backup1' \
'192.0.2.11      db1 db
192.0.2.12      cache1 cache
2001:db8::31    backup1'
    inside_is 'findmnt -n -r -o TARGET,FSTYPE /srv/shop/cache; findmnt -n -r -o TARGET,FSTYPE /srv/shop/upload' \
        $'/srv/shop/cache tmpfs\n/srv/shop/upload tmpfs'
    inside_is 'findmnt -n -o OPTIONS /srv/shop/etc-to-look-at | cut -d, -f1' ro
    inside_is 'findmnt --verify >/dev/null && findmnt -s -n -r -o TARGET' $'/srv/shop/cache\n/srv/shop/upload'
    inside_is 'sysctl -n net.ipv4.ip_forward net.ipv4.conf.all.log_martians net.ipv4.ip_local_port_range' \
        $'1\n1\n20000\t60999'
    inside_is "crontab -l -u alice | grep -v '^#'" '30 4 * * * /usr/bin/find /home/alice/tmp -mtime +7 -delete'
    inside_is 'crontab -l -u bob 2>&1' 'no crontab for bob'
    inside_is 'cut -d" " -f3 ~alice/.ssh/authorized_keys; stat -c "%a %U" ~alice/.ssh ~alice/.ssh/authorized_keys' \
        $'alice@laptop\n700 alice\n600 alice'
    inside_is 'cat /etc/environment; grep HOME_MODE /etc/login.defs | tail -n 1' $'LANG=C.UTF-8\nHOME_MODE\t0700'
    inside_is "systemd-analyze cat-config systemd/journald.conf | grep -E '^(SystemMaxUse|MaxRet)'" \
        $'SystemMaxUse = 64M\nMaxRetentionSec = 1month'
    inside_is 'cat /etc/shop/php.ini' $'[PHP]\nmemory_limit = 256M\nmax_execution_time = 60\ndisplay_errors = Off'
    inside_is 'stat -c "%n %a %U %G" /etc/shop/password /srv/shop/sites/*/index.html' \
'/etc/shop/password 400 shop root
/srv/shop/sites/shop.example.org/index.html 640 shop web
/srv/shop/sites/wiki.example.org/index.html 640 shop web
/srv/shop/sites/www.example.org/index.html 640 shop web'
    inside_is 'cat /etc/shop/sites/shop.example.org.conf /srv/shop/index /srv/shop/current/VERSION' \
'server {
    listen 8082;
    server_name shop.example.org;
    root /srv/shop/sites/shop.example.org;
}
shop.example.org.conf
wiki.example.org.conf
www.example.org.conf
7'
    inside_is 'sed 1d /etc/motd' $'  * Alice Adams (alice) looks after it
  * Bob Brown (bob) looks after it\n  * Carol Clark (carol) looks after it'
}

# What an operator changed by hand on a bad day, and the resource that has to see it.
drift='apt-get -qq -y remove shop-docs
systemctl -q disable --now shop-web
sed -i s/infinity/3000/ /etc/systemd/system/shop.service
usermod --shell /bin/sh alice
gpasswd -d bob editors
sed -i /LANG/d /etc/environment
sed -i s/256M/1G/ /etc/shop/php.ini
crontab -r -u alice
sysctl -q -w net.ipv4.ip_forward=0
sed -i /bob@laptop/d ~bob/.ssh/authorized_keys
umount /srv/shop/upload
chmod 0644 /srv/shop/releases/7/VERSION'
drifted='cron[crontab:alice tidy up]
file[/srv/shop/releases/7/VERSION]
group[editors]
ini_setting[/etc/shop/php.ini [PHP] memory_limit]
line[everybody has this language]
mount[/srv/shop/upload]
package[shop-docs]
service[shop-web]
ssh_authorized_key[bob: bob@laptop]
sysctl[net.ipv4.ip_forward]
systemd_unit[shop.service]
user[alice]'

@test "installed, tried and purged, the packages leave nothing behind" {
    tell '## Installed, tried, purged'
    inside 'apt-get -q -y install /srv/repository/shop-old_1.0.deb' >/dev/null 2>&1
    inventory >"$BATS_FILE_TMPDIR/before"
    on "apt-get -q -y install rhost '^rhost-plugin' 2>&1 | grep -E '^(Setting|[0-9])'"
    status_is 0
    on 'rhost types | wc -l'
    status_is 0
    on 'rhost resource service cron'
    status_is 0
    says 'ensure: running'
    head=3 tail=2 on 'rhost apply --noop site/site.yaml'
    status_is 0
    inside 'rhost resource file /root/tried content=x && rhost resource file /root/tried ensure=absent' >/dev/null
    on "apt-get -q -y purge '^rhost' 2>&1 | grep -E '^(Removing|Purging|[0-9])'"
    status_is 0
    inventory >"$BATS_FILE_TMPDIR/after"
    inside "apt-get -q -y install rhost '^rhost-plugin'" >/dev/null
    run diff "$BATS_FILE_TMPDIR/before" "$BATS_FILE_TMPDIR/after"
    status_is 0
    tell "Every file, link and directory of the machine ($(grep -c ' [fld] ' "$BATS_FILE_TMPDIR/after")) is as it was, \
with its mode and owner; so is what is in each file of \`/etc\`, and so are the packages."
}

@test "the site converges" {
    setup_site
    tell '## A site, three times'
    tail=12 on "$site"
    status_is 2
    says_not ' failed'
    says_not 'skipped'
    all_is_well
    [ "$(reported changed | wc -l)" -ge 60 ]
    # The site has no use for some types yet.
    same 'the types of the site' \
        "$(inside 'rhost types' | sed '/^$/,$d' | cut -d' ' -f1 | grep -vxE 'alternatives|apt_pin|apt_upgrade|archive|augeas|cargo_package|container.*|debconf|dpkg_divert|filesystem|firewalld_rule|flatpak.*|gem_package|git|hostname|htpasswd|http_request|json_setting|kernel_module|known_host|locale|mysql_.*|network_interface|nft_.*|npm_package|partition|pip_package|postgresql_.*|remote_file|ssh_key|substitution|sudo_rule|swap|text_block|timezone|ufw|ufw_rule|user_service|wait_for|x509_.*|yaml_setting' | sort -u)" \
        "$(reported | cut -d'[' -f1 | grep -vx vhost | sort -u)"
    inside_is 'apt-get -q update 2>&1 | grep -c "^[WE]:"' 0
}

@test "no secret is in what was said or kept" {
    for secret in "$(cat "$machine/root/site/secrets/password")" "$(cat "$machine/root/site/secrets/alice.hash")"; do
        inside_is "grep -rlF '$secret' /var/lib/rhost /var/cache/rhost /var/log /root/report.json" ''
    done
    inside_is 'cat /etc/shop/password' "$(cat "$machine/root/site/secrets/password")"
}

@test "the second time there is nothing to change" {
    setup_site
    inside 'touch /run/stamp && sleep 0.1'
    on "$site"
    status_is 0
    same changed '' "$(reported changed)"
    run inside "$site --debug"
    status_is 0
    same 'calls that write' '' "$(grep -E '^debug: [a-z_]+(\[.*\])?: (converge|set|create|update|remove)\b' <<<"$output" |
        grep -v '^debug: log\[')"
    inside_is "find / -xdev '(' -path /proc -o -path /sys -o -path /run -o -path /var/log -o -path /var/lib/rhost ')' \
        -prune -o -newer /run/stamp -print" $'/root\n/root/report.json'
    same 'commands that were run' crontab \
        "$(sed -n "s/^debug: [a-z_]*: Executing '\([a-z-]*\) .*/\1/p" <<<"$output" | sort -u)"
    tell "No provider was called to write, no command but \`crontab -l\` was run, and no file outside of \
rhost's own state is newer than the run."
    all_is_well
}

@test "what a type lists is as wanted, when it is applied" {
    local type listed=0

    tell '## What is there'
    tell 'Each type that can be listed, and what was listed applied.'
    for type in $(inside 'rhost types' | awk '!NF { exit } { print $1 }' | sort -u); do
        inside "rhost resource $type >/tmp/$type.yaml 2>/tmp/$type.why" || {
            inside "grep -qE 'cannot be listed|suits this machine' /tmp/$type.why"
            inside "rm /tmp/$type.yaml"
            continue
        }
        listed=$((listed + 1))
    done
    on 'for f in /tmp/*.yaml; do echo "$(basename $f .yaml): $(rhost apply --noop --detailed-exitcodes $f | tail -n 1)"; done'
    says_not 'would change'
    says_not 'failed'
    # Of some types nothing is there.
    [ "$(grep -cE ': 0 resources|[0-9] ok ' <<<"$output")" -eq "$listed" ]
    [ "$listed" -ge 11 ]
}

@test "what was changed by hand is shown by noop, and nothing else" {
    setup_site
    tell '## Drift'
    while read -r line; do
        inside "$line" >/dev/null 2>&1
    done <<<"$drift"
    tell "Somebody did this by hand:"
    [ -z "${RHOST_TRANSCRIPT-}" ] || tell "$(printf '```console\n'; sed 's/^/# /' <<<"$drift"; printf '```')"
    run inventory
    before=$output
    head=60 on "$site --noop"
    status_is 2
    same 'what would change' "$drifted" "$(reported would_change)"
    same 'what would be refreshed' 'service[shop]' "$(reported would_refresh)"
    run inventory
    same 'what noop has changed' "$(grep -v /var/lib/rhost <<<"$before")" "$(grep -v /var/lib/rhost <<<"$output")"
    inside_is 'systemctl is-active shop-web' inactive
    inside_is 'sysctl -n net.ipv4.ip_forward' 0
    inside_is 'findmnt -n /srv/shop/upload' ''
}

@test "it is repaired, and then there is nothing to change" {
    setup_site
    head=60 on "$site"
    status_is 2
    same 'what was changed' "$drifted" "$(reported changed)"
    all_is_well
    on "$site"
    status_is 0
}

@test "without its plugin a type is gone, with a clear message" {
    setup_site
    tell '## A plugin goes, and comes back newer'
    on 'apt-get -q -y remove rhost-plugin-line | grep ^Removing'
    status_is 0
    on "$site"
    status_is 1
    says "unknown type 'line'"
    says "the package that has it provides 'rhost-type-line'"
    says 'nothing was changed'
    tell "The package that has a type \`NAME\` provides \`rhost-type-NAME\`, whoever made it:"
    on 'apt-get -q -y install rhost-type-line 2>&1 | grep ^Setting'
    status_is 0
    says 'Setting up rhost-plugin-line'
    on "$site"
    status_is 0
}

@test "a plugin is upgraded while a run is under way" {
    inside 'dpkg-deb -R /packages/rhost-plugin-line_*.deb /tmp/newer
        sed -i "s/^Version: .*/&+1/" /tmp/newer/DEBIAN/control
        dpkg-deb --root-owner-group -b /tmp/newer /tmp/newer.deb && rm -r /tmp/newer' >/dev/null
    cat >"$machine/root/slow.yaml" <<'END'
resources:
  - line: before
    path: /root/lines
    text: before
    create: true
  - exec: meanwhile
    command: [sh, -c, "touch /run/meanwhile; sleep 3"]
  - line: after
    path: /root/lines
    text: after
    require: exec[meanwhile]
  - exec: later
    command: [sleep, "1"]
END
    on $'rhost apply slow.yaml &\nwait-for /run/meanwhile\ndpkg -i /tmp/newer.deb | grep ^Unpacking\nwait $!'
    status_is 0
    says 'line[after]'
    inside_is 'cat lines' $'before\nafter'
    inside_is "dpkg-query -W -f '\${Version}' rhost-plugin-line | grep -c '+1\$'" 1
    setup_site
    on "$site"
    status_is 0
}

@test "when all is purged the site stays, and nothing of rhost" {
    tell '## Purged'
    on "apt-get -q -y purge '^rhost' 2>&1 | grep -c ^Removing"
    status_is 0
    on "find / -xdev -name '*rhost*' ! -path '/packages/*' ! -path '/srv/shop/*' ! -path '/var/log/*' | sort"
    same 'what is left' '/etc/apt/sources.list.d/rhost.list
/etc/cron.d/rhost
/etc/sysctl.d/99-rhost.conf' "$(grep -v pam_rhosts <<<"$output")"
    tell "The first is where rhost came from, the next two are part of the site; the others have nothing to do with it."
    on 'pgrep -l rhost; getent passwd rhost; systemctl list-unit-files "rhost*" --no-legend; ls /var/lib/rhost'
    says_not '.service'
    all_is_well
}
