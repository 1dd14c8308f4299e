#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A PostgreSQL server for tests, which runs until SIGTERM, in a directory of its own that goes with it:
#
#   server.sh LINK              LINK leads to the directory, which has its socket and its log; if LINK is a directory,
#                               the socket is in that
#   server.sh --make CLUSTER    makes what a server begins with
#   server.sh --prepare DIR     makes DIR for a socket; the server of DIR begins with what PG_CLUSTER has, if it is set
#
# It has a socket and no port. 'postgres' logs in as the user of that name, where root runs it; 'tester', a superuser, is
# trusted; all others need a password.
set -eu
for bin in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/bin; do
    [ ! -x "$bin/initdb" ] || break
done

as_user() {
    if [ "$(id -u)" = 0 ]; then
        set -- setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"
    fi
    exec "$@"
}

if [ "$1" = --prepare ]; then
    mkdir -p -m 755 "$2"
    [ -z "${PG_CLUSTER-}" ] || ln -s "$PG_CLUSTER" "$2/cluster"
    exit
fi
# A directory that every user can reach, and short enough for the path of a socket; in memory, where that can be.
home=$(mktemp -d /dev/shm/pg-XXXXXX 2>/dev/null) || home=$(mktemp -d /tmp/pg-XXXXXX)
server=
trap '[ -z "$server" ] || kill -QUIT "$server" 2>/dev/null || :; wait; rm -rf "$home"; [ ! -L "$1" ] || rm "$1"' EXIT
trap 'exit 0' TERM INT
chmod 755 "$home"
peer=trust
if [ "$(id -u)" = 0 ]; then
    chown postgres: "$home"
    peer=peer
fi
cd "$home"
if [ -d "$1/cluster" ]; then
    cp -Rp "$1/cluster/." data
else
    (as_user "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N --wal-segsize=1 >/dev/null)
    printf 'CREATE ROLE tester SUPERUSER LOGIN;\n' |
        (as_user "$bin/postgres" --single -D data -F postgres >/dev/null)
    printf 'local all postgres %s\nlocal all tester trust\nlocal all all scram-sha-256\n' "$peer" >data/pg_hba.conf
fi
if [ "$1" = --make ]; then
    cp -Rp data "$2"
    exit
fi
if [ -d "$1" ]; then
    sockets=$1
    [ "$(id -u)" != 0 ] || chown postgres: "$sockets"
else
    sockets=$home
    ln -s "$home" "$1"
fi
(as_user "$bin/postgres" -D data -F -k "$sockets" -c dynamic_shared_memory_type=mmap -c listen_addresses= -c log_statement=all -c log_connections=on \
    -c autovacuum=off -c shared_buffers=1MB -c max_connections=30 -c max_wal_senders=0 -c max_logical_replication_workers=0) >>log 2>&1 &
server=$!
until "$bin/pg_isready" -q -h "$sockets"; do
    kill -0 "$server" || { cat log >&2; exit 1; }
    sleep 0.05
done
echo "$server" >server.pid
echo ready
wait "$server"
