#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/mysql_user/server.bash"

secret=a-secret-text

setup() {
    work_open
    server_clean
}

# The database shop, whose other attributes stand on standard input.
database() {
    one "mysql_database: shop" "socket: $my/mysqld.sock" -- "$@"
}

has() {
    sql "SELECT default_character_set_name, default_collation_name, schema_comment FROM information_schema.schemata WHERE schema_name = '${1-shop}'"
}

# bats test_tags=inline
@test "a database is created with all that is wanted, and found so" {
    database converges <<'END'
character_set: utf8mb4
collation: utf8mb4_unicode_ci
comment: "the shop's"
END
    is "$(has)" $'utf8mb4\tutf8mb4_unicode_ci\tthe shop\'s'
}

@test "character set, collation and comment are changed, and what is not stated stays" {
    database converges <<<''
    database converges <<<'collation: latin1_bin'
    is "$(has)" $'latin1\tlatin1_bin\t'
    database converges <<<'comment: one'
    database converges <<<'character_set: utf8mb4'
    is "$(has)" $'utf8mb4\tutf8mb4_general_ci\tone'
    database converges <<'END'
character_set: latin1
collation: latin1_bin
END
    is "$(has)" $'latin1\tlatin1_bin\tone'
    database converges <<<"comment: ''"
    is "$(has)" $'latin1\tlatin1_bin\t'
}

@test "utf8 is utf8mb3, in capital letters too" {
    database converges <<'END'
character_set: UTF8
collation: utf8_general_ci
END
    database is_in_sync <<'END'
character_set: utf8mb3
collation: utf8mb3_general_ci
END
    is "$(has)" $'utf8mb3\tutf8mb3_general_ci\t'
}

@test "a database is removed with its data, and those of the server are not" {
    sql 'CREATE DATABASE shop; CREATE TABLE shop.t (n int)'
    database converges <<<'ensure: absent'
    one 'mysql_database: sys' "socket: $my/mysqld.sock" -- run apply <<<'character_set: utf8mb4'
    status_is 1
    says "the server needs the database 'sys' for itself"
    one 'mysql_database: mysql' "socket: $my/mysqld.sock" -- run apply <<<'ensure: absent'
    status_is 4
    says "the server needs the database 'mysql' for itself"
}

@test "noop says what would be done, and does nothing; undo takes back what was done" {
    database run apply --noop <<<'comment: one'
    status_is 0
    says '1 would change'
    is "$(has)" ''
    sql "CREATE DATABASE old COMMENT 'before'"
    run apply <<END
resources:
  - {mysql_database: shop, socket: $my/mysqld.sock}
  - {mysql_database: old, socket: $my/mysqld.sock, comment: after, character_set: utf8mb4}
END
    status_is 0
    run rhost undo last
    status_is 0
    is "$(has)" ''
    is "$(has old)" $'latin1\tlatin1_swedish_ci\tbefore'
}

@test "databases are listed, and the list is a manifest that changes nothing" {
    sql "CREATE DATABASE shop CHARACTER SET utf8mb4 COMMENT 'one'"
    rhost resource mysql_database "$my/mysqld.sock: shop" --format=yaml >list.yaml
    grep -q utf8mb4 list.yaml
    run rhost apply --detailed-exitcodes list.yaml
    status_is 0
}

