#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/mysql_user/server.bash"

secret=a-secret-text
kept='*'$(printf %s "$secret" | openssl sha1 -binary | openssl sha1 -r | cut -d' ' -f1 | tr a-f A-F)

setup() {
    work_open
    server_clean
}

# The account app@localhost, whose other attributes stand on standard input.
user() {
    one "mysql_user: app@localhost" "socket: $my/mysqld.sock" -- "$@"
}

created() {
    sql "SHOW CREATE USER ${1-app@localhost}"
}

# Logs in as the account with this password.
login() {
    mariadb --no-defaults -S "$my/mysqld.sock" -u "${2-app}" "-p$1" -N -B -r -e 'SELECT CURRENT_USER()' 2>&1
}

# bats test_tags=inline
@test "an account is created with all that is wanted, and found so; root logs in by the socket" {
    user converges <<END
password: $secret
plugins: [mysql_native_password, unix_socket]
locked: true
tls: x509
connection_limit: 7
END
    is "$(created)" "CREATE USER \`app\`@\`localhost\` IDENTIFIED VIA mysql_native_password USING '$kept' OR unix_socket REQUIRE X509 WITH MAX_USER_CONNECTIONS 7 ACCOUNT LOCK"
}

@test "each attribute is changed alone, and what is not stated stays" {
    user converges <<<"password: $secret"
    is "$(login "$secret")" app@localhost
    user converges <<<'tls: any'
    user converges <<<'connection_limit: 2'
    user converges <<<'plugins: [unix_socket, mysql_native_password]'
    user converges <<<'locked: true'
    is "$(created)" "CREATE USER \`app\`@\`localhost\` IDENTIFIED VIA unix_socket OR mysql_native_password USING '$kept' REQUIRE SSL WITH MAX_USER_CONNECTIONS 2 ACCOUNT LOCK"
    user is_in_sync <<<'plugins: [mysql_native_password, unix_socket]'
    user converges <<'END'
locked: false
tls: none
connection_limit: 0
password: other-text
END
    is "$(login other-text)" app@localhost
    # Another way to authenticate stays where a password is set.
    [[ "$(created)" == *'VIA unix_socket OR mysql_native_password USING'* ]]
    user converges <<<'plugins: [unix_socket]'
    [[ "$(login other-text)" == *'Access denied'* ]]
}

# bats test_tags=inline
@test "a password is compared with what the server keeps of it, and sent in no other form" {
    : >"$my/log"
    user run apply --detailed-exitcodes --debug --report report.json <<<"password: $secret"
    status_is 2
    says_not "$secret"
    is "$(login "$secret")" app@localhost
    user is_in_sync <<<"password: $secret"
    # Changed by somebody else: noticed.
    sql "SET PASSWORD FOR app@localhost = PASSWORD('another-text')"
    : >"$my/log"
    user run apply --detailed-exitcodes --debug --diff --report report.json <<<"password: $secret"
    status_is 2
    says 'password  '
    says_not another-text
    says_not "$kept"
    is "$(login "$secret")" app@localhost
    not grep -rqF "$secret" "$BATS_TEST_TMPDIR/state" report.json
    # The server logs all statements, and neither the password nor what it keeps of it.
    grep -q 'SELECT User, Host' "$my/log"
    not grep -qF "$secret" "$my/log"
    not grep -qF "$kept" "$my/log"
    # What comes after that statement is logged again.
    sed '1,/sql_log_off = 1/d' "$my/log" >after
    grep -q 'SELECT User, Host' after
    not grep -q 'ALTER USER' after
    # No password at all.
    sql "ALTER USER app@localhost IDENTIFIED BY ''"
    user converges <<<"password: $secret"
}

