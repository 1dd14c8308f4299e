#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The example of docs/authors/provider-postgresql.md, with real servers: make check-postgresql. Where libpq-dev and postgresql
# are not installed it is skipped; ./bootstrap does not install them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../../..}/tests/lib.bash"

example=$abs_top_srcdir/docs/examples/providers
cc='gcc -std=gnu11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared -fvisibility=hidden -Wl,-z,defs'
secret=a-secret-text

# The plugin, and what initdb makes, once for all.
setup_file() {
    pg_config --bindir >/dev/null 2>&1 && [ -x "$(pg_config --bindir)/initdb" ] \
        && [ -e "$(pg_config --includedir)/libpq-fe.h" ] || return 0
    built=$(cd "$BATS_FILE_TMPDIR" && pwd)
    export built
    mkdir "$built/plugins" "$built/fixtures"
    $cc -I"$(pg_config --includedir)" -I"$abs_top_srcdir/sdk" -o "$built/plugins/postgresql.so" \
        "$example/postgresql.c" -lpq
    cp "$example"/postgresql-server.sh "$example"/postgresql_*.fixture.yaml "$built/fixtures"
    sh "$example/postgresql-server.sh" --make "$built/fixtures/cluster"
}

setup() {
    work_open
    [ -n "${built-}" ] || skip "needs postgresql and libpq-dev"
}

teardown() {
    for one in ${servers-}; do
        kill "$one"
        wait "$one" || :
    done
}

# A server that is reached by ./NAME.
serve() {
    mkfifo "ready-$1"
    sh "$example/postgresql-server.sh" "$work/$1" "$built/fixtures/cluster" >"ready-$1" 3>&- &
    servers="${servers-} $!"
    read -r _ <"ready-$1"
}

sql() {
    psql -X -h "$work/$1" -U postgres -At -c "$2"
}

# With this plugin alone, as the tree has types of the same names.
example_rhost() {
    local command=$1
    shift
    "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$built/plugins" "$command" --state-dir "$work/state" "$@"
}

on_servers() {
    cat >"$BATS_TEST_TMPDIR/site.yaml"
    example_rhost apply --isolation="$RHOST_ISOLATION" --detailed-exitcodes "$@" "$BATS_TEST_TMPDIR/site.yaml"
}

checked() {
    run rhost check "$built/plugins/postgresql.so" --fixture "$built/fixtures/$1.fixture.yaml" --seed=1 --allocations=2 \
        --rounds=20
    status_is 0
    says_not 'warn '
    says "pass creates $1"
    says "pass alone $1"
    says "pass others $1"
    says "pass refuses $1"
    says "pass quiet $1"
}

@test "rhost check finds no fault in the roles" {
    checked postgresql_role
    says 'pass secret postgresql_role'
    not grep -q secret-text <<<"$output"
}

@test "rhost check finds no fault in the databases" {
    checked postgresql_database
}

@test "a database comes after the role that owns it, and goes before it" {
    serve a
    for ensure in present absent; do
        on_servers <<END >output 2>&1 || [ $? -eq 2 ]
resources:
  - postgresql_database: $work/a:5432:shop
    ensure: $ensure
    owner: keep-shop
  - postgresql_role: keep-shop
    server: $work/a
    ensure: $ensure
END
        if [ $ensure = present ]; then
            [ "$(sql a "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'shop'")" = keep-shop ]
        fi
    done
    [ "$(sql a "SELECT count(*) FROM pg_roles WHERE rolname = 'keep-shop'")" = 0 ]
}

@test "roles and databases of a server share one connection" {
    serve a
    on_servers <<END >output 2>&1 || [ $? -eq 2 ]
resources:
  - postgresql_role: $work/a:5432:keep-shop
  - postgresql_database: $work/a:5432:shop
    owner: keep-shop
  - postgresql_role: $work/a:5432:other
  - postgresql_database: $work/a:5432:other
END
    cat output
    grep -q '4 changed' output
    [ "$(grep -c 'connection authorized: .*application_name=rhost' a/log)" -eq 1 ]
}

@test "of two servers, the one that is down fails its own resources" {
    serve a
    run on_servers <<END
resources:
  - postgresql_role: $work/a:5432:one
  - postgresql_role: $work/b:5432:one
  - postgresql_role: $work/a:5432:two
END
    status_is 6
    says '2 changed'
    says '1 failed'
    says "$work/b/.s.PGSQL.5432"
    [ "$(sql a "SELECT count(*) FROM pg_roles WHERE rolname IN ('one', 'two')")" = 2 ]
}

@test "a password is set, compared without being read, and changed; nothing shows it" {
    serve a
    one_role() {
        on_servers --debug --report=report.json <<END
resources:
  - postgresql_role: $work/a:5432:keeper
    can_login: true
    password: $1
END
    }
    run one_role "$secret"
    status_is 2
    PGPASSWORD=$secret psql -X -h "$work/a" -U keeper -Atc 'SELECT 1' postgres
    echo "$output" >first
    run one_role "$secret"
    status_is 0
    run one_role "other-$secret"
    status_is 2
    says '1 changed'
    PGPASSWORD=other-$secret psql -X -h "$work/a" -U keeper -Atc 'SELECT 1' postgres
    not grep -q "$secret" <<<"$output"
    not grep -rq "$secret" first report.json state a/log
    grep -q 'PASSWORD .SCRAM-SHA-256' a/log
}

@test "it connects with the password of the manifest, and says that a wrong one is wrong" {
    serve a
    sql a "CREATE ROLE keeper LOGIN CREATEROLE PASSWORD '$secret'"
    run on_servers <<END
resources:
  - postgresql_role: $work/a:5432:one
    admin: keeper
    admin_password: $secret
END
    status_is 2
    run on_servers <<END
resources:
  - postgresql_role: $work/a:5432:two
    admin: keeper
    admin_password: not-the-text
END
    status_is 4
    says 'password authentication failed for user "keeper"'
    says_not not-the-text
}

@test "what can't be is refused before anything is done" {
    cat >site.yaml <<END
resources:
  - postgresql_role: one
    can_login: false
    password: $secret
  - postgresql_role: pg_one
  - postgresql_database: two
    encoding: latin1
    template: template1
END
    run example_rhost validate site.yaml
    [ "$status" -ne 0 ]
    says 'a role with can_login: false has no use for one'
    says "PostgreSQL keeps the name 'pg_one' for itself"
    says 'only a copy of template0 can have one of its own'
    says_not "$secret"
    printf 'resources:\n  - postgresql_database: three\n    encoding: klingon\n' >site.yaml
    run example_rhost validate site.yaml
    [ "$status" -ne 0 ]
    says "PostgreSQL has no encoding 'klingon'"
}
