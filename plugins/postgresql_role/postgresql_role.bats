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

# The role app, whose other attributes stand on standard input.
role() {
    one "postgresql_role: app" "socket: $pg" -- "$@"
}

# The attributes of the role in the server: role_has COLUMN...
role_has() {
    sql "SELECT $1 FROM pg_authid WHERE rolname = '${2-app}'"
}

# app_sql PASSWORD STATEMENT: as the role app.
app_sql() {
    PGPASSWORD=$1 psql -X -q -h "$pg" -U app -At -d postgres -c "$2"
}

# bats test_tags=inline
@test "a role is created with all that is wanted, and found so; root logs in as the user postgres" {
    role converges <<'END'
login: true
createdb: true
createrole: true
inherit: false
replication: true
bypassrls: true
connection_limit: 7
valid_until: '2031-02-03'
member_of: [pg_monitor, pg_signal_backend]
settings: {work_mem: 8MB, search_path: [app, "$user", public], statement_timeout: 5000, jit: false}
END
    is "$(role_has rolcanlogin,rolsuper,rolcreatedb,rolcreaterole,rolinherit,rolreplication,rolbypassrls,rolconnlimit)" 't|f|t|t|f|t|t|7'
    is "$(sql "SELECT unnest(setconfig) FROM pg_db_role_setting ORDER BY 1")" "$(printf 'jit=off\nsearch_path=app, "$user", public\nstatement_timeout=5000\nwork_mem=8MB')"
}

@test "each attribute is changed alone, and a session sees it" {
    role converges <<'END'
login: true
superuser: true
settings: {work_mem: 8MB, search_path: [app, public], jit: false}
password: a-secret-text
END
    is "$(role_has rolcanlogin,rolsuper,rolcreatedb,rolconnlimit)" 't|t|f|-1'
    is "$(app_sql "$secret" 'SHOW work_mem')" 8MB
    is "$(app_sql "$secret" 'SHOW search_path')" 'app, public'
    is "$(app_sql "$secret" 'SHOW jit')" off
    role converges <<<'superuser: false'
    role converges <<<'createdb: true'
    role converges <<<'connection_limit: 2'
    role converges <<<"valid_until: '2031-02-03T04:05:06Z'"
    role converges <<<'settings: {work_mem: 16MB}'
    is "$(role_has "rolcanlogin,rolsuper,rolcreatedb,rolconnlimit,rolvaliduntil AT TIME ZONE 'UTC'")" 't|f|t|2|2031-02-03 04:05:06'
    is "$(app_sql "$secret" 'SHOW work_mem; SHOW search_path')" "$(printf '16MB\napp, public')"
    role converges <<<'valid_until: infinity'
}

# bats test_tags=inline
@test "a password is compared with what the server keeps of it, and sent in no other form" {
    : >"$pg/log"
    role run apply --detailed-exitcodes --debug --report report.json <<<"password: $secret
login: true"
    status_is 2
    says_not "$secret"
    is "$(app_sql "$secret" 'SELECT 1')" 1
    [[ "$(role_has rolpassword)" == 'SCRAM-SHA-256$4096:'* ]]
    role is_in_sync <<<"password: $secret"
    # Changed by somebody else: noticed.
    sql "ALTER ROLE app PASSWORD 'another-text'"
    role run apply --detailed-exitcodes --debug --diff --report report.json <<<"password: $secret"
    status_is 2
    says_not another-text
    says_not SCRAM-SHA
    is "$(app_sql "$secret" 'SELECT 1')" 1
    # md5, and none.
    PGOPTIONS='-c log_statement=none -c password_encryption=md5' sql "ALTER ROLE app PASSWORD '$secret'"
    role converges <<<"password: $secret"
    sql "ALTER ROLE app PASSWORD NULL"
    role converges <<<"password: $secret"
    is "$(app_sql "$secret" 'SELECT 1')" 1
    not grep -rqF "$secret" "$BATS_TEST_TMPDIR/state" report.json
    # The server logs all statements, and neither the password nor what it keeps of it.
    grep -q 'execute <unnamed>: BEGIN' "$pg/log"
    not grep -qF "$secret" "$pg/log"
    not grep -q 'PASSWORD .SCRAM' "$pg/log"
}

@test "what the server keeps of a password can be given itself" {
    sql "CREATE ROLE other PASSWORD '$secret'"
    verifier=$(role_has rolpassword other)
    role converges <<<"login: true
password: '$verifier'"
    is "$(role_has rolpassword)" "$verifier"
    is "$(app_sql "$secret" 'SELECT 1')" 1
}