@test "what the server keeps of a password can be given itself, also for ed25519" {
    user converges <<<"password: '$kept'"
    is "$(login "$secret")" app@localhost
    user is_in_sync <<<"password: $secret"
    [ -e "$(sql 'SELECT @@plugin_dir')/auth_ed25519.so" ] || return 0
    sql "INSTALL SONAME 'auth_ed25519'; CREATE USER other@localhost IDENTIFIED VIA ed25519 USING PASSWORD('$secret')"
    key=$(sql "SELECT authentication_string FROM mysql.user WHERE User = 'other'")
    user converges <<<"password: '$key'
plugins: [ed25519]"
    is "$(login "$secret")" app@localhost
    user is_in_sync <<<"password: '$key'"
    # It can log in itself.
    sql "GRANT ALL ON *.* TO app@localhost"
    one 'mysql_user: more@localhost' "socket: $my/mysqld.sock" -- converges <<<"login_user: app
login_password: $secret
password: x"
    sql "DROP USER app@localhost, other@localhost; UNINSTALL SONAME 'auth_ed25519'"
}

@test "nobody can log in with a password to an account that was created without one" {
    user converges <<<'connection_limit: 2'
    [[ "$(login '')" == *'Access denied'* ]]
    [[ "$(created)" == *"IDENTIFIED BY PASSWORD '*"* ]]
    user converges <<<'plugins: [unix_socket, mysql_native_password]'
    user converges <<<"password: $secret"
    is "$(login "$secret")" app@localhost
}

@test "accounts of one user with several hosts are several; any host is %; a host has no capital letters" {
    run apply <<END
resources:
  - {mysql_user: app, socket: $my/mysqld.sock, password: a}
  - {mysql_user: "$my/mysqld.sock: app@10.0.0.%", password: b}
  - {mysql_user: "App@LOCALHOST", socket: $my/mysqld.sock, password: c}
  - {mysql_user: "@localhost", socket: $my/mysqld.sock, plugins: [unix_socket]}
  - {mysql_user: "x@y@::1", socket: $my/mysqld.sock, password: d}
END
    status_is 0
    is "$(sql "SELECT CONCAT(User, '/', Host) FROM mysql.user WHERE User NOT IN ('root', 'tester', 'mariadb.sys') ORDER BY CAST(User AS BINARY), Host" | xargs)" '/localhost App/localhost app/% app/10.0.0.% x@y/::1'
    run apply --detailed-exitcodes <<<"resources: [{mysql_user: 'app@%', socket: $my/mysqld.sock, password: a}, {mysql_user: '@localhost', socket: $my/mysqld.sock, ensure: absent}]"
    status_is 2
    says '1 ok, 1 changed'
}

@test "accounts are listed, and the list is a manifest that changes nothing" {
    sql "CREATE USER app@localhost IDENTIFIED BY '$secret' REQUIRE SSL; CREATE ROLE staff"
    run rhost resource mysql_user "$my/mysqld.sock: app@localhost"
    status_is 0
    says 'tls'
    says_not "$kept"
    rhost resource mysql_user "$my/mysqld.sock: app@localhost" --format=yaml >list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
}

@test "noop says what would be done, and does nothing" {
    user run apply --noop <<<"password: $secret"
    status_is 0
    says 'would change'
    says_not "$secret"
    is "$(sql "SELECT count(*) FROM mysql.user WHERE User = 'app'")" 0
    sql "CREATE USER app@localhost IDENTIFIED BY 'x'"
    user run apply --noop <<<"password: $secret"
    status_is 0
    says 'password'
    is "$(login x)" app@localhost
}

@test "undo takes back what was created and changed" {
    sql "CREATE USER app@localhost IDENTIFIED BY 'x'"
    run apply <<END
resources:
  - {mysql_user: app@localhost, socket: $my/mysqld.sock, connection_limit: 5, tls: any}
  - {mysql_user: new@localhost, socket: $my/mysqld.sock, password: x}
END
    status_is 0
    run rhost undo last
    status_is 0
    is "$(sql "SELECT count(*) FROM mysql.user WHERE User = 'new'")" 0
    is "$(sql "SELECT ssl_type, max_user_connections FROM mysql.user WHERE User = 'app'" | xargs)" 0
    is "$(login x)" app@localhost
}