@test "faults: no server, no right, an unknown character set or collation, a lock, a closed connection, a wrong name" {
    run apply <<<"resources: [{mysql_database: shop, socket: $my/none.sock}]"
    status_is 4
    says 'No such file or directory'
    # In a dry run, something earlier may start the server.
    run apply --noop <<<"resources: [{file: $work/f, content: x}, {mysql_database: shop, socket: $my/none.sock}]"
    status_is 0
    sql "CREATE USER admin@localhost IDENTIFIED BY '$secret'"
    database run apply <<END
login_user: admin
login_password: $secret
END
    status_is 4
    says "Access denied for user 'admin'@'localhost' to database 'shop'"
    database run apply <<<'character_set: klingon'
    status_is 4
    says 'character_set: the server refuses: Unknown character set'
    database run apply <<<'collation: utf8mb4_klingon_ci'
    status_is 4
    says 'collation: the server refuses: Unknown collation'
    is "$(has)" ''
    sql 'CREATE DATABASE shop; CREATE TABLE shop.t (n int) ENGINE=InnoDB; INSERT INTO shop.t VALUES (1)'
    session 'BEGIN; SELECT * FROM shop.t FOR UPDATE;'
    database run apply <<'END'
ensure: absent
timeout: 1
END
    status_is 4
    says 'Lock wait timeout exceeded'
    is "$(sql 'SELECT count(*) FROM shop.t')" 1
    database apply <<'END' >killed.out 2>&1 &
ensure: absent
timeout: 20
END
    local applying=$!
    waiting="FROM information_schema.processlist WHERE user = 'root' AND info LIKE 'DROP DATABASE%'"
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
    is "$(sql 'SELECT count(*) FROM shop.t')" 1
    database converges <<<'ensure: absent'
    one "mysql_database: 'größer 😀'" "socket: $my/mysqld.sock" -- run apply <<<''
    status_is 4
    says 'the server refuses: '
}

@test "a login that does not see a database does not find it absent" {
    local grant
    sql "CREATE DATABASE shop; CREATE USER admin@localhost IDENTIFIED BY '$secret'"
    by_admin() {
        database "$@" <<END
ensure: absent
login_user: admin
login_password: $secret
END
    }
    sql 'GRANT SELECT ON Shop.* TO admin@localhost'
    by_admin run apply
    status_is 4
    says "the login does not see whether 'shop' exists: that takes the privilege SHOW DATABASES"
    # These see it, and those that have no right to remove it are told of that.
    for grant in 'SHOW DATABASES ON *.*' 'SELECT ON shop.*'; do
        sql "GRANT $grant TO admin@localhost"
        by_admin run apply
        status_is 4
        says "Access denied for user 'admin'@'localhost' to database 'shop'"
        sql "REVOKE $grant FROM admin@localhost"
    done
    for grant in 'DROP ON *.*' 'DROP ON `sho_`.*'; do
        sql "GRANT $grant TO admin@localhost; CREATE DATABASE IF NOT EXISTS shop"
        by_admin converges
        sql "REVOKE $grant FROM admin@localhost"
    done
    sql 'GRANT SHOW DATABASES ON *.* TO admin@localhost'
    by_admin is_in_sync
}

@test "names are quoted, whatever is in them" {
    for name in 'x`; DROP DATABASE keep; --' "o'hara \\ x" 'Größe' 'a%s_b' shop Shop; do
        printf 'resources:\n  - mysql_database: one\n    name: %s\n    socket: %s\n    comment: %s\n' "$(jq -Rn --arg n "$name" '$n')" "$my/mysqld.sock" "\"it's \\\\x\"" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
    done
    is "$(has "o\\'hara \\\\ x" | cut -f3)" "it's \\x"
    is "$(sql "SHOW DATABASES" | wc -l)" 9
}

@test "mistakes are refused before anything is done" {
    while IFS='|' read -r wanted said; do
        database run apply < <(tr ';' '\n' <<<"$wanted")
        status_is 1
        says "$said"
    done <<'END'
name: "shop "|the name of a database cannot end with a space
character_set: utf8mb4;collation: latin1_bin|'latin1_bin' is not a collation of the character set 'utf8mb4'
character_set: utf8;collation: utf8mb4_bin|'utf8mb4_bin' is not a collation of the character set 'utf8mb3'
character_set: "x y"|character_set
host: db.example.org|'socket' and 'host' exclude each other
END
}

@test "the example of the page works: # scratch example" {
    page_example mysql_database | converges
    is "$(has)" $'utf8mb4\tutf8mb4_unicode_ci\torders and customers'
}