@test "memberships and settings: others stay with minimum, and go with inclusive" {
    sql "CREATE ROLE a; CREATE ROLE b; CREATE ROLE \"a role's \"\"c\"\"\"; CREATE ROLE app; GRANT a TO app; ALTER ROLE app SET jit = off"
    role run apply --detailed-exitcodes <<'END'
member_of: [b, "a role's \"c\""]
settings: {work_mem: 8MB}
END
    status_is 2
    says "not a member of 'b', 'a role's \"c\"'"
    members() {
        sql "SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = roleid JOIN pg_roles r ON r.oid = member WHERE r.rolname = 'app' ORDER BY 1" | xargs -d '\n'
    }
    is "$(members)" "a a role's \"c\" b"
    role is_in_sync <<<'member_of: [b]'
    role converges <<'END'
member_of: [b]
settings: {work_mem: 8MB}
membership: inclusive
END
    is "$(members)" b
    is "$(sql "SELECT setconfig FROM pg_db_role_setting")" '{work_mem=8MB}'
    role converges <<'END'
member_of: []
settings: {}
membership: inclusive
END
    is "$(sql "SELECT count(*) FROM pg_db_role_setting, pg_auth_members WHERE member > 16000")" 0
}

@test "roles are listed, and the list is a manifest that changes nothing" {
    sql "CREATE ROLE app LOGIN; CREATE ROLE \"odd: 'name'\"; ALTER ROLE app SET search_path = 'A', b; GRANT pg_monitor TO app"
    run rhost resource postgresql_role "$pg:5432: app"
    status_is 0
    says pg_monitor
    printf 'resources:\n  - postgresql_role: app\n    socket: %s\n    member_of: [pg_monitor]\n    settings: {search_path: [A, b]}\n' "$pg" >site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    rhost resource postgresql_role "$pg:5432: app" --format=yaml >list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
}

@test "noop says what would be done, and does nothing" {
    role run apply --noop <<<"password: $secret"
    status_is 0
    says 'would change'
    says_not "$secret"
    is "$(role_has rolname)" ''
    sql 'CREATE ROLE app'
    role run apply --noop <<<"password: $secret"
    status_is 0
    is "$(role_has rolpassword)" ''
}

@test "undo takes back what was created and changed" {
    sql 'CREATE ROLE a; CREATE ROLE app; GRANT a TO app; ALTER ROLE app SET jit = off'
    role run apply <<'END'
login: true
member_of: [pg_monitor]
settings: {work_mem: 8MB}
END
    status_is 0
    run rhost undo last
    status_is 0
    is "$(role_has rolcanlogin)" f
    is "$(sql "SELECT setconfig FROM pg_db_role_setting")" '{jit=off}'
    is "$(sql "SELECT roleid::regrole FROM pg_auth_members WHERE member = 'app'::regrole")" a
}

@test "a role is removed, and not while objects depend on it or sessions of it go on" {
    sql "CREATE ROLE app LOGIN; CREATE TABLE t(); ALTER TABLE t OWNER TO app"
    role run apply <<<'ensure: absent'
    status_is 4
    says 'the server refuses: role "app" cannot be dropped because some objects depend on it: owner of table public.t'
    sql "DROP TABLE t; GRANT CONNECT ON DATABASE template1 TO app; ALTER ROLE app PASSWORD 'x'"
    role run apply <<<'ensure: absent'
    status_is 4
    says 'privileges for database template1'
    sql "REVOKE CONNECT ON DATABASE template1 FROM app"
    export PGPASSWORD=x
    session 'SELECT 1;' app
    role run apply <<<'ensure: absent'
    status_is 4
    says "role 'app' is in use: sessions of it: 1"
    is "$(role_has rolname)" app
    sessions_close
    until_true test "$(sql "SELECT count(*) FROM pg_stat_activity WHERE usename = 'app'")" = 0
    role converges <<<'ensure: absent'
    is "$(role_has rolname)" ''
}