@test "what a change loses is marked in a plan, and named by the undo" {
    sql "CREATE USER app@localhost IDENTIFIED BY 'x', more@localhost IDENTIFIED BY 'x', same@localhost IDENTIFIED BY 'x'"
    command cat >site.yaml <<END
resources:
  - {mysql_user: app@localhost, socket: $my/mysqld.sock, password: y}
  - {mysql_user: more@localhost, socket: $my/mysqld.sock, plugins: [unix_socket]}
  - {mysql_user: same@localhost, socket: $my/mysqld.sock, password: x, locked: true}
  - {mysql_user: new@localhost, socket: $my/mysqld.sock, password: x}
END
    run rhost plan -o site.plan site.yaml
    status_is 2
    rhost show --format=json site.plan >plan.json
    is "$(jq -c "[.resources[].irreversible]" plan.json)" \
        '["it loses the former password","it loses the passwords of former plugins",null,null]'
    run rhost apply site.yaml
    status_is 0
    run rhost undo last
    status_is 0
    says 'mysql_user[app@localhost]: this cannot be restored: the former password'
    says 'mysql_user[more@localhost]: this cannot be restored: the passwords of former plugins'
    says_not 'mysql_user[same@localhost]: this cannot'
    says_not 'mysql_user[new@localhost]: this cannot'
}

@test "an account is removed with its privileges, and not the one that has logged in" {
    sql "CREATE USER app@localhost; GRANT SELECT ON *.* TO app@localhost"
    user converges <<<'ensure: absent'
    is "$(sql "SELECT count(*) FROM mysql.user WHERE User = 'app'")" 0
    one 'mysql_user: tester@localhost' "socket: $my/mysqld.sock" -- run apply <<'END'
ensure: absent
login_user: tester
END
    status_is 4
    says "'tester@localhost' is the account of the login"
    one 'mysql_user: mariadb.sys@localhost' "socket: $my/mysqld.sock" -- run apply <<<'ensure: absent'
    status_is 4
    says "the server needs the account 'mariadb.sys@localhost' for itself"
}

@test "the account of the login stays one that can log in" {
    sql "CREATE USER admin@localhost IDENTIFIED BY '$secret'; GRANT ALL ON *.* TO admin@localhost WITH GRANT OPTION"
    itself() {
        one 'mysql_user: admin@localhost' "socket: $my/mysqld.sock" 'login_user: admin' "login_password: $secret" -- "$@"
    }
    before=$(created admin@localhost)
    while IFS='|' read -r wanted said; do
        itself run apply <<<"$wanted"
        status_is 4
        says "$said"
        is "$(created admin@localhost)" "$before"
    done <<'END'
locked: true|locked: 'admin@localhost' is the account of the login, which could not log in again
plugins: [ed25519]|'admin@localhost' is the account of the login, which could not log in again: 'ed25519' needs 'password'
plugins: [ed25519, unix_socket]|which could not log in again: 'ed25519' needs 'password'
tls: any|'admin@localhost' is the account of the login, which connects without TLS
tls: x509|'admin@localhost' is the account of the login, which connects without a certificate of its own
END
    itself converges <<<'plugins: [unix_socket, mysql_native_password]'
    itself converges <<<"plugins: [mysql_native_password]
connection_limit: 9
locked: false"
    itself run apply --detailed-exitcodes <<<'password: other-text'
    status_is 2
    is "$(login other-text admin)" admin@localhost
}

