# SPDX-License-Identifier: Apache-2.0
# A fleet on this machine: nginx, nats-server and PostgreSQL on loopback, with the configuration of packaging/, and agents that
# have names and machine ids of their own. For the demo and the trial; $fleet is the directory of all of it.

top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
build=${abs_top_builddir:-$top/build}
rhost=$build/rhost
PATH=$PATH:/usr/sbin
declare -A pid_of=()

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

wait_for_port() {
    local i
    for ((i = 0; i < 200; i++)); do
        (exec 7<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.05
    done
    echo "nothing listens on port $1" >&2
    return 1
}

# until_true SECONDS COMMAND...
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || { echo "not in time: $*" >&2; return 1; }
        sleep 0.2
    done
}

# start NAME COMMAND...: in the background, its output to $fleet/log/NAME
start() {
    local name=$1
    shift
    "$@" >>"$fleet/log/$name" 2>&1 </dev/null 3>&- &
    pid_of[$name]=$!
}

# stop NAME [SIGNAL]
stop() {
    local pid=${pid_of[$1]-}
    [ -n "$pid" ] || return 0
    kill -"${2-TERM}" "$pid" 2>/dev/null || :
    wait "$pid" 2>/dev/null || :
    unset "pid_of[$1]"
}

as_server() {
    (cd / && setpriv --reuid=nobody --regid="$(id -gn nobody)" --clear-groups "$@" 3>&-)
}

fleet_open() {
    fleet=$(mktemp -d "${TMPDIR:-/tmp}/rhost-fleet-XXXXXX")
    chmod 755 "$fleet"
    mkdir -p "$fleet"/{log,srv/www/site,srv/reports/.incoming,hosts,id,agents,site,out,nginx/tmp,nats}
    chown nobody "$fleet"/srv/reports "$fleet"/srv/reports/.incoming "$fleet"/nginx/tmp
    www=$fleet/srv/www/site
    https_port=$(free_port)
    nats_port=$(free_port)
    nats=tls://localhost:$nats_port
    keys
}

keys() {
    local name
    for name in release rollout; do
        ssh-keygen -q -t ed25519 -N '' -C '' -f "$fleet/$name"
    done
    printf 'release namespaces="rhost-bundle" %s\nrollout namespaces="rhost-channel" %s\n' \
        "$(cat "$fleet/release.pub")" "$(cat "$fleet/rollout.pub")" >"$fleet/signers"
    "$rhost" fleet authority "$fleet/ca"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$fleet/server.key" -out "$fleet/server.pem" \
        -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
    for name in operator collector; do
        "$rhost" fleet enrol "$name" --ca="$fleet/ca" -o "$fleet/id" >/dev/null
    done
    printf '    { user: "%s", permissions: { %s } }\n' operator 'publish: "rhost.hint", subscribe: { deny: ">" }' \
        collector 'publish: "_INBOX.>", subscribe: "rhost.report.>"' >"$fleet/nats/users"
}

# The servers, as packaging/ configures them.

nginx_start() {
    {
        echo "daemon off; user nobody $(id -gn nobody); pid $fleet/nginx/pid; error_log $fleet/log/nginx.error; worker_processes 1;"
        echo "events { worker_connections 2048; } http { access_log off; client_body_temp_path $fleet/nginx/tmp;"
        echo "proxy_temp_path $fleet/nginx/p; fastcgi_temp_path $fleet/nginx/f; uwsgi_temp_path $fleet/nginx/u; scgi_temp_path $fleet/nginx/s;"
        sed "s|listen 443 ssl|listen 127.0.0.1:$https_port ssl|; s|/etc/nginx/server|$fleet/server|; s|/etc/nginx/machines-ca|$fleet/ca/ca|
            s|/etc/nginx/machines-crl|$fleet/ca/crl|; s|/srv|$fleet/srv|" "$top/packaging/nginx/rhost.conf"
        echo '}'
    } >"$fleet/nginx/nginx.conf"
    start nginx nginx -c "$fleet/nginx/nginx.conf" -p "$fleet/nginx"
    wait_for_port "$https_port"
}

