#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A MariaDB server for tests, which runs until SIGTERM, in a directory of its own that goes with it:
#
#   server.sh LINK [OPTION...]  LINK leads to the directory, which has its socket and its log; if LINK is a directory,
#                               the socket is in that
#   server.sh --make DATA       makes what a server begins with
#   server.sh --prepare DIR     makes DIR for a socket, with what its server begins with
#
# A server begins with what MYSQL_DATA has, if it is set.
#
# 'root' logs in as the user of that name, where root runs it, and without a password elsewhere; 'tester' may do all, and
# has no password; 'keeper' and 'reader' may do nothing.
set -eu
PATH=$PATH:/usr/sbin:/usr/libexec

as_user() {
    if [ "$(id -u)" = 0 ]; then
        set -- setpriv --reuid=mysql --regid=mysql --clear-groups -- "$@"
    fi
    exec "$@"
}

# Temporary tables are in its own directory: their names have the number of the process, which is the same in each namespace.
small='--tmpdir=. --innodb-buffer-pool-size=8M --innodb-autoextend-increment=1 --innodb-log-file-size=4M --innodb-data-file-path=ibdata1:2M:autoextend
    --innodb-temp-data-file-path=ibtmp1:2M:autoextend --skip-innodb-doublewrite --innodb-flush-log-at-trx-commit=0
    --innodb-buffer-pool-dump-at-shutdown=0 --innodb-buffer-pool-load-at-startup=0 --innodb-read-io-threads=1
    --innodb-write-io-threads=1 --innodb-purge-threads=1 --innodb-fast-shutdown=2 --innodb-flush-method=nosync
    --aria-pagecache-buffer-size=1M --key-buffer-size=64K --performance-schema=0 --skip-log-bin'

if [ "$1" = --prepare ]; then
    mkdir -p -m 755 "$2"
    [ -z "${MYSQL_DATA-}" ] || ln -s "$MYSQL_DATA" "$2/data"
    exit
fi
# A directory that every user can reach, and short enough for the path of a socket; in memory, where that can be.
home=$(mktemp -d /dev/shm/my-XXXXXX 2>/dev/null) || home=$(mktemp -d /tmp/my-XXXXXX)
link=$1
server=
trap '[ -z "$server" ] || kill -KILL "$server" 2>/dev/null || :; wait; rm -rf "$home"; [ ! -L "$link" ] || rm "$link"' EXIT
trap 'exit 0' TERM INT
chmod 755 "$home"
[ "$(id -u)" != 0 ] || chown mysql: "$home"
cd "$home"
[ ! -d "$link/data" ] || MYSQL_DATA=$link/data
if [ "$link" != --make ] && [ -n "${MYSQL_DATA-}" ]; then
    cp -Rp "$MYSQL_DATA/." data
else
    root=" IDENTIFIED VIA unix_socket"
    [ "$(id -u)" = 0 ] || root=
    # shellcheck disable=SC2086 # words
    (as_user mariadb-install-db --no-defaults --datadir="$home/data" --auth-root-authentication-method=normal --skip-test-db \
        --skip-name-resolve --aria-log-file-size=8M $small >install.log 2>&1) || { cat install.log >&2; exit 1; }
    rm -rf data/sys
    # shellcheck disable=SC2086 # words
    printf '%s;\n' 'FLUSH PRIVILEGES' "DELETE FROM mysql.global_priv WHERE User NOT IN ('root', 'mariadb.sys') OR Host <> 'localhost'" \
        'FLUSH PRIVILEGES' "CREATE USER tester@localhost, keeper@localhost, reader@localhost, reader" 'GRANT ALL ON *.* TO tester@localhost WITH GRANT OPTION' \
        "ALTER USER root@localhost${root:- IDENTIFIED BY \'\'}" |
        (as_user mariadbd --no-defaults --bootstrap --datadir="$home/data" $small >>install.log 2>&1) || { cat install.log >&2; exit 1; }
fi
if [ "$link" = --make ]; then
    cp -Rp data "$2"
    exit
fi
if [ -d "$link" ]; then
    socket=$link/mysqld.sock
    [ "$(id -u)" != 0 ] || chown mysql: "$link"
else
    socket=$home/mysqld.sock
    ln -s "$home" "$link"
fi
shift
# shellcheck disable=SC2086 # words
(as_user mariadbd --no-defaults --datadir="$home/data" --socket="$socket" --pid-file="$home/pid" $small --skip-networking \
    --general-log=1 --general-log-file="$home/log" --max-connections=20 --thread-cache-size=0 "$@") >error.log 2>&1 &
server=$!
until [ -S "$socket" ] && mariadb-admin --no-defaults -S "$socket" -u tester ping >/dev/null 2>&1; do
    kill -0 "$server" || { cat error.log >&2; exit 1; }
    sleep 0.05
done
echo "$server" >server.pid
echo ready
wait "$server"
