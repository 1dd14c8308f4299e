#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/mysql_user/server.bash"

secret=a-secret-text

setup() {
    work_open
    server_clean
    sql "CREATE USER app@localhost, boss@localhost; CREATE DATABASE shop_1; CREATE TABLE shop_1.orders (n int, price int);
         CREATE TABLE shop_1.\`odd . \`\` table\` (\`a b\` int); CREATE FUNCTION shop_1.Total() RETURNS int RETURN 1; CREATE PROCEDURE shop_1.clean() SELECT 1"
}

# grant TITLE COMMAND...: whose other attributes stand on standard input.
grant() {
    one "mysql_grant: '${1//\'/\'\'}'" "socket: $my/mysqld.sock" -- "${@:2}"
}

# What the account has, without USAGE.
grants() {
    sql "SHOW GRANTS FOR ${1-app@localhost}" | grep -v 'GRANT USAGE ON \*' | sed 's/ TO .*@`[^`]*`//'
}

# bats test_tags=inline
@test "privileges on each kind of level are granted, found, and revoked" {
    while IFS='|' read -r level privileges said; do
        grant "app@localhost: $level" converges <<<"privileges: $privileges"
        is "$(grants)" "$said"
        grant "app@localhost: $level" converges <<<'ensure: absent'
        is "$(grants)" ''
    done <<'END'
global|[PROCESS, 'binlog monitor']|GRANT PROCESS, BINLOG MONITOR ON *.*
database shop_1|[SELECT, insert, CREATE TEMPORARY TABLES]|GRANT SELECT, INSERT, CREATE TEMPORARY TABLES ON `shop\_1`.*
databases test\_%|[SELECT]|GRANT SELECT ON `test\_%`.*
table shop_1.orders|[SELECT, DELETE]|GRANT SELECT, DELETE ON `shop_1`.`orders`
table shop_1.odd . ` table|[TRIGGER]|GRANT TRIGGER ON `shop_1`.`odd . `` table`
column shop_1.orders.price|[UPDATE, SELECT]|GRANT SELECT (`price`), UPDATE (`price`) ON `shop_1`.`orders`
function shop_1.Total|[EXECUTE]|GRANT EXECUTE ON FUNCTION `shop_1`.`total`
procedure shop_1.clean|[EXECUTE, ALTER ROUTINE]|GRANT EXECUTE, ALTER ROUTINE ON PROCEDURE `shop_1`.`clean`
END
}

@test "ALL is all that the server has, on each kind of level, and a part of it is made up for" {
    while IFS='|' read -r level said; do
        grant "app@localhost: $level" converges <<<'privileges: [ALL]'
        is "$(grants)" "$said"
        grant "app@localhost: $level" converges <<<'ensure: absent'
        is "$(grants)" ''
    done <<'END'
global|GRANT ALL PRIVILEGES ON *.*
database shop_1|GRANT ALL PRIVILEGES ON `shop\_1`.*
table shop_1.orders|GRANT ALL PRIVILEGES ON `shop_1`.`orders`
column shop_1.orders.n|GRANT SELECT (`n`), INSERT (`n`), UPDATE (`n`), REFERENCES (`n`) ON `shop_1`.`orders`
procedure shop_1.clean|GRANT EXECUTE, ALTER ROUTINE ON PROCEDURE `shop_1`.`clean`
END
    sql 'GRANT ALL ON `shop\_1`.* TO app@localhost; REVOKE DROP ON `shop\_1`.* FROM app@localhost'
    grant 'app@localhost: database shop_1' run apply --detailed-exitcodes <<<'privileges: [ALL PRIVILEGES]'
    status_is 2
    says 'lacks DROP'
    is "$(grants)" 'GRANT ALL PRIVILEGES ON `shop\_1`.*'
    grant 'app@localhost: database shop_1' is_in_sync <<<'privileges: [SELECT, DROP]'
    grant 'app@localhost: database shop_1' converges <<'END'
privileges: [SELECT]
membership: inclusive
END
    is "$(grants)" 'GRANT SELECT ON `shop\_1`.*'
}

@test "a database is that database alone: wildcards are escaped, and patterns are of another kind" {
    sql 'CREATE DATABASE shopX1; CREATE TABLE shopX1.t (n int)'
    grant 'app@localhost: database shop_1' converges <<<'privileges: [SELECT]'
    mariadb --no-defaults -S "$my/mysqld.sock" -u app -e 'SELECT * FROM shop_1.orders'
    not mariadb --no-defaults -S "$my/mysqld.sock" -u app -e 'SELECT * FROM shopX1.t' 2>/dev/null
    # Granted on the pattern by somebody else: another privilege.
    sql 'GRANT INSERT ON `shop_1`.* TO app@localhost'
    grant 'app@localhost: database shop_1' is_in_sync <<'END'
privileges: [SELECT]
membership: inclusive
END
    grant 'app@localhost: databases shop_1' is_in_sync <<<'privileges: [INSERT]'
    grant 'app@localhost: databases shop_1' converges <<<'ensure: absent'
    is "$(grants)" 'GRANT SELECT ON `shop\_1`.*'
    # The table of a database is no pattern.
    grant 'app@localhost: table shop_1.orders' converges <<<'privileges: [SELECT]'
    is "$(sql "SELECT Db FROM mysql.tables_priv WHERE User = 'app'")" shop_1
    for name in '100%' 'a\b' 'x`y'; do
        printf 'resources:\n  - mysql_grant: one\n    user: app@localhost\n    kind: database\n    database: %s\n    socket: %s\n    privileges: [SELECT]\n' \
            "$(jq -Rn --arg n "$name" '$n')" "$my/mysqld.sock" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
    is "$(sql "SELECT Db FROM mysql.db WHERE User = 'app' ORDER BY 1" | xargs -d '\n')" '100\% a\\b shop\_1 x`y'
}

@test "nothing is granted again: what is so is found so, and no statement is sent" {
    sql 'GRANT SELECT, INSERT ON shop_1.orders TO app@localhost'
    : >"$my/log"
    grant 'app@localhost: table shop_1.orders' is_in_sync <<<'privileges: [INSERT, SELECT]'
    grant 'app@localhost: table shop_1.orders' is_in_sync <<<'privileges: [INSERT]'
    grep -q TABLE_PRIVILEGES "$my/log"
    not grep -q 'GRANT \|REVOKE ' "$my/log"
}

@test "other privileges stay with minimum, and go with inclusive" {
    sql 'GRANT SELECT, INSERT, DELETE ON shop_1.orders TO app@localhost'
    grant 'app@localhost: table shop_1.orders' run apply --detailed-exitcodes <<<'privileges: [SELECT, UPDATE]'
    status_is 2
    says 'lacks UPDATE'
    is "$(grants)" 'GRANT SELECT, INSERT, UPDATE, DELETE ON `shop_1`.`orders`'
    grant 'app@localhost: table shop_1.orders' run apply --detailed-exitcodes <<'END'
privileges: [SELECT, DROP]
membership: inclusive
END
    status_is 2
    says 'lacks DROP; has '
    is "$(grants)" 'GRANT SELECT, DROP ON `shop_1`.`orders`'
    grant 'app@localhost: table shop_1.orders' is_in_sync <<'END'
privileges: [SELECT, DROP]
membership: inclusive
END
    # The privileges of other columns, and of the table itself, stay.
    sql 'GRANT SELECT (n, price), UPDATE (price) ON shop_1.orders TO app@localhost'
    grant 'app@localhost: column shop_1.orders.price' converges <<'END'
privileges: [INSERT]
membership: inclusive
END
    is "$(grants)" 'GRANT SELECT, SELECT (`n`), INSERT (`price`), DROP ON `shop_1`.`orders`'
}

@test "the grant option is given and taken, with privileges and alone" {
    grant 'app@localhost: database shop_1' converges <<'END'
privileges: [SELECT]
grant_option: true
END
    is "$(sql 'SHOW GRANTS FOR app@localhost' | grep -c 'WITH GRANT OPTION')" 1
    grant 'app@localhost: database shop_1' is_in_sync <<<'privileges: [SELECT]'
    grant 'app@localhost: database shop_1' converges <<'END'
privileges: [SELECT, INSERT]
grant_option: false
END
    is "$(sql 'SHOW GRANTS FOR app@localhost' | grep -c 'WITH GRANT OPTION')" 0
    for level in global 'database shop_1' 'table shop_1.orders' 'procedure shop_1.clean'; do
        grant "app@localhost: $level" run apply <<<'privileges: [ALTER ROUTINE]'
        [ "$level" != 'table shop_1.orders' ] || sql 'GRANT ALTER ON shop_1.orders TO app@localhost'
        grant "app@localhost: $level" converges <<END
privileges: [$([ "$level" = 'table shop_1.orders' ] && echo ALTER || echo ALTER ROUTINE)]
grant_option: true
END
        grant "app@localhost: $level" converges <<<'ensure: absent'
    done
    is "$(grants)" ''
    # Without any privilege.
    grant 'app@localhost: databases shop_1' converges <<'END'
privileges: []
grant_option: true
END
    grant 'app@localhost: databases shop_1' converges <<<'ensure: absent'
    is "$(grants)" ''
    grant 'app@localhost: databases shop_1' run apply <<'END'
privileges: []
membership: inclusive
END
    status_is 4
    says "the account has no grant option there, which 'privileges: []' is for; 'ensure: absent' revokes all"
}

@test "the account of the login keeps its privileges on the server" {
    sql "CREATE USER admin@localhost IDENTIFIED BY '$secret'; GRANT ALL ON *.* TO admin@localhost WITH GRANT OPTION"
    itself() {
        grant "admin@localhost: $1" "${@:2}" < <(printf '%s\n' 'login_user: admin' "login_password: $secret" && command cat)
    }
    for wanted in 'ensure: absent' $'privileges: [SELECT]\nmembership: inclusive' $'privileges: [SELECT]\ngrant_option: false'; do
        itself global run apply <<<"$wanted"
        status_is 4
        says "'admin@localhost' is the account of the login, which keeps its privileges on the server"
    done
    is "$(sql "SHOW GRANTS FOR admin@localhost" | grep -c 'GRANT ALL PRIVILEGES ON \*\.\* .* WITH GRANT OPTION')" 1
    itself 'database shop_1' converges <<<'privileges: [SELECT]'
    itself 'database shop_1' converges <<<'ensure: absent'
}

@test "account, database and privileges: made and removed in the right order" {
    for ensure in present absent; do
        run apply --detailed-exitcodes <<END
resources:
  - {mysql_grant: "new: database store", socket: $my/mysqld.sock, privileges: [CREATE], ensure: $ensure}
  - {mysql_database: store, socket: $my/mysqld.sock, ensure: $ensure}
  - {mysql_user: "new@%", socket: $my/mysqld.sock, ensure: $ensure}
END
        status_is 2
        says '3 changed'
    done
    # Where account or table are gone, there are none.
    run apply --detailed-exitcodes <<<"resources: [{mysql_grant: 'new: database store', socket: $my/mysqld.sock, ensure: absent}, {mysql_grant: 'app@localhost: table shop_1.none', socket: $my/mysqld.sock, ensure: absent}]"
    status_is 0
}

@test "noop says what would be done, and does nothing" {
    grant 'app@localhost: table shop_1.orders' run apply --noop <<<'privileges: [SELECT]'
    status_is 0
    says '1 would change'
    sql 'GRANT SELECT ON shop_1.orders TO app@localhost'
    grant 'app@localhost: table shop_1.orders' run apply --noop <<<'privileges: [SELECT, DELETE]'
    says 'lacks DELETE'
    is "$(grants)" 'GRANT SELECT ON `shop_1`.`orders`'
    run apply --noop <<END
resources:
  - {mysql_user: new, socket: $my/mysqld.sock}
  - {mysql_grant: "new: global", socket: $my/mysqld.sock, privileges: [PROCESS]}
END
    status_is 0
    says "account 'new@%' does not exist"
}

@test "undo gives back what was revoked, and takes what was granted" {
    sql 'GRANT SELECT, INSERT ON shop_1.orders TO app@localhost WITH GRANT OPTION; GRANT INSERT ON `shop\_1`.* TO boss@localhost'
    run apply <<END
resources:
  - {mysql_grant: "app@localhost: table shop_1.orders", socket: $my/mysqld.sock, ensure: absent}
  - {mysql_grant: "boss@localhost: database shop_1", socket: $my/mysqld.sock, privileges: [DELETE]}
END
    status_is 0
    is "$(grants)$(grants boss@localhost)" 'GRANT INSERT, DELETE ON `shop\_1`.*'
    run rhost undo last
    status_is 0
    is "$(sql 'SHOW GRANTS FOR app@localhost' | tail -n 1)" 'GRANT SELECT, INSERT ON `shop_1`.`orders` TO `app`@`localhost` WITH GRANT OPTION'
    is "$(grants boss@localhost)" 'GRANT INSERT ON `shop\_1`.*'
    # A grant option without any privilege.
    sql 'GRANT USAGE ON PROCEDURE shop_1.clean TO boss@localhost WITH GRANT OPTION; GRANT USAGE ON `shop\_1`.* TO app@localhost WITH GRANT OPTION'
    before=$(grants && grants boss@localhost)
    run apply <<END
resources:
  - {mysql_grant: "boss@localhost: procedure shop_1.clean", socket: $my/mysqld.sock, ensure: absent}
  - {mysql_grant: "app@localhost: database shop_1", socket: $my/mysqld.sock, privileges: [CREATE]}
END
    status_is 0
    run rhost undo last
    status_is 0
    is "$(grants && grants boss@localhost)" "$before"
}

@test "what is shown is a manifest that changes nothing" {
    sql 'GRANT SELECT ON shop_1.orders TO app@localhost WITH GRANT OPTION; GRANT ALL ON *.* TO boss@localhost'
    for title in 'app@localhost: table shop_1.orders' 'boss@localhost: global'; do
        rhost resource mysql_grant "$my/mysqld.sock: $title" --format=yaml >list.yaml
        grep -q SELECT list.yaml
        run rhost apply --detailed-exitcodes list.yaml
        status_is 0
    done
}

@test "faults: no server, account, table, column or routine, a privilege that the server lacks, no right, a read-only server" {
    run apply <<<"resources: [{mysql_grant: 'app: global', socket: $my/none.sock, privileges: [PROCESS]}]"
    status_is 4
    says 'No such file or directory'
    while IFS='|' read -r title privilege said; do
        grant "$title" run apply <<<"privileges: [$privilege]"
        status_is 4
        says "$said"
    done <<'END'
none: global|PROCESS|account 'none@%' does not exist
app@localhost: table shop_1.none|SELECT|table 'shop_1.none' does not exist
app@localhost: table none.orders|SELECT|table 'none.orders' does not exist
app@localhost: column shop_1.orders.none|SELECT|column 'shop_1.orders.none' does not exist
app@localhost: function shop_1.clean|EXECUTE|function 'shop_1.clean' does not exist
app@localhost: procedure shop_1.none|EXECUTE|procedure 'shop_1.none' does not exist
app@localhost: global|ROLE_ADMIN|which has no privilege 'ROLE_ADMIN'
app@localhost: global|FLY|the server is MariaDB
END
    is "$(grants)" ''
    sql "CREATE USER admin@localhost IDENTIFIED BY '$secret'; GRANT SELECT ON *.* TO admin@localhost"
    by_admin() {
        grant 'app@localhost: database shop_1' run apply <<END
privileges: [SELECT, DELETE]
login_user: admin
login_password: ${1-$secret}
END
        status_is 4
        says_not "$secret"
    }
    by_admin not-the-text
    says "Access denied for user 'admin'@'localhost' (using password: YES)"
    by_admin
    says "Access denied for user 'admin'@'localhost' to database 'shop\\_1'"
    sql 'GRANT SELECT, DELETE ON *.* TO admin@localhost WITH GRANT OPTION; SET GLOBAL read_only = 1'
    by_admin
    sql 'SET GLOBAL read_only = 0'
    says 'running with the --read-only option'
    is "$(grants)" ''
    sql 'ALTER USER admin@localhost ACCOUNT LOCK'
    by_admin
    says 'this account is locked'
}

@test "faults in the middle: a lock that stays, a connection that is closed" {
    session 'FLUSH TABLES WITH READ LOCK;'
    grant 'app@localhost: global' run apply <<'END'
privileges: [PROCESS]
timeout: 1
END
    status_is 4
    says 'timed out: the server did not complete the statement within 1 s'
    grant 'app@localhost: global' apply <<'END' >killed.out 2>&1 &
privileges: [PROCESS]
timeout: 20
END
    local applying=$!
    waiting="FROM information_schema.processlist WHERE user = 'root' AND info LIKE 'GRANT %'"
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
    is "$(grants)" ''
}

@test "mistakes are refused before anything is done" {
    while IFS='|' read -r title wanted said; do
        grant "$title" run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
app: database shop|privileges: [PROCESS]|a database has no privilege 'PROCESS'
app: table shop.t|privileges: [EXECUTE]|a table has no privilege 'EXECUTE'
app: column shop.t.c|privileges: [DELETE]|a column has no privilege 'DELETE'
app: column shop.t.c|privileges: [SELECT];grant_option: true|the grant option is on the table, not on a column
app: global|privileges: []|privileges
app: global|membership: inclusive|'privileges' is required; 'ensure: absent' revokes all
app: global|privileges: [GRANT OPTION]|'GRANT OPTION' is the attribute 'grant_option'
app: global|privileges: [USAGE]|'USAGE' cannot be stated here
app: global|privileges: [PROCESS];database: shop|'database' does not go with 'kind: global'
app: databases shop\_1|privileges: [SELECT]|use 'kind: database' with 'shop_1'
app@: global|privileges: [PROCESS]|'app@' has no host after the '@'
app: table orders|privileges: [SELECT]|no title pattern
END
}

@test "the example of the page works: # scratch example" {
    sql 'DROP DATABASE shop_1'
    page_example mysql_grant | converges
    is "$(grants shop@localhost | wc -l)" 3
}
