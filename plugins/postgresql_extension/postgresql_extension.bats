#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/postgresql_role/server.bash"

secret=a-secret-text

setup() {
    work_open
    server_clean
    sql 'CREATE DATABASE app'
    [ -n "$(sql "SELECT 1 FROM pg_available_extensions WHERE name = 'earthdistance'")" ] || skip "needs the extensions of PostgreSQL's contrib"
}

# extension NAME: in the database app, whose other attributes stand on standard input.
extension() {
    local name=$1
    shift
    one "postgresql_extension: \"app: $name\"" "socket: $pg" -- "$@"
}

# Version and schema of the extension in the server.
extension_has() {
    sql -d app "SELECT extversion, extnamespace::regnamespace FROM pg_extension WHERE extname = '$1'"
}

# bats test_tags=inline
@test "an extension is created in its schema and version, and found so" {
    sql -d app 'CREATE SCHEMA tools'
    extension citext converges <<'END'
schema: tools
version: "1.5"
END
    is "$(extension_has citext)" '1.5|tools'
    extension uuid-ossp converges </dev/null
    is "$(extension_has uuid-ossp)" '1.1|public'
}

@test "version and schema are changed, and latest is what the server has" {
    sql -d app 'CREATE SCHEMA tools'
    extension citext run apply <<<'version: "1.4"'
    extension citext is_in_sync </dev/null
    extension citext converges <<<'version: "1.5"'
    is "$(extension_has citext)" '1.5|public'
    extension citext converges <<<'schema: tools'
    is "$(extension_has citext)" '1.5|tools'
    extension citext run apply --noop <<<'version: latest'
    says '1.5 → 1.6'
    is "$(extension_has citext)" '1.5|tools'
    extension citext converges <<<'version: latest'
    is "$(extension_has citext)" '1.6|tools'
    extension pg_trgm converges <<<'version: latest'
}

@test "what an extension needs is created with cascade alone" {
    extension earthdistance run apply </dev/null
    status_is 4
    says 'required extension "cube" is not installed'
    extension earthdistance converges <<<'cascade: true'
    is "$(sql -d app "SELECT count(*) FROM pg_extension WHERE extname IN ('cube', 'earthdistance')")" 2
    extension cube run apply <<<'ensure: absent'
    status_is 4
    says 'cannot drop extension cube because other objects depend on it: extension earthdistance depends on extension cube'
    is "$(sql -d app "SELECT count(*) FROM pg_extension WHERE extname IN ('cube', 'earthdistance')")" 2
    extension cube converges <<'END'
ensure: absent
cascade: true
END
    is "$(sql -d app "SELECT count(*) FROM pg_extension WHERE extname IN ('cube', 'earthdistance')")" 0
}

@test "an extension whose objects a table uses stays" {
    extension citext run apply </dev/null
    sql -d app 'CREATE TABLE t (c citext)'
    extension citext run apply <<<'ensure: absent'
    status_is 4
    says 'cannot drop extension citext because other objects depend on it: column c of table public.t depends on type public.citext'
    sql -d app 'DROP TABLE t'
    extension citext converges <<<'ensure: absent'
    is "$(extension_has citext)" ''
}

@test "a role, its database and an extension: created and removed in the right order" {
    for ensure in present absent; do
        run apply --detailed-exitcodes <<END
resources:
  - {postgresql_extension: "shop: citext", socket: $pg, ensure: $ensure}
  - {postgresql_database: shop, socket: $pg, owner: shop, ensure: $ensure}
  - {postgresql_role: shop, socket: $pg, ensure: $ensure}
END
        status_is 2
        says '3 changed'
    done
    # In a database that is gone, there is none.
    run apply --detailed-exitcodes <<<"resources: [{postgresql_extension: 'shop: citext', socket: $pg, ensure: absent}]"
    status_is 0
}

@test "noop: what the run creates first is not known, and what the server lacks is told" {
    run apply --noop <<END
resources:
  - {postgresql_database: shop, socket: $pg}
  - {postgresql_extension: "shop: citext", socket: $pg}
END
    status_is 0
    says "database 'shop' does not exist"
    extension citext run apply --noop </dev/null
    status_is 0
    says '1 would change'
    is "$(extension_has citext)" ''
    extension no_such run apply --noop </dev/null
    says "extension 'no_such' is not installed on the server"
}

