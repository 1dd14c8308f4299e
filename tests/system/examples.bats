#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the examples configure, held against the programs that read it: on a machine that boots, with nginx,
# sshd, visudo and logrotate as Debian ships them.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

machine_with_services

setup_file() {
    machine_wanted || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    cp -R "$abs_top_srcdir/docs/examples" "$machine/root/examples"
    chmod -R u+w "$machine/root/examples"
    machine_boot "$machine"
}

teardown_file() {
    machine_leave
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

# In the machine, with the exit status expected.
on() {
    run machine_run "$machine" sh -c "$1"
    status_is "${2-0}"
}

webhost='/opt/rhost/rhost apply --plugin-dir /opt/rhost --detailed-exitcodes'

@test "webhost.yaml: applied in one run, its own checks included, and in sync afterwards" {
    on "$webhost /root/examples/webhost.yaml" 2
    says ' changed'
    says_not 'failed'
    on "$webhost /root/examples/webhost.yaml" 0
}

@test "webhost.yaml: nginx accepts its configuration, restarts with the drop-in and serves both sites" {
    on 'nginx -t'
    says 'syntax is ok'
    says_not 'warn'
    on 'systemctl daemon-reload && systemctl restart nginx && systemctl is-active nginx'
    on 'systemctl show -P ProtectSystem nginx'
    is "$output" strict
    on 'curl -sk --resolve example.org:443:127.0.0.1 https://example.org/'
    says '<h1>It works</h1>'
    on 'curl -skI --resolve static.example.org:443:127.0.0.1 https://static.example.org/'
    says 'X-Frame-Options: DENY'
    says 'Cache-Control: max-age=2592000'
    is "$(grep -i '^Server:' <<<"$output" | tr -d '\r')" 'Server: nginx'
    on 'curl -sk --tls-max 1.1 --resolve example.org:443:127.0.0.1 https://example.org/' 35
}

@test "webhost.yaml: sshd accepts its configuration, and means it" {
    on 'mkdir -p /run/sshd && ssh-keygen -A >/dev/null && sshd -t'
    is "$output" ''
    on 'sshd -T'
    says 'passwordauthentication no'
    says 'permitrootlogin without-password'
    says 'banner /etc/issue.net'
}

@test "webhost.yaml: visudo, logrotate, sysctl and systemd accept their files" {
    on 'visudo -c'
    says '/etc/sudoers.d/webhost: parsed OK'
    on 'mkdir -p /var/log/webhost && echo x >/var/log/webhost/a.log && logrotate --debug /etc/logrotate.conf'
    says 'considering log /var/log/webhost/a.log'
    says_not 'error:'
    on 'sysctl --dry-run --ignore --load /etc/sysctl.d/60-network.conf /etc/sysctl.d/60-kernel.conf'
    on 'systemd-analyze cat-config systemd/journald.conf'
    says 'SystemMaxUse=500M'
    on 'systemd-analyze --man=no verify nginx.service'
    says_not 'Unknown'
}

@test "site: the configuration that it makes is one that nginx accepts" {
    on 'cd /root/examples/site && /opt/rhost/rhost apply --plugin-dir /opt/rhost --attribute=root=/srv/site site.yaml'
    on 'cd /srv/site/www && for name in www shop; do
        openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=$name -keyout key -out crt 2>/dev/null
        cat key crt >$name.example.org.pem
    done'
    on 'nginx -t -c /srv/site/etc/nginx/nginx.conf'
    says 'syntax is ok'
    says_not 'warn'
}

# What Ansible would have done, task by task, is there afterwards.
@test "from-ansible: the playbook of 20 tasks converges in one run, and is in sync afterwards" {
    grep -c '^    - name: ' "$abs_top_srcdir/docs/examples/from-ansible/playbook.yml" >tasks
    is "$(cat tasks)" 23 # three are handlers
    on "cd /root/examples/from-ansible && $webhost site.yaml" 2
    says_not 'failed'
    on "cd /root/examples/from-ansible && $webhost site.yaml" 0
    on 'systemctl is-active shop nginx && systemctl is-enabled shop'
    on 'nginx -t && visudo -c && sysctl -n net.core.somaxconn && cat /etc/shop.env'
    says '1024'
    says 'ADMIN_2=bob'
    on 'stat -c "%U %G %a" /srv/shop/pages /home/alice/.ssh/authorized_keys /etc/shop.env'
    is "$output" 'shop deploy 2775
alice alice 600
root shop 640'
    on 'id -nG alice && readlink /etc/localtime && crontab -l -u shop | tail -n 1 && ls /etc/logrotate.d/shop'
    says 'alice deploy'
    says Vienna
    on '[ ! -e /etc/nginx/sites-enabled/default ]'
}

@test "from-ansible: a new port restarts the shop with its new unit, and reloads nginx" {
    on 'systemctl show -P MainPID nginx; systemctl show -P MainPID shop'
    before=$output
    on "cd /root/examples/from-ansible && sed -i 's/8080/8081/' site.yaml && sed -i 's/The shop/The new shop/' files/shop.service && $webhost site.yaml" 2
    says '2 refreshed'
    on 'systemctl show -P Description -P NeedDaemonReload shop'
    says 'The new shop'
    says 'no'
    on 'systemctl show -P MainPID nginx; systemctl show -P MainPID shop'
    is "$(head -n 1 <<<"$before")" "$(head -n 1 <<<"$output")"
    [ "$(tail -n 1 <<<"$before")" != "$(tail -n 1 <<<"$output")" ]
}
