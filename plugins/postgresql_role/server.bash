# SPDX-License-Identifier: Apache-2.0
# For tests of the types of PostgreSQL: a server for each file of tests, whose socket and log are in $pg.

# In setup_file. Where there is no server that could run, the tests are skipped.
server_open() {
    local ready=$BATS_FILE_TMPDIR/ready
    command -v psql >/dev/null && command -v pg_isready >/dev/null && command -v setpriv >/dev/null || return 0
    [ -n "$(ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb /usr/bin/initdb 2>/dev/null)" ] || return 0
    [ "$(id -u)" -ne 0 ] || getent passwd postgres >/dev/null || return 0
    mkfifo "$ready"
    sh "$abs_top_srcdir/plugins/postgresql_role/server.sh" "$BATS_FILE_TMPDIR/pg" >"$ready" 2>/dev/null 3>&- 4>&- &
    export server=$!
    read -r _ <"$ready"
    pg=$(readlink "$BATS_FILE_TMPDIR/pg")
    export pg
}

# In teardown_file.
server_close() {
    [ -z "${server-}" ] || kill "$server"
}

# In setup: nothing is left of another test.
server_clean() {
    [ -n "${server-}" ] || skip "needs a PostgreSQL server"
    sql "SELECT format('DROP DATABASE %I WITH (FORCE);', datname) FROM pg_database WHERE oid >= 16384
         UNION ALL SELECT format('DROP TABLE public.%I CASCADE;', relname) FROM pg_class WHERE relkind = 'r' AND oid >= 16384
         UNION ALL SELECT format('DROP OWNED BY %I CASCADE; DROP ROLE %1\$I;', rolname) FROM pg_roles
             WHERE oid >= 16384 AND rolname <> 'tester'" | psql -X -q -h "$pg" -U tester -d postgres
}

# sql [-d DATABASE] STATEMENTS...: each of the arguments is a transaction.
sql() {
    local database=postgres one commands=()
    [ "$1" != -d ] || { database=$2 && shift 2; }
    for one; do
        commands+=(-c "$one")
    done
    psql -X -q -v ON_ERROR_STOP=1 -h "$pg" -U tester -At -d "$database" "${commands[@]}"
}

# session STATEMENTS [USER [DATABASE]]: a session that has run them and stays.
session() {
    rm -f session.in session.out
    mkfifo session.in
    psql -X -q -h "$pg" -U "${2-tester}" -d "${3-postgres}" <session.in >session.out 2>&1 3>&- 4>&- &
    sessions="${sessions-} $!"
    exec 9>session.in
    printf '%s\n\\echo begun\n' "$1" >&9
    until_true grep -q begun session.out
}

sessions_close() {
    local one
    exec 9>&-
    for one in ${sessions-}; do
        wait "$one" 2>/dev/null || :
    done
    sessions=
    [ -z "${server-}" ] || sql "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()" >/dev/null
}

# The first example of the page of this type, on the test's server, on standard output.
page_example() {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/$1/$1.md" |
        sed "s|^  - postgresql_.*|&\n    socket: $pg|"
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
