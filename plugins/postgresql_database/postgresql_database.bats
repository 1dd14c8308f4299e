#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/postgresql_role/server.bash"

secret=a-secret-text

setup() {
    work_open
    server_clean
}

# The database app, whose other attributes stand on standard input.
database() {
    one "postgresql_database: app" "socket: $pg" -- "$@"
}

# The columns of the database in the server.
database_has() {
    sql "SELECT $1 FROM pg_database WHERE datname = '${2-app}'"
}

# bats test_tags=inline
@test "a database is created with all that is wanted, and found so" {
    sql 'CREATE ROLE shop'
    database converges <<'END'
owner: shop
encoding: utf-8
lc_collate: C
lc_ctype: C.UTF-8
connection_limit: 7
comment: "the 'shop'"
END
    is "$(database_has "datdba::regrole, pg_encoding_to_char(encoding), datcollate, datctype, datconnlimit, shobj_description(oid, 'pg_database')")" \
        "shop|UTF8|C|C.UTF-8|7|the 'shop'"
}

@test "each attribute is changed alone" {
    sql 'CREATE ROLE shop'
    database converges </dev/null
    is "$(database_has datdba::regrole,datconnlimit)" 'postgres|-1'
    database converges <<<'owner: shop'
    database converges <<<'connection_limit: 2'
    database converges <<<'comment: it'
    is "$(database_has "datdba::regrole, datconnlimit, shobj_description(oid, 'pg_database')")" 'shop|2|it'
    database converges <<<'comment: ""'
    is "$(database_has "shobj_description(oid, 'pg_database') IS NULL")" t
}

@test "what cannot be changed is refused, and replaced where that is asked for" {
    sql "CREATE DATABASE app ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    for wanted in 'encoding: UTF8' 'lc_collate: C.UTF-8' 'lc_ctype: C.UTF-8'; do
        database run apply --noop <<<"$wanted"
        [ "$status" -ne 0 ]
        database run apply <<<"$wanted"
        status_is 4
        says "${wanted%%:*}"
        says 'replace: true'
    done
    is "$(database_has 'pg_encoding_to_char(encoding), datcollate')" 'SQL_ASCII|C'
    database converges <<END
encoding: UTF8
lc_ctype: C.UTF-8
replace: true
END
    is "$(database_has 'pg_encoding_to_char(encoding)')" UTF8
}

@test "a database is a copy of its template, which comes first" {
    run apply <<END
resources:
  - {postgresql_database: app, socket: $pg, template: base, owner: shop}
  - {postgresql_database: base, socket: $pg, comment: the template}
END
    status_is 4
    says 'role "shop" does not exist'
    says owner
    sql -d base 'CREATE TABLE t(); INSERT INTO t DEFAULT VALUES'
    database run apply <<<'template: base'
    status_is 0
    is "$(sql -d app 'SELECT count(*) FROM t')" 1
    one 'postgresql_database: other' "socket: $pg" -- run apply <<<'template: none'
    status_is 4
    says template
    says 'template database "none" does not exist'
    # One that is in use cannot be copied: the server tells why.
    session 'SELECT 1;' tester base
    one 'postgresql_database: other' "socket: $pg" -- run apply <<<'template: base'
    status_is 4
    says 'source database "base" is being accessed by other users: There is 1 other session using the database.'
}

@test "a database goes, and with sessions only where force says so" {
    database run apply </dev/null
    session 'CREATE TABLE t();' tester app
    database run apply <<<'ensure: absent'
    status_is 4
    says 'database "app" is being accessed by other users: There is 1 other session using the database.'
    is "$(database_has datname)" app
    database converges <<'END'
ensure: absent
force: true
END
    is "$(database_has datname)" ''
    one 'postgresql_database: postgres' "socket: $pg" -- run apply <<<'ensure: absent'
    status_is 4
    says 'cannot drop the currently open database'
    one 'postgresql_database: template1' "socket: $pg" -- run apply <<<'ensure: absent'
    status_is 4
    says 'cannot drop a template database'
}

@test "a role and its database: created and removed in the right order" {
    for ensure in present absent; do
        run apply --detailed-exitcodes <<END
resources:
  - {postgresql_database: app, socket: $pg, owner: shop, ensure: $ensure}
  - {postgresql_role: shop, socket: $pg, ensure: $ensure}
END
        status_is 2
        says '2 changed'
    done
}

