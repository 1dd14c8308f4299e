#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The examples of docs/guides/results.md on a machine that boots, with the real WireGuard and PostgreSQL: a key and a password
# that are made in the run are where they belong, and nowhere else.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

machine_with_services

traceable() {
    strace -f -o /dev/null true 2>/dev/null || {
        echo "no strace here"
        return 1
    }
}

# The server logs each statement.
setup_file() {
    machine_wanted traceable || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    cp "$abs_top_srcdir"/docs/examples/{wireguard,database}.yaml "$machine/root/"
    for setting in log_statement=all log_min_duration_statement=0 log_min_error_statement=debug5; do
        echo "${setting/=/ = }" >>"$machine/etc/postgresql/15/main/postgresql.conf"
    done
    machine_boot "$machine"
}

teardown_file() {
    machine_leave
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

inside() {
    machine_run "$machine" sh -c "$1"
}

# apply OPTIONS: all that it writes, and the arguments and the environment of all that it starts, are kept.
apply() {
    run strace -f -v -s 100000 -e trace=execve -o trace \
        nsenter --target "$(cat "$machine.leader")" --mount --uts --ipc --net --pid --cgroup --root --wd -- \
        /usr/bin/env -i PATH="$machine_path" HOME=/root LANG=C.UTF-8 \
        /opt/rhost/rhost apply --plugin-dir /opt/rhost --isolation="$RHOST_ISOLATION" -vv --diff --detailed-exitcodes "$@"
    printf '%s\n' "$output" >>"$BATS_TEST_TMPDIR/output"
    cat trace >>"$BATS_TEST_TMPDIR/traces"
}

# is_only_in SECRET FILE...: no other file of the machine has it, nor the journal, nor what apply has kept.
is_only_in() {
    local secret=$1

    shift
    printf '%s\n' "$secret" >secret
    [ "$(wc -c <secret)" -gt 40 ]
    grep -q execve "$BATS_TEST_TMPDIR/traces"
    run grep -cFf secret "$BATS_TEST_TMPDIR/output" "$BATS_TEST_TMPDIR/traces"
    is "$output" "$BATS_TEST_TMPDIR/output:0"$'\n'"$BATS_TEST_TMPDIR/traces:0"
    inside 'journalctl --sync && journalctl --output=export --all' >journal
    grep -aq MESSAGE= journal
    run grep -acFf secret journal
    is "$output" 0
    cp secret "$machine/run-secret"
    run inside 'grep -rlFf /run-secret --devices=skip --exclude=run-secret \
        /boot /dev/shm /etc /home /opt /root /run /srv /tmp /usr/local /var | sort'
    rm "$machine/run-secret"
    is "$output" "$(printf '%s\n' "$@" | sort)"
}

@test "a key of WireGuard is made in the run, and its two places agree" {
    apply --noop /root/wireguard.yaml
    status_is 2
    says "(known after exec[generate key])"
    says "(known after file[/srv/wireguard/key])"
    says '5 would change'
    [ ! -e "$machine/srv/wireguard" ]
    apply --report=/root/wireguard.json /root/wireguard.yaml
    status_is 2
    says '5 resources: 5 changed'
    apply --noop /root/wireguard.yaml
    status_is 0
    says '4 resources: 4 ok, 1 excluded'
    says_not 'known after'
    apply --report=/root/again.json /root/wireguard.yaml
    status_is 0
    says '4 resources: 4 ok, 1 excluded'
    # wg itself takes the key, and what is in the configuration belongs to the same public key.
    key=$(inside 'wg pubkey </srv/wireguard/key')
    [ "$(wc -c <<<"$key")" -eq 45 ]
    is "$(inside "sed -n 's/^PrivateKey = //p' /srv/wireguard/wg0.conf | wg pubkey")" "$key"
    is "$(inside 'stat -c "%a %U" /srv/wireguard /srv/wireguard/key /srv/wireguard/wg0.conf')" \
        $'700 root\n600 root\n600 root'
    run inside 'wg-quick strip /srv/wireguard/wg0.conf'
    status_is 0
    says 'ListenPort = 51820'
    is_only_in "$(cat "$machine/srv/wireguard/key")" /srv/wireguard/key /srv/wireguard/wg0.conf
}

# A login with the password of the file, as who owns it.
log_in() {
    run inside 'runuser -u shop -- env PGPASSFILE=/etc/shop/pgpass \
        psql -XAt --no-password --host=localhost --dbname=shop --username=shop --command="SELECT current_user"'
}

password() {
    cut -d: -f5 "$machine/etc/shop/pgpass"
}

@test "a role of PostgreSQL gets a password that its file has, and nothing else" {
    apply --noop /root/database.yaml
    status_is 2
    says "(known after exec[role shop])"
    says '2 ok, 5 would change'
    is "$(inside "runuser -u postgres -- psql -XAtc 'SELECT count(*) FROM pg_roles WHERE rolname = '\''shop'\'")" 0
    apply --report=/root/database.json /root/database.yaml
    status_is 2
    says '7 resources: 2 ok, 5 changed'
    apply --noop /root/database.yaml
    status_is 0
    says '7 resources: 7 ok'
    says_not 'known after'
    apply --report=/root/again.json /root/database.yaml
    status_is 0
    says '7 resources: 7 ok'
    is "$(inside 'stat -c "%a %U" /etc/shop/pgpass')" '600 shop'
    log_in
    status_is 0
    is "$output" shop
    inside 'grep -q "CREATE ROLE shop" /var/log/postgresql/postgresql-15-main.log'
    is_only_in "$(password)" /etc/shop/pgpass
    # Without it, or with another one, nobody comes in.
    sed -i 's/.$/x/' "$machine/etc/shop/pgpass"
    log_in
    status_is 2
    says 'password authentication failed'
}

@test "a password that was lost is made anew, and so is a role" {
    inside 'rm -f /etc/shop/pgpass'
    apply /root/database.yaml
    status_is 2
    says '5 ok, 2 changed'
    first=$(password)
    log_in
    status_is 0
    inside 'cd / && runuser -u postgres -- dropdb shop && runuser -u postgres -- dropuser shop'
    apply /root/database.yaml
    status_is 2
    says '4 ok, 3 changed'
    [ "$(password)" != "$first" ]
    log_in
    status_is 0
    is_only_in "$(password)" /etc/shop/pgpass
    # The state before went to no store.
    is_only_in "$first"
}
