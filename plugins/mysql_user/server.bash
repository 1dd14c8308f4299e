# SPDX-License-Identifier: Apache-2.0
# For tests of the types of MariaDB and MySQL: a server for each file of tests, whose socket and log are in $my.

# server_begin NAME [OPTION...]: a server whose directory $BATS_FILE_TMPDIR/NAME leads to. Its process is in $server.
server_begin() {
    local ready=$BATS_FILE_TMPDIR/$1.ready name=$1
    shift
    mkfifo "$ready"
    sh "$abs_top_srcdir/plugins/mysql_user/server.sh" "$BATS_FILE_TMPDIR/$name" "$@" >"$ready" 2>"$BATS_FILE_TMPDIR/$name.err" 3>&- 4>&- &
    server=$!
    read -r _ <"$ready" || command cat "$BATS_FILE_TMPDIR/$name.err" >&2
}

# In setup_file. Where there is no server that could run, the tests are skipped.
server_open() {
    command -v mariadb >/dev/null && command -v mariadb-install-db >/dev/null && command -v setpriv >/dev/null || return 0
    [ -x /usr/sbin/mariadbd ] || [ -x /usr/libexec/mariadbd ] || return 0
    [ "$(id -u)" -ne 0 ] || getent passwd mysql >/dev/null || return 0
    MYSQL_DATA=$BATS_FILE_TMPDIR/data
    sh "$abs_top_srcdir/plugins/mysql_user/server.sh" --make "$MYSQL_DATA" || return
    export MYSQL_DATA
    server_begin my
    export server
    my=$(readlink "$BATS_FILE_TMPDIR/my")
    export my
}

# In teardown_file.
server_close() {
    [ -z "${server-}" ] || kill "$server"
}

# In setup: nothing is left of another test.
server_clean() {
    [ -n "${server-}" ] || skip "needs a MariaDB server"
    sql "SELECT CONCAT('DROP DATABASE \`', REPLACE(schema_name, '\`', '\`\`'), '\`;') FROM information_schema.schemata
             WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys');
         SELECT IF(Host = '', CONCAT('DROP ROLE ', QUOTE(User), ';'), CONCAT('DROP USER ', QUOTE(User), '@', QUOTE(Host), ';')) FROM mysql.user
             WHERE User NOT IN ('tester', 'root', 'mariadb.sys')" | sql
}

# sql [STATEMENTS]: as tester; without an argument, what stands on standard input.
sql() {
    if [ $# -gt 0 ]; then
        mariadb --no-defaults -S "$my/mysqld.sock" -u tester -N -B -r <<<"$1"
    else
        mariadb --no-defaults -S "$my/mysqld.sock" -u tester -N -B -r
    fi
}

# session STATEMENTS: a session that has run them and stays.
session() {
    rm -f session.in session.out
    mkfifo session.in
    mariadb --no-defaults -S "$my/mysqld.sock" -u tester -N -B -n <session.in >session.out 2>&1 3>&- 4>&- &
    sessions="${sessions-} $!"
    exec 9>session.in
    printf "%s\nSELECT 'begun';\n" "$1" >&9
    until_true grep -q begun session.out
}

sessions_close() {
    local one
    exec 9>&-
    for one in ${sessions-}; do
        wait "$one" 2>/dev/null || :
    done
    sessions=
}

# The first example of the page of this type, on the test's server, on standard output.
page_example() {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/$1/$1.md" |
        sed "s|^  - mysql_.*|&\n    socket: $my/mysqld.sock|"
}

# A file of tests has one server for all of its tests. Its setup() calls server_clean.
setup_file() {
    server_open
}

teardown_file() {
    server_close
}

teardown() {
    sessions_close
}