nats_start() {
    { echo 'users: ['; cat "$fleet/nats/users"; echo ']'; } >"$fleet/nats/machines.conf"
    sed "s|^port: .*|listen: \"127.0.0.1:$nats_port\"|; /^http:/d; s|/etc/nats/server|$fleet/server|; s|/etc/nats/machines-ca|$fleet/ca/ca|" \
        "$top/packaging/nats/nats-server.conf" >"$fleet/nats/nats-server.conf"
    start nats nats-server -c "$fleet/nats/nats-server.conf"
    wait_for_port "$nats_port"
    [ -z "${pid_of[receive]-}" ] || return 0
    start receive "$build/core/rhost-nats" --ca="$fleet/server.pem" --certificate="$fleet/id/collector.pem" \
        --key="$fleet/id/collector.key" -- receive "$nats" "$fleet/srv/reports"
}

postgresql_start() {
    local directory
    for directory in /usr/lib/postgresql/*/bin; do
        [ -x "$directory/initdb" ] && pg_bin=$directory
    done
    if [ ! -d "$fleet/pg" ]; then
        install -d -o nobody "$fleet/pg"
        as_server "$pg_bin/initdb" -D "$fleet/pg/data" -A trust -U postgres --no-sync >/dev/null
    fi
    start postgresql as_server "$pg_bin/postgres" -D "$fleet/pg/data" -k "$fleet/pg" -h '' -c dynamic_shared_memory_type=mmap
    until_true 30 pg_isready -q -h "$fleet/pg"
    [ -e "$fleet/pg/ready" ] || psql -X -q -h "$fleet/pg" -U postgres -f "$top/packaging/postgresql/fleet.sql" -d postgres
    touch "$fleet/pg/ready"
    database="postgresql:///fleet?host=$fleet/pg&user=rhost-collect"
}

# postgresql_stop [SIGNAL]: QUIT is as if the power went
postgresql_stop() {
    local postmaster
    read -r postmaster <"$fleet/pg/data/postmaster.pid" 2>/dev/null || return 0
    kill -"${1-INT}" "$postmaster" 2>/dev/null || :
    until_true 20 eval "! kill -0 $postmaster 2>/dev/null" || :
    stop postgresql KILL
}

collector_start() {
    start collector "$rhost" collect --watch --from="dir:$fleet/srv/reports" --to="$database" --revoked="$fleet/ca/revoked" --quiet
    until_true 30 "$rhost" fleet status --db="$database" >/dev/null 2>&1
}

# What a machine is: a certificate, a line for the broker, a name, an id and settings.

# enrol NAME [SETTING...]
enrol() {
    local name=$1
    shift
    "$rhost" fleet enrol "$name" --ca="$fleet/ca" -o "$fleet/id" >/dev/null
    printf '    { user: "%s", permissions: { publish: "rhost.report.%s", subscribe: ["rhost.hint", "_INBOX.%s.>"] } }\n' "$name" "$name" "$name" \
        >>"$fleet/nats/users"
    mkdir -p "$fleet/hosts/$name"
    printf '%s' "$name" | md5sum | cut -c1-32 >"$fleet/id/$name.id"
    printf '%s\n' "source: https://localhost:$https_port/site" "signers: $fleet/signers" "ca: $fleet/server.pem" \
        "certificate: $fleet/id/$name.pem" "key: $fleet/id/$name.key" 'fetch_user: nobody' "$@" >"$fleet/agents/$name.yaml"
}

agent_start() {
    start "$1" unshare --uts --mount -- sh -c 'hostname "$1"; mount --bind "$2" /etc/machine-id; shift 2; exec "$@"' - "$1" "$fleet/id/$1.id" \
        "$rhost" agent --state-dir "$fleet/agents/$1" --settings="$fleet/agents/$1.yaml"
}

# A simulated machine has an id of its own, as one without /etc/machine-id: only its name needs a namespace. Its agent is the real
# one, with all that it gets and sends; tests/fleet/simulated-apply.c stands in for the run, and makes the id here.
simulated_agents() {
    unshare --mount -- sh -euc 'mount --bind /dev/null /etc/machine-id
        apply=$1 agents=$2
        shift 2
        for name; do
            mkdir -m 700 "$agents/$name"
            "$apply" --state-dir="$agents/$name" --report="$agents/$name/none" bundles/r0.json
            rm "$agents/$name/none" "$agents/$name/sequence"
        done' - "$build/tests/fleet/simulated-apply" "$fleet/agents" "$@"
}

# simulated MODE [ARGUMENT...]: tests/fleet/agents.py, where this machine has no id
simulated() {
    local mode=$1
    shift
    unshare --mount -- sh -c 'mount --bind /dev/null /etc/machine-id; exec "$@"' - \
        python3 "$top/tests/fleet/agents.py" "$mode" "$fleet" "$build/core/rhost-agent" "$build/tests/fleet/simulated-apply" "$@"
}

# The numbers of runs that all machines have given out, which is how many reports there have to be.
runs_made() {
    cat "$fleet"/agents/*/sequence | awk '{ n += $1 } END { print n + 0 }'
}