@test "faults: no server, a wrong password, no right, a lock, a limit, a server that is away in the middle" {
    run apply <<<"resources: [{postgresql_database: x, socket: $pg/none}]"
    status_is 4
    says 'failed: No such file or directory'
    sql "CREATE ROLE admin LOGIN PASSWORD '$secret'"
    database run apply <<END
login_user: admin
login_password: not-the-text
END
    status_is 4
    says 'password authentication failed for user "admin"'
    says_not not-the-text
    database run apply <<END
login_user: admin
login_password: $secret
END
    status_is 4
    says 'permission denied to create database'
    says_not "$secret"
    database run apply <<<'lc_ctype: xx_XX'
    status_is 4
    says 'invalid locale name: "xx_XX"'
    database run apply <<'END'
encoding: LATIN1
lc_ctype: C.UTF-8
END
    status_is 4
    says 'encoding "LATIN1" does not match locale "C.UTF-8"'
    database run apply </dev/null
    session "BEGIN; ALTER DATABASE app CONNECTION LIMIT 3;"
    database run apply <<'END'
connection_limit: 4
timeout: 1
END
    status_is 4
    says 'canceling statement due to lock timeout'
    sessions_close
    sql 'ALTER ROLE admin CONNECTION LIMIT 0'
    database run apply <<END
login_user: admin
login_password: $secret
END
    status_is 4
    says 'too many connections for role "admin"'
    session "BEGIN; ALTER DATABASE app CONNECTION LIMIT 3;"
    database apply <<<'connection_limit: 4' >killed.out 2>&1 &
    local applying=$!
    waits() {
        [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rhost' AND wait_event_type = 'Lock'")" = 1 ]
    }
    until_true waits
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rhost'" >/dev/null
    status=0
    wait "$applying" || status=$?
    output=$(cat killed.out)
    status_is 4
    says 'terminating connection due to administrator command'
    sessions_close
    is "$(database_has datconnlimit)" -1
    database converges <<<'connection_limit: 4'
}

@test "noop says what would be done, and does nothing; what the run creates first is no failure" {
    run apply --noop <<END
resources:
  - {postgresql_role: shop, socket: $pg}
  - {postgresql_database: app, socket: $pg, owner: shop}
END
    status_is 0
    says '2 would change'
    is "$(database_has datname)" ''
    database run apply </dev/null
    database run apply --noop <<<'connection_limit: 5'
    says 'connection_limit  -1 → 5'
    is "$(database_has datconnlimit)" -1
}

@test "undo removes what was created, and sets back what was changed" {
    sql 'CREATE DATABASE app CONNECTION LIMIT 9' "COMMENT ON DATABASE app IS 'before'"
    run apply <<END
resources:
  - {postgresql_database: app, socket: $pg, comment: after, connection_limit: 1}
  - {postgresql_database: new, socket: $pg}
END
    status_is 0
    run rhost undo last
    status_is 0
    is "$(database_has "datconnlimit, shobj_description(oid, 'pg_database')")" '9|before'
    is "$(database_has datname new)" ''
}

@test "what is shown is a manifest that changes nothing" {
    sql 'CREATE DATABASE app' "COMMENT ON DATABASE app IS 'a: b'"
    rhost resource postgresql_database "$pg:5432: app" --format=yaml >list.yaml
    grep -q 'encoding: UTF8' list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
}

@test "names are quoted, and mistakes refused before anything is done" {
    for name in "x\"; DROP ROLE tester; --" "o'hara \\ x" 'Größe'; do
        printf 'resources:\n  - postgresql_database: one\n    name: %s\n    socket: %s\n' "$(jq -Rn --arg n "$name" '$n')" "$pg" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
    while IFS='|' read -r wanted said; do
        database run apply <<<"$wanted"
        status_is 1
        says "$said"
    done <<'END'
encoding: klingon|unknown encoding 'klingon' of PostgreSQL
owner: ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ|the name has 64 bytes
connection_limit: -2|connection_limit
END
}

@test "the example of the page works: # scratch example" {
    page_example postgresql_database | converges
    is "$(database_has datdba::regrole shop)" shop
}