@test "faults of the login: no server, a socket that is denied, a wrong password, a locked account, no right" {
    run apply <<<"resources: [{mysql_user: x, socket: $my/none.sock}]"
    status_is 4
    says "cannot connect to '$my/none.sock': No such file or directory"
    run apply <<<'resources: [{mysql_user: x, host: 127.0.0.1, port: 1}]'
    status_is 4
    says "cannot connect to '127.0.0.1', port 1: the connection is refused, or the host cannot be reached"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/dead.sock"
    run apply <<<"resources: [{mysql_user: x, socket: $work/dead.sock}]"
    status_is 4
    says "cannot connect to '$work/dead.sock': Connection refused"
    sql "CREATE USER admin@localhost IDENTIFIED BY '$secret'"
    user run apply <<<'login_user: admin'
    status_is 4
    says "cannot log in: Access denied for user 'admin'@'localhost' (using password: NO)"
    user run apply <<END
login_user: admin
login_password: not-the-text
END
    status_is 4
    says "Access denied for user 'admin'@'localhost' (using password: YES)"
    says_not not-the-text
    user run apply <<END
login_user: admin
login_password: $secret
END
    status_is 4
    says "the server refuses: SELECT command denied to user 'admin'@'localhost'"
    sql 'GRANT SELECT ON mysql.* TO admin@localhost'
    user run apply <<END
login_user: admin
login_password: $secret
password: other-text
END
    status_is 4
    says 'you need (at least one of) the CREATE USER privilege(s)'
    says_not other-text
    sql 'ALTER USER admin@localhost ACCOUNT LOCK'
    user run apply <<END
login_user: admin
login_password: $secret
END
    status_is 4
    says 'this account is locked'
}

@test "faults of the server: read-only, too many connections, standing still, a plugin that is not there" {
    sql "CREATE USER admin@localhost IDENTIFIED BY '$secret'; GRANT SELECT, CREATE USER ON *.* TO admin@localhost; SET GLOBAL read_only = 1"
    user run apply <<END
login_user: admin
login_password: $secret
password: x
END
    sql 'SET GLOBAL read_only = 0'
    status_is 4
    says 'server is running with the --read-only option so it cannot execute this statement'
    sql 'ALTER USER admin@localhost WITH MAX_USER_CONNECTIONS 1'
    mariadb --no-defaults -S "$my/mysqld.sock" -u admin "-p$secret" -e 'SELECT SLEEP(20)' >/dev/null 2>&1 3>&- &
    is_in() {
        [ "$(sql "SELECT count(*) FROM information_schema.processlist WHERE user = 'admin'")" = 1 ]
    }
    until_true is_in
    user run apply <<END
login_user: admin
login_password: $secret
END
    sql "KILL USER admin"
    wait $! || :
    status_is 4
    says "has exceeded the 'max_user_connections' resource (current value: 1)"
    one 'mysql_user: sock@localhost' "socket: $my/mysqld.sock" -- converges <<<'plugins: [unix_socket]'
    one 'mysql_user: sock@localhost' "socket: $my/mysqld.sock" -- run apply <<<'password: x'
    status_is 4
    says "the account authenticates by 'unix_socket', which cannot be given this password: state 'plugins'"
    user run apply <<<'plugins: [no_such_plugin]'
    status_is 4
    says "Plugin 'no_such_plugin' is not loaded"
    kill -STOP "$(cat "$my/pid")"
    user run apply <<'END'
timeout: 1
END
    kill -CONT "$(cat "$my/pid")"
    status_is 4
    says 'timed out: the server did not complete the login within 1 s'
}

@test "faults in the middle: a lock that stays, a connection that is closed" {
    session 'FLUSH TABLES WITH READ LOCK;'
    user run apply <<'END'
locked: true
timeout: 1
END
    status_is 4
    says 'timed out: the server did not complete the statement within 1 s'
    user apply <<'END' >killed.out 2>&1 &
locked: true
timeout: 20
END
    local applying=$!
    waiting="FROM information_schema.processlist WHERE user = 'root' AND info LIKE 'CREATE USER%'"
    waits() {
        [ -n "$(sql "SELECT id $waiting")" ]
    }
    until_true waits
    sql "KILL $(sql "SELECT id $waiting")"
    status=0
    wait "$applying" || status=$?
    sessions_close
    status_is 4
    output=$(cat killed.out)
    says 'the connection was closed: '
    is "$(sql "SELECT count(*) FROM mysql.user WHERE User = 'app'")" 0
    user converges <<<'locked: true'
}