@test "faults of the login: no server, no right, a wrong password, no role, a database that does not exist" {
    run apply <<<"resources: [{postgresql_role: x, socket: $pg/none}]"
    status_is 4
    says "connection to server on socket \"$pg/none/.s.PGSQL.5432\" failed: No such file or directory"
    role run apply <<<'port: 5433'
    status_is 4
    says '.s.PGSQL.5433'
    sql "CREATE ROLE admin LOGIN CREATEROLE PASSWORD '$secret'"
    role run apply <<<"login_user: admin"
    status_is 4
    says 'no password supplied'
    role run apply <<END
login_user: admin
login_password: not-the-text
END
    status_is 4
    says 'password authentication failed for user "admin"'
    says_not not-the-text
    role run apply <<<'login_user: nobody-there'
    status_is 4
    role run apply <<<'login_database: none'
    status_is 4
    says 'database "none" does not exist'
    # With the right one, and what it may not do.
    role run apply <<END
login_user: admin
login_password: $secret
createrole: true
END
    status_is 0
    role run apply <<END
login_user: admin
login_password: $secret
superuser: true
END
    status_is 4
    says 'must be superuser'
    role run apply <<END
login_user: admin
login_password: $secret
password: other-text
END
    status_is 4
    says 'permission denied for table pg_authid'
    says_not other-text
    run apply <<<'resources: [{postgresql_role: x, host: 127.0.0.1, port: 1}]'
    status_is 4
    says 'Connection refused'
}

@test "faults while it works: a lock, a server that stands still, is killed, comes back" {
    sql 'CREATE ROLE app'
    session 'BEGIN; ALTER ROLE app LOGIN;'
    role run apply <<'END'
createdb: true
timeout: 1
END
    status_is 4
    says 'canceling statement due to lock timeout'
    sessions_close
    until_true test "$(sql "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'")" = 0
    kill -STOP "$(cat "$pg/server.pid")"
    role run apply <<'END'
createdb: true
timeout: 1
END
    kill -CONT "$(cat "$pg/server.pid")"
    status_is 4
    says 'timed out: the server did not complete the login within 1 s'
    # What waits for a lock loses its connection: nothing of it is left.
    session 'BEGIN; ALTER ROLE app LOGIN;'
    role apply <<'END' >killed.out 2>&1 &
createdb: true
settings: {jit: false}
END
    local applying=$!
    waits() {
        [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rhost' AND wait_event_type = 'Lock'")" = 1 ]
    }
    until_true waits
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rhost'"
    status=0
    wait "$applying" || status=$?
    status_is 4
    output=$(cat killed.out)
    says 'terminating connection due to administrator command'
    sessions_close
    until_true test "$(role_has rolcreatedb)" = f
    role converges <<<'createdb: true'
}

@test "a change of several parts is made as a whole, or not at all" {
    role run apply <<'END'
login: true
member_of: [nobody-there]
END
    status_is 4
    says 'member_of'
    says 'role "nobody-there" does not exist'
    is "$(role_has rolname)" ''
    role run apply <<'END'
login: true
settings: {no_such_setting: 1}
END
    status_is 4
    says 'settings.no_such_setting'
    says 'unrecognized configuration parameter "no_such_setting"'
    is "$(role_has rolname)" ''
}

@test "names are quoted, whatever is in them" {
    for name in "x\"; DROP ROLE tester; --" "o'hara \\ x" 'Größe' 'a%sb'; do
        printf 'resources:\n  - postgresql_role: one\n    name: %s\n    socket: %s\n    login: true\n    settings: {search_path: ["%s"]}\n' "$(jq -Rn --arg n "$name" '$n')" "$pg" "a'b" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
    is "$(sql "SELECT count(*) FROM pg_roles WHERE rolname !~ '^pg_'")" 6
}

@test "mistakes are refused before anything is done" {
    while IFS='|' read -r wanted said; do
        role run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
name: pg_x|PostgreSQL reserves the name 'pg_x'
name: public|PostgreSQL reserves the name 'public'
name: ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ|the name has 64 bytes, and PostgreSQL takes up to 63
valid_until: '2030-02-29'|'2030-02-29T00:00:00Z' is not a valid time
member_of: [app]|a role cannot be a member of 'app'
host: db.example.org|'socket' and 'host' exclude each other
ca_certificate: /etc/ca.pem|'ca_certificate' is for a server at 'host'
connection_limit: -2|connection_limit
END
}

@test "the role that another one is a member of comes first" {
    run apply <<END
resources:
  - {postgresql_role: app, socket: $pg, member_of: [staff]}
  - {postgresql_role: "$pg:5432: staff"}
END
    status_is 0
    says '2 changed'
    run apply <<END
resources:
  - {postgresql_role: staff, socket: $pg, ensure: absent}
  - {postgresql_role: "$pg:5432: app", member_of: [staff], ensure: absent}
END
    status_is 0
    says '2 changed'
}

@test "the example of the page works: # scratch example" {
    page_example postgresql_role | converges
    is "$(sql "SELECT roleid::regrole FROM pg_auth_members WHERE member = 'shop'::regrole")" staff
}