spools_are_empty() {
    [ -z "$(find "$fleet"/agents/*-agent/spool -name '0*.json' 2>/dev/null | head -1)" ] \
        && [ -z "$(find "$fleet/srv/reports" -name '*.json' -not -path '*/.quarantine/*' | head -1)" ]
}

# revision NUMBER [CONTENT]: of the site; each host writes a file, and fails where it has one that is called "broken-NUMBER"
revision() {
    cat >"$fleet/site/site.yaml" <<END
resources:
  - file: $fleet/hosts/\${node.hostname}/motd
    content: "revision $1${2+, $2}\n"
  - exec: check revision $1
    command: "test ! -e $fleet/hosts/\${node.hostname}/broken-$1"
    only_if: "test -e $fleet/hosts/\${node.hostname}/broken-$1"
END
    "$rhost" bundle make --state-dir "$fleet/state" --revision="$1" -o "$fleet/out" "$fleet/site" >/dev/null
    "$rhost" bundle sign "$fleet/out/r$1.json" --key="$fleet/release" 2>/dev/null
    "$rhost" bundle publish "$fleet/out/r$1.json" "$www" --signers="$fleet/signers" >/dev/null
}

# rollout VERB [OPTION...]
rollout() {
    local verb=$1 options=()
    shift
    case $verb in
    run | resume | stop) options=(--key="$fleet/rollout" --db="$database" --hint="$nats") ;;
    rollback) options=(--key="$fleet/rollout" --hint="$nats") ;;
    show) options=(--db="$database") ;;
    esac
    case $verb in
    run | resume | stop | rollback)
        options+=(--tls-ca="$fleet/server.pem" --tls-certificate="$fleet/id/operator.pem" --tls-key="$fleet/id/operator.key")
        ;;
    esac
    "$rhost" fleet "$verb" "$www" --signers="$fleet/signers" "${options[@]}" "$@"
}

# query SQL
query() {
    psql -X -q -A -t -h "$fleet/pg" -U postgres -d fleet -c "$1"
}

fleet_close() {
    local name
    for name in "${!pid_of[@]}"; do
        [ "$name" = postgresql ] || kill "${pid_of[$name]}" 2>/dev/null || :
    done
    for name in "${!pid_of[@]}"; do
        [ "$name" = postgresql ] || { wait "${pid_of[$name]}" 2>/dev/null || :; }
    done
    [ ! -e "$fleet/pg/data/postmaster.pid" ] || postgresql_stop QUIT
    [ -n "${keep-}" ] || rm -rf "$fleet"
}
