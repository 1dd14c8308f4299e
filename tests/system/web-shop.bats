#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/examples/web-shop, a playbook of Ansible and its translation, on a machine that boots: a container behind nginx with
# TLS, PostgreSQL, a firewall, backups. tests/bench/web-shop has both programs at work on it.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"
source "$abs_top_srcdir/tests/system/web-shop.bash"

machine_with_shop

setup_file() {
    machine_wanted shop_possible || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    shop_supplies "$machine"
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

site='cd /root/web-shop && /opt/rhost/rhost apply --plugin-dir /opt/rhost --detailed-exitcodes --report=/root/report.json'

# The resources that the last run has changed.
changed() {
    jq -r '.resources[] | select(.status == "changed") | "\(.type)[\(.title)]"' "$machine/root/report.json" | LC_ALL=C sort
}

@test "the playbook has more than 60 tasks, and its translation no handler" {
    cd "$abs_top_srcdir/docs/examples/web-shop"
    [ "$(sed -n '/^  handlers:/q; /^ *- name: [a-z]/p' playbook.yml | wc -l)" -ge 90 ]
    is "$(sed '1,/^  handlers:/d' playbook.yml | grep -c '^    - name:')" 10
    # Both have the same values for their templates.
    is "$(sed -n '/^    parameters:/,/^  tasks:/p' playbook.yml | sed '$d')" \
        "$(sed -n '/^    parameters:/,/^defaults:/p' site.yaml | sed '$d')"
}

@test "a dry run on the machine as it is foresees the changes, and fails nothing" {
    on "$site --noop site.yaml" 2
    says_not ' failed'
    says 'noop: nothing was changed'
}

@test "the site converges in one run" {
    on "$site site.yaml" 2
    says_not ' failed'
    says_not 'skipped'
    [ "$(changed | wc -l)" -ge 100 ]
    says_not correct-horse-battery
}

@test "applied again, there is nothing to do" {
    on "$site site.yaml" 0
    is "$(changed)" ''
    says ' ok'
    on "$site --noop site.yaml" 0
}

@test "what it is for works, as those say who know" {
    on 'curl -s --cacert /etc/ssl/shop/ca.pem https://shop.example.org/ https://static.example.org/'
    is "$output" $'<h1>Welcome</h1>\n<h1>Static</h1>'
    # The machine trusts the CA by itself.
    on 'curl -s https://shop.example.org/ && openssl verify -CAfile /etc/ssl/shop/ca.pem /etc/ssl/shop/server.pem'
    says 'server.pem: OK'
    on 'psql -w -h 127.0.0.1 -U shop_report -d shop -c "SELECT 1" 2>&1' 2
    on 'runuser -u postgres -- psql -XAtc "SELECT has_table_privilege('"'shop_report', 'orders', 'select'), extname FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY 2"'" shop'
    is "$output" $'t|citext\nt|pg_trgm'
    on 'podman inspect -f "{{.Name}} {{.ImageName}} {{.State.Status}}" shop; podman network ls -q; podman volume ls -q'
    says 'shop localhost/shop:1 running'
    says back
    says sessions
    on 'nft list ruleset'
    says 'tcp dport { 22, 80, 443 } accept'
    says 'tcp dport 9100 accept comment "monitoring"'
    on 'systemctl start shop-backup && pg_restore -l "$(ls /var/backups/shop/*.dump | head -n 1)" | grep -c "TABLE public orders"'
    is "$output" 1
    on 'dpkg-query -W -f "\${Package} \${db:Status-Abbrev}\n" "shop-*"; apt-mark showhold; shopctl; hostname; date +%Z; cat /etc/locale.gen | grep -v "^#\|^$"'
    is "$output" $'shop-docs ii \nshop-mailer ii \nshop-tools hi \nshop-tools\nnew\nshop1\nCET\nde_AT.UTF-8 UTF-8\nfr_FR.UTF-8 UTF-8'
    on 'systemctl --failed --no-legend; visudo -qc; sshd -T | grep -E "^(passwordauth|x11f)"; logrotate -d /etc/logrotate.d/shop 2>&1 | grep -c error:; ls /home' 0
    says 'passwordauthentication no'
    says_not mallory
}

# The resources that find what shop_drift has done.
drifted='alternatives[shopctl]
container[shop]
container_volume[sessions]
cron[statistics]
debconf[shop-mailer/enabled]
directory[/var/backups/shop]
file[/etc/shop.pgpass]
file[/usr/local/sbin/shop-backup]
git[/var/www/shop]
host[shop1.example.org]
hostname[shop1]
line[sshd PasswordAuthentication]
link[/etc/nginx/sites-enabled/shop]
mount[/srv/shop/cache]
nft_rule[inet filter input monitoring]
nft_table[inet filter]
package[shop-tools]
postgresql_extension[shop: pg_trgm]
postgresql_grant[shop_report: shop: all_tables public]
postgresql_role[shop_app]
service[shop-backup.timer]
ssh_authorized_key[alice: alice@shop]
sysctl[net.core.somaxconn]
user[bob]
x509_certificate[/etc/ssl/shop/server.pem]'

@test "drift of 25 kinds is found and repaired in one run, and nothing else is touched" {
    on "$(shop_drift)"
    on "$site site.yaml" 2
    says_not ' failed'
    diff <(echo "$drifted") <(changed)
    on "$site site.yaml" 0
}