@test "faults: no server, no database, no such extension or version or schema, a wrong password, no right, a lock, a lost connection" {
    run apply <<<"resources: [{postgresql_extension: 'app: citext', socket: $pg/none}]"
    status_is 4
    says 'failed: No such file or directory'
    run apply <<<"resources: [{postgresql_extension: 'none: citext', socket: $pg}]"
    status_is 4
    says "database 'none' does not exist"
    extension no_such run apply </dev/null
    status_is 4
    says 'extension "no_such" is not available'
    extension citext run apply <<<'version: "99"'
    status_is 4
    says 'extension "citext" has no installation script nor update path for version "99"'
    extension citext run apply <<<'schema: nowhere'
    status_is 4
    says "schema 'nowhere' does not exist"
    sql "CREATE ROLE admin LOGIN PASSWORD '$secret'"
    extension citext run apply <<END
login_user: admin
login_password: not-the-text
END
    status_is 4
    says 'password authentication failed for user "admin"'
    says_not not-the-text
    extension pageinspect run apply <<END
login_user: admin
login_password: $secret
END
    status_is 4
    says 'permission denied to create extension "pageinspect"'
    says_not "$secret"
    extension citext run apply <<<'version: "1.5"'
    status_is 0
    extension citext run apply <<<'version: "1.4"'
    status_is 4
    says 'extension "citext" has no update path from version "1.5" to version "1.4"'
    extension uuid-ossp run apply </dev/null
    sql -d app 'CREATE SCHEMA tools' 'CREATE FUNCTION tools.uuid_nil() RETURNS uuid LANGUAGE sql AS $$ SELECT NULL::uuid $$'
    extension uuid-ossp run apply <<<'schema: tools'
    status_is 4
    says 'function uuid_nil() already exists in schema "tools"'
    is "$(extension_has uuid-ossp)" '1.1|public'
    session "BEGIN; ALTER EXTENSION citext UPDATE TO '1.6';" tester app
    extension citext run apply <<'END'
version: "1.6"
timeout: 1
END
    status_is 4
    says 'canceling statement due to lock timeout'
    extension citext apply <<<'version: "1.6"' >killed.out 2>&1 &
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
    is "$(extension_has citext)" '1.5|public'
    extension citext converges <<<'version: "1.6"'
}

@test "undo removes what was created, and what is shown is a manifest that changes nothing" {
    extension citext run apply </dev/null
    rhost resource postgresql_extension "$pg:5432: app: citext" --format=yaml >list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
    extension pg_trgm run apply </dev/null
    run rhost undo last
    status_is 0
    is "$(extension_has pg_trgm)" ''
}

@test "nothing that the owner of a database made is called" {
    sql 'CREATE ROLE shop LOGIN' 'ALTER DATABASE app OWNER TO shop' 'ALTER DATABASE app SET search_path = public, pg_catalog'
    sql -d app 'GRANT CREATE ON SCHEMA public TO shop' 'SET ROLE shop' \
        'CREATE TABLE public.pg_extension (extname text)' \
        'CREATE FUNCTION public.set_config(text, text, boolean) RETURNS text LANGUAGE plpgsql AS $$ BEGIN CREATE ROLE caught; RETURN 1; END $$'
    extension citext converges </dev/null
    is "$(sql "SELECT count(*) FROM pg_roles WHERE rolname = 'caught'")" 0
}

@test "mistakes are refused before anything is done" {
    while IFS='|' read -r wanted said; do
        extension citext run apply <<<"$wanted"
        status_is 1
        says "$said"
    done <<'END'
version: "a b"|version
schema: ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ|the name has 64 bytes
END
    run apply <<<"resources: [postgresql_extension: citext]"
    status_is 1
    says "no title pattern of 'postgresql_extension' matches the title 'citext'"
}

@test "the example of the page works: # scratch example" {
    page_example postgresql_extension | converges
    sql -d shop "SELECT 'Ä'::citext = 'ä'" >/dev/null
}
