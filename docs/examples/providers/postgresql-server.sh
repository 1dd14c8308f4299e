#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A PostgreSQL server for tests, which runs until SIGTERM, in a directory of its own that goes with it:
#
#   postgresql-server.sh LINK [CLUSTER]    LINK leads to the directory, which has its socket and its log
#   postgresql-server.sh --make CLUSTER    makes what a server begins with, which takes a second or two
#
# It trusts everybody on this machine, but wants a password of the role 'keeper'. Root runs it as nobody.
set -eu
bin=$(pg_config --bindir)

as_user() {
    if [ "$(id -u)" = 0 ]; then
        set -- setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@"
    fi
    exec "$@"
}

give() {
    if [ "$(id -u)" = 0 ]; then
        chown nobody:nogroup "$@"
    fi
}

# A directory that every user can reach, and short enough for the path of a socket.
home=$(mktemp -d /tmp/pg.XXXXXX)
server=
trap '[ -z "$server" ] || kill -QUIT "$server" 2>/dev/null || :; wait; rm -rf "$home"; [ ! -L "$1" ] || rm "$1"' EXIT
trap 'exit 0' TERM INT
give "$home"
cd "$home"
if [ -d "${2-}" ] && [ "$1" != --make ]; then
    cp -Rp "$2" data
else
    (as_user "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C.UTF-8 -N --wal-segsize=1 >/dev/null)
    printf 'local all keeper scram-sha-256\nlocal all all trust\n' >data/pg_hba.conf
fi
if [ "$1" = --make ]; then
    cp -Rp data "$2"
    exit
fi
ln -s "$home" "$1"
(as_user "$bin/postgres" -D data -F -k "$home" -c dynamic_shared_memory_type=mmap -c listen_addresses= -c log_statement=all -c log_connections=on) >log 2>&1 &
server=$!
until [ -S .s.PGSQL.5432 ] && pg_isready -q -h "$home"; do
    kill -0 "$server" || { cat log >&2; exit 1; }
    sleep 0.05
done
echo ready
wait "$server"
