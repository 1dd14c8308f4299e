#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/postgresql_role/server.bash"

secret=a-secret-text

setup() {
    work_open
    server_clean
    sql 'CREATE DATABASE shop' 'CREATE ROLE app' 'CREATE ROLE boss'
    sql -d shop 'CREATE SCHEMA tools' 'CREATE TABLE orders (n int)' 'CREATE TABLE "odd "" table" (n int)' \
        'CREATE VIEW tools.v AS SELECT 1' 'CREATE TABLE tools.t (n int)' 'CREATE SEQUENCE tools.s' \
        'CREATE FUNCTION tools.add(a int, b int) RETURNS int LANGUAGE sql AS $$ SELECT a + b $$'
}

# grant ROLE KIND [OBJECT]: whose other attributes stand on standard input.
grant() {
    local title="$1: shop: $2"
    shift 2
    while [ "$1" != -- ] && [ $# -gt 0 ] && [[ $1 != run && $1 != converges && $1 != is_in_sync && $1 != apply ]]; do
        title+=" $1"
        shift
    done
    one "postgresql_grant: '${title//\'/\'\'}'" "socket: $pg" -- "$@"
}

# Whether the role has these privileges, by the server: may KIND ROLE OBJECT PRIVILEGES
may() {
    sql -d shop "SELECT has_$1_privilege('$2', '$3', '$4')"
}

acl() {
    sql -d shop "SELECT relacl FROM pg_class WHERE oid = '$1'::regclass"
}

# bats test_tags=inline
@test "privileges on each kind of object are granted, found, and revoked" {
    while IFS='|' read -r object privileges question; do
        # shellcheck disable=SC2086 # words
        grant app $object converges <<<"privileges: $privileges"
        is "$(sql -d shop "SELECT $question")" t
        # shellcheck disable=SC2086
        grant app $object converges <<<'ensure: absent'
    done <<'END'
database|[CREATE, TEMPORARY]|has_database_privilege('app', 'shop', 'CREATE')
schema tools|[USAGE]|has_schema_privilege('app', 'tools', 'USAGE') AND NOT has_schema_privilege('app', 'tools', 'CREATE')
table orders|[SELECT, INSERT]|has_table_privilege('app', 'orders', 'SELECT') AND NOT has_table_privilege('app', 'orders', 'DELETE')
table public.odd " table|[ALL]|has_table_privilege('app', '"odd "" table"', 'TRIGGER')
table tools.v|[SELECT]|has_table_privilege('app', 'tools.v', 'SELECT')
sequence tools.s|[USAGE]|has_sequence_privilege('app', 'tools.s', 'USAGE')
function tools.add(int, int)|[EXECUTE]|aclexplode(proacl)::text ~ 'EXECUTE' FROM pg_proc WHERE proname = 'add' LIMIT 1
all_tables tools|[SELECT, UPDATE]|has_table_privilege('app', 'tools.v', 'SELECT') AND has_table_privilege('app', 'tools.t', 'UPDATE')
END
    is "$(acl orders)" '{tester=arwdDxt/tester}'
}

@test "nothing is granted again: what is so is found so, and no statement is sent" {
    sql -d shop 'GRANT SELECT, INSERT ON orders TO app'
    : >"$pg/log"
    grant app table orders is_in_sync <<<'privileges: [INSERT, SELECT]'
    grant app table orders is_in_sync <<<'privileges: [INSERT]'
    not grep -q 'GRANT\|REVOKE' "$pg/log"
}

@test "other privileges stay with minimum, and go with inclusive" {
    sql -d shop 'GRANT SELECT, INSERT, DELETE ON orders TO app'
    grant app table orders run apply --detailed-exitcodes <<<'privileges: [SELECT, UPDATE]'
    status_is 2
    says 'lacks UPDATE'
    is "$(acl orders)" '{tester=arwdDxt/tester,app=arwd/tester}'
    grant app table orders run apply --detailed-exitcodes <<'END'
privileges: [SELECT, TRUNCATE]
membership: inclusive
END
    status_is 2
    says 'lacks TRUNCATE; has'
    is "$(acl orders)" '{tester=arwdDxt/tester,app=rD/tester}'
    grant app table orders is_in_sync <<'END'
privileges: [SELECT, TRUNCATE]
membership: inclusive
END
}

@test "the grant option is given and taken, for what is wanted" {
    sql -d shop 'GRANT DELETE ON orders TO app WITH GRANT OPTION' 'GRANT SELECT ON orders TO app'
    grant app table orders converges <<'END'
privileges: [SELECT, INSERT]
grant_option: true
END
    is "$(acl orders)" '{tester=arwdDxt/tester,app=a*r*d*/tester}'
    grant app table orders converges <<'END'
privileges: [SELECT]
grant_option: false
END
    is "$(acl orders)" '{tester=arwdDxt/tester,app=a*rd*/tester}'
    # What was granted with it depends on it.
    sql -d shop 'SET ROLE app' 'GRANT INSERT ON orders TO boss'
    grant app table orders run apply <<<'ensure: absent'
    status_is 4
    says 'dependent privileges exist'
    is "$(acl orders)" '{tester=arwdDxt/tester,app=a*rd*/tester,boss=a/app}'
}

@test "all_tables: what some of the tables have is made up for, also of tables that come later" {
    sql -d shop 'GRANT SELECT ON tools.t TO app' 'GRANT DELETE ON tools.t TO app'
    grant app all_tables tools converges <<<'privileges: [SELECT]'
    is "$(may table app tools.v SELECT)" t
    is "$(may table app tools.t DELETE)" t
    sql -d shop 'CREATE TABLE tools.later ()'
    grant app all_tables tools run apply --detailed-exitcodes <<<'privileges: [SELECT]'
    status_is 2
    says 'lacks SELECT'
    grant app all_tables tools converges <<'END'
privileges: [SELECT]
membership: inclusive
END
    is "$(may table app tools.t DELETE)" f
    sql -d shop 'CREATE SCHEMA empty'
    grant app all_tables empty is_in_sync <<<'privileges: [SELECT]'
}

@test "public stands for all roles; the defaults of a function are seen" {
    grant public function 'tools.add(integer, integer)' is_in_sync <<<'privileges: [EXECUTE]'
    grant public function 'tools.add(integer, integer)' converges <<<'ensure: absent'
    is "$(may function app 'tools.add(int, int)' EXECUTE)" f
    grant public database converges <<'END'
privileges: [CONNECT]
membership: inclusive
END
    is "$(may database app shop TEMPORARY)" f
    is "$(may database app shop CONNECT)" t
    grant public schema public converges <<<'ensure: absent'
    is "$(may schema app public USAGE)" f
}

@test "role, database and privileges: made and removed in the right order" {
    for ensure in present absent; do
        run apply --detailed-exitcodes <<END
resources:
  - {postgresql_grant: "new: store: database", socket: $pg, privileges: [CREATE], ensure: $ensure}
  - {postgresql_database: store, socket: $pg, ensure: $ensure}
  - {postgresql_role: new, socket: $pg, ensure: $ensure}
END
        status_is 2
        says '3 changed'
    done
    # Where role or database are gone, there are none.
    run apply --detailed-exitcodes <<<"resources: [{postgresql_grant: 'new: store: database', socket: $pg, ensure: absent}, {postgresql_grant: 'new: shop: database', socket: $pg, ensure: absent}]"
    status_is 0
}

@test "noop says what would be done, and does nothing" {
    grant app table orders run apply --noop <<<'privileges: [SELECT]'
    status_is 0
    says '1 would change'
    sql -d shop 'GRANT SELECT ON orders TO app'
    grant app table orders run apply --noop <<<'privileges: [SELECT, DELETE]'
    says 'lacks DELETE'
    is "$(acl orders)" '{tester=arwdDxt/tester,app=r/tester}'
    run apply --noop <<END
resources:
  - {postgresql_role: new, socket: $pg}
  - {postgresql_grant: "new: shop: database", socket: $pg, privileges: [CREATE]}
END
    status_is 0
    says "role 'new' does not exist"
}

@test "undo gives back what was revoked, and takes what was granted" {
    sql -d shop 'GRANT SELECT ON orders TO app WITH GRANT OPTION' 'GRANT INSERT ON orders TO boss'
    run apply <<END
resources:
  - {postgresql_grant: "app: shop: table orders", socket: $pg, ensure: absent}
  - {postgresql_grant: "boss: shop: table orders", socket: $pg, privileges: [DELETE]}
END
    status_is 0
    is "$(acl orders)" '{tester=arwdDxt/tester,boss=ad/tester}'
    run rhost undo last
    status_is 0
    is "$(acl orders)" '{tester=arwdDxt/tester,boss=a/tester,app=r*/tester}'
}

@test "what is shown is a manifest that changes nothing" {
    sql -d shop 'GRANT SELECT ON orders TO app WITH GRANT OPTION' 'GRANT USAGE ON SCHEMA tools TO app'
    rhost resource postgresql_grant "$pg:5432: app: shop: table orders" --format=yaml >list.yaml
    grep -q SELECT list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
}

@test "faults: no server, role, database or object, a wrong password, no right, a lock, a lost connection" {
    run apply <<<"resources: [{postgresql_grant: 'app: shop: database', socket: $pg/none, privileges: [CREATE]}]"
    status_is 4
    says 'failed: No such file or directory'
    grant none database run apply <<<'privileges: [CREATE]'
    status_is 4
    says "role 'none' does not exist"
    run apply <<<"resources: [{postgresql_grant: 'app: none: database', socket: $pg, privileges: [CREATE]}]"
    status_is 4
    says "database 'none' does not exist"
    while IFS='|' read -r object privilege said; do
        # shellcheck disable=SC2086 # words
        grant app $object run apply <<<"privileges: [$privilege]"
        status_is 4
        says "$said"
    done <<'END'
table none|SELECT|table 'public.none' does not exist
table tools.s|SELECT|table 'tools.s' does not exist
schema none|USAGE|schema 'none' does not exist
sequence orders|USAGE|sequence 'public.orders' does not exist
function tools.add(text)|EXECUTE|function 'tools.add(text)' does not exist
all_tables none|SELECT|schema 'none' does not exist
END
    sql "CREATE ROLE admin LOGIN PASSWORD '$secret'"
    grant app table orders run apply <<END
privileges: [SELECT]
login_user: admin
login_password: not-the-text
END
    status_is 4
    says 'password authentication failed for user "admin"'
    says_not not-the-text
    grant app table orders run apply <<END
privileges: [SELECT]
login_user: admin
login_password: $secret
END
    status_is 4
    says 'permission denied for table orders'
    # One that may grant only a part of it: the server does that part, and a warning.
    sql -d shop 'GRANT SELECT ON orders TO admin WITH GRANT OPTION'
    grant app table orders run apply <<END
privileges: [SELECT, DELETE]
login_user: admin
login_password: $secret
END
    status_is 4
    says DELETE
    sql -d shop 'REVOKE SELECT ON orders FROM admin CASCADE'
    session 'BEGIN; GRANT INSERT ON orders TO boss;' tester shop
    grant app table orders run apply <<'END'
privileges: [SELECT]
timeout: 1
END
    status_is 4
    grep -q 'timeout\|concurrently' <<<"$output"
    sessions_close
    is "$(may table app orders SELECT)" f
    sql "ALTER DATABASE shop ALLOW_CONNECTIONS false"
    grant app table orders run apply <<<'privileges: [SELECT]'
    status_is 4
    says 'database "shop" is not currently accepting connections'
    sql "ALTER DATABASE shop ALLOW_CONNECTIONS true"
    grant app table orders converges <<<'privileges: [SELECT]'
}

@test "a connection that is lost in the middle leaves nothing half done" {
    session 'BEGIN; GRANT INSERT ON orders TO boss;' tester shop
    grant app table orders apply <<'END' >killed.out 2>&1 &
privileges: [SELECT]
END
    local applying=$!
    waits() {
        [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rhost' AND wait_event_type = 'Lock'")" = 1 ]
    }
    until_true waits
    sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rhost' AND wait_event_type = 'Lock'" >/dev/null
    status=0
    wait "$applying" || status=$?
    output=$(cat killed.out)
    status_is 4
    says 'terminating connection due to administrator command'
    sessions_close
    is "$(may table app orders SELECT)" f
}

@test "names are quoted, whatever is in them" {
    sql 'CREATE ROLE "x""; DROP TABLE orders; --"'
    sql -d shop 'CREATE SCHEMA "a""b"' 'CREATE TABLE "a""b"."it'"'"'s.x; --" ()'
    printf '%s\n' 'resources:' '  - postgresql_grant: one' "    role: 'x\"; DROP TABLE orders; --'" '    database: shop' '    kind: table' \
        "    object: 'a\"b.it''s.x; --'" "    socket: $pg" '    privileges: [SELECT]' >site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    is "$(sql -d shop "SELECT count(*) FROM orders")" 0
}

@test "mistakes are refused before anything is done" {
    while IFS='|' read -r object wanted said; do
        # shellcheck disable=SC2086 # words
        grant $object run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
app database|privileges: [SELECT]|a database has no privilege 'SELECT'
app table orders|privileges: [EXECUTE]|a table has no privilege 'EXECUTE'
app table orders|privileges: []|privileges
app table orders|membership: inclusive|'privileges' is required; 'ensure: absent' revokes all
app table|privileges: [SELECT]|'object' is required with 'kind: table'
app database shop|privileges: [CREATE]|with 'kind: database' the object is the database itself
app function tools.add|privileges: [EXECUTE]|'tools.add' lacks the types of its arguments
public table orders|privileges: [SELECT];grant_option: true|PostgreSQL has no grant option for 'public'
app box x|privileges: [SELECT]|no title pattern
END
}

@test "the example of the page works: # scratch example" {
    sql 'DROP DATABASE shop'
    page_example postgresql_grant | converges
    is "$(may schema report public USAGE)" t
    is "$(may database report shop CONNECT)" t
}