@test "option files of the user and of the system are not read" {
    mkdir home
    printf '[client]\nuser=nobody\npassword=wrong\nsocket=/none\n[mysql]\nuser=nobody\n' >home/.my.cnf
    HOME=$work/home MYSQL_HOME=$work/home MYSQL_UNIX_PORT=/none MYSQL_PWD=wrong user converges <<<"password: $secret"
}

@test "names are quoted, whatever is in them" {
    for name in "x'; DROP USER tester@localhost; --@localhost" "o'hara \\ \`x\`@localhost" 'Größe@localhost' 'a%s_b@localhost' "a'@'b@localhost"; do
        printf 'resources:\n  - mysql_user: one\n    name: %s\n    socket: %s\n    password: %s\n' "$(jq -Rn --arg n "$name" '$n')" "$my/mysqld.sock" "\"it's \\\\x\"" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
    is "$(login "it's \\x" "o'hara \\ \`x\`")" "o'hara \\ \`x\`@localhost"
    is "$(sql "SELECT count(*) FROM mysql.user")" 8
}

@test "mistakes are refused before anything is done" {
    while IFS='|' read -r wanted said; do
        user run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
name: app@|'app@' has no host after the '@'; any host is 'app@%'
name: mariadb.sys@localhost|the server needs the account 'mariadb.sys@localhost' for itself
plugins: [unix_socket, unix_socket]|duplicate plugin 'unix_socket'
plugins: [unix_socket];password: x|none of these authenticates by a password
plugins: [ed25519];password: x|with 'ed25519', 'password' is what the server keeps
host: db.example.org|'socket' and 'host' exclude each other
port: 3307|'port' is for a server at 'host'
ca_certificate: /etc/ca.pem|'ca_certificate' is for a server at 'host'
connection_limit: -2|connection_limit
END
}

# certificate NAME: one of the CA, with a key.
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" -addext "subjectAltName=DNS:$1" \
        -keyout "$1.key" -out "$1.pem" 2>/dev/null
}

@test "by TCP: with TLS where the server has it, and with a CA only the server that it vouches for" {
    local at plain
    mkdir tls
    chmod 755 "$BATS_FILE_TMPDIR" tls
    (cd tls && certificate localhost && certificate other && chmod 644 ./*.key)
    cp -r tls "$my/tls"
    port=$((20000 + BASHPID % 20000))
    server_begin tls --skip-networking=0 --bind-address=127.0.0.1 --port=$port --ssl-cert="$my/tls/localhost.pem" --ssl-key="$my/tls/localhost.key" --skip-name-resolve=0
    tls=$server
    at="-S $(readlink "$BATS_FILE_TMPDIR/tls")/mysqld.sock -u tester"
    # shellcheck disable=SC2086 # words
    mariadb --no-defaults $at -e "CREATE USER admin@'127.0.0.1' IDENTIFIED BY '$secret' REQUIRE SSL; CREATE USER admin@localhost IDENTIFIED BY '$secret' REQUIRE SSL; GRANT ALL ON *.* TO admin@localhost; GRANT ALL ON *.* TO admin@'127.0.0.1'"
    by_tcp() {
        one 'mysql_user: app@localhost' "host: $1" "port: $port" 'login_user: admin' "login_password: $secret" -- "${@:2}"
    }
    by_tcp 127.0.0.1 converges <<<'locked: true'
    by_tcp localhost is_in_sync <<<"ca_certificate: $work/tls/localhost.pem"
    by_tcp localhost run apply <<<"ca_certificate: $work/tls/other.pem"
    status_is 4
    says 'cannot log in: TLS/SSL error'
    by_tcp localhost run apply <<<"ca_certificate: $work/none.pem"
    status_is 4
    kill "$tls"
    wait "$tls" || :
    # The same server without TLS, with a character set of its own for all connections.
    server_begin plain --skip-networking=0 --bind-address=127.0.0.1 --port=$port --skip-ssl --skip-character-set-client-handshake --character-set-server=sjis
    plain=$server
    at="-S $(readlink "$BATS_FILE_TMPDIR/plain")/mysqld.sock -u tester"
    # shellcheck disable=SC2086 # words
    mariadb --no-defaults $at -e "CREATE USER admin@'%' IDENTIFIED BY '$secret'; GRANT ALL ON *.* TO admin@'%'"
    by_tcp 127.0.0.1 converges <<<'locked: true'
    by_tcp localhost run apply <<<"ca_certificate: $work/tls/localhost.pem"
    status_is 4
    says 'does not support it'
    one 'mysql_user: größe@localhost' 'host: 127.0.0.1' "port: $port" 'login_user: admin' "login_password: $secret" -- converges <<<'locked: true'
    # shellcheck disable=SC2086 # words
    is "$(mariadb --no-defaults $at -N -B -e "SET NAMES utf8mb4; SELECT User FROM mysql.user WHERE User LIKE 'gr%'")" größe
    kill "$plain"
    wait "$plain" || :
}

# asks AT: a server at a socket, or at a free port whose number goes to the file "port", that asks each login for
# $plugin, and keeps in "got" what it then gets, in hexadecimal.
asks() {
    rm -f port got
    python3 - "$1" "$plugin" <<'END' 3>&- 4>&- &
import os, socket, struct, sys
at, plugin = sys.argv[1], sys.argv[2].encode() + b"\0"
listener = socket.socket(socket.AF_UNIX if at else socket.AF_INET)
listener.bind(at or ("127.0.0.1", 0))
listener.listen()
with open("port.new", "w") as f:
    f.write("" if at else str(listener.getsockname()[1]))
os.rename("port.new", "port")
def get(peer):
    head = peer.recv(4, socket.MSG_WAITALL)
    return peer.recv(head[0] | head[1] << 8, socket.MSG_WAITALL) if len(head) == 4 else b""
def put(peer, number, data):
    peer.sendall(struct.pack("<HBB", len(data), 0, number) + data)
while True:
    peer = listener.accept()[0]
    try:
        put(peer, 0, b"\x0a8.0.40\0" + struct.pack("<I8sBHBHHB10x", 1, b"s" * 8, 0, 0xa201, 45, 2, 8, 21) + b"t" * 12 + b"\0" + plugin)
        if get(peer):
            put(peer, 2, b"\xfe" + plugin + b"u" * 20 + b"\0")
            with open("got", "w") as f:
                f.write(get(peer).hex())
            put(peer, 4, b"\xff\x15\x04#28000that is all")
    except OSError:
        pass
    peer.close()
END
    asking=$!
    until_true test -e port
}

@test "a password itself is for a server that is checked, or on this machine: others get a proof of it" {
    for plugin in caching_sha2_password sha256_password; do
        asks ''
        one 'mysql_user: app@localhost' 'host: 127.0.0.1' "port: $(command cat port)" 'login_user: admin' "login_password: $secret" -- run apply <<<''
        kill "$asking"
        status_is 4
        says "cannot log in as 'admin': its login needs 'ca_certificate', as the server gets the password itself"
        is "$(command cat got)" ''
    done
    plugin=caching_sha2_password
    asks "$work/asks.sock"
    run apply <<<"resources: [{mysql_user: app@localhost, socket: $work/asks.sock, login_user: admin, login_password: $secret}]"
    kill "$asking"
    status_is 4
    says 'that is all'
    is "$(command cat got | wc -c)" 64
    plugin=mysql_native_password
    asks ''
    one 'mysql_user: app@localhost' 'host: 127.0.0.1' "port: $(command cat port)" 'login_user: admin' "login_password: $secret" -- run apply <<<''
    kill "$asking"
    status_is 4
    says 'that is all'
    is "$(command cat got | wc -c)" 40
}

@test "the example of the page works: # scratch example" {
    page_example mysql_user | converges
    [[ "$(created shop@localhost)" == *'MAX_USER_CONNECTIONS 20'* ]]
}
