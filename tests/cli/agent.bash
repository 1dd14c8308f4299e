# SPDX-License-Identifier: Apache-2.0
# What the tests of the agent share: a site, its keys, a source, and a server on loopback.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

agent_setup() {
    work_open
    [ -x "$abs_top_builddir/core/rhost-agent" ] || skip "built without libcrypto or libcurl"
    requires_command ssh-keygen
    # The user that speaks to the network must be able to read what file: names.
    shared=$(mktemp -d "${TMPDIR:-/tmp}/rhost-agent-XXXXXX")
    chmod 755 "$shared"
    www=$shared/www
    state=$BATS_TEST_TMPDIR/state
    mkdir -m 755 "$www"
    mkdir -m 700 "$state"
    mkdir site
    key release
    key rollout
    allow
    settings "source: file://$www"
}

agent_teardown() {
    server_stop
    [ -z "${shared:-}" ] || rm -rf "$shared"
}

key() {
    ssh-keygen -q -t ed25519 -N '' -C '' -f "$1"
}

# allow [OPTIONS]: those of the rollout key
allow() {
    printf 'ops namespaces="rhost-bundle" %s\nops namespaces="rhost-channel"%s %s\n' "$(cat release.pub)" "${1:-}" \
        "$(cat rollout.pub)" >signers
}

# settings LINE...
settings() {
    printf '%s\n' "$@" "signers: $PWD/signers" 'fetch_user: nobody' >agent.yaml
}

bundle() {
    "$abs_top_builddir/rhost" bundle "$@"
}

# revision N [CONTENT]: a bundle that makes a file, or (CONTENT "fail") fails
revision() {
    if [ "${2:-}" = fail ]; then
        printf 'resources:\n  - exec: "false"\n    command: "false"\n' >site/site.yaml
    else
        printf 'resources:\n  - file: %s/made\n    content: "%s"\n' "$work" "${2:-revision $1}" >site/site.yaml
    fi
    bundle make --state-dir "$state" --revision="$1" -o "$www" site >/dev/null 2>&1
    bundle sign "$www/r$1.json" --key=release
    chmod 644 "$www"/*
}

channel() {
    bundle channel --signers=signers --key=rollout "$www" "$@" >/dev/null
}

agent() {
    "$abs_top_builddir/rhost" agent --state-dir "$state" "$@"
}

cycle() {
    run agent --settings="$PWD/agent.yaml" --once "$@"
}

made() {
    is "$(cat made 2>/dev/null)" "$1"
}

# The memory of the agent: an expression over it.
remembers() {
    agent status --format=json >memory.json
    json_is memory.json "$1" "$2"
}

# What the reports in the spool say, oldest first: "STATUS REVISION".
spool() {
    python3 - "$state-agent/spool" <<'END'
import glob, json, sys
print("; ".join("%s %s" % (d["status"], d.get("revision")) for d in
                (json.load(open(p)) for p in sorted(glob.glob(sys.argv[1] + "/0*.json")))))
END
}

spool_is() {
    is "$(spool)" "$1"
}

server_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

server_ca() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -days 30 \
        -subj '/CN=test CA' 2>/dev/null
    server_certificate server localhost
    server_certificate client "$(uname -n)"
}

# server_certificate FILE NAME
server_certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$2" 2>/dev/null
    printf 'subjectAltName=DNS:localhost\n' >extensions
    openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions -out "$1.pem" 2>/dev/null
    rm "$1.csr" extensions
}

# server_start [LINE...]: nginx with TLS; lines of its configuration for the server
server_start() {
    command -v nginx >/dev/null || PATH=$PATH:/usr/sbin
    requires_command nginx
    requires_command openssl
    [ -e ca.pem ] || server_ca
    port=${port:-$(server_port)}
    mkdir -p "$shared/nginx" "$shared/reports"
    chmod 777 "$shared/reports" "$shared/nginx"
    chmod 755 .
    {
        echo "daemon off; pid $shared/nginx/pid; error_log $shared/nginx/error.log; worker_processes 1;"
        echo 'events { worker_connections 64; }'
        echo "http { access_log $shared/nginx/access.log; client_body_temp_path $shared/nginx/body;"
        echo "proxy_temp_path $shared/nginx/p; fastcgi_temp_path $shared/nginx/f; uwsgi_temp_path $shared/nginx/u; scgi_temp_path $shared/nginx/s;"
        sed -n '/^    map /,/^    }/p' "$abs_top_srcdir/docs/guides/collect.md"
        echo "server { listen 127.0.0.1:$port ssl; ssl_certificate $PWD/server.pem; ssl_certificate_key $PWD/server.key;"
        echo "ssl_client_certificate $PWD/ca.pem; ssl_verify_client optional; root $www;"
        # The location of docs/guides/collect.md.
        sed -n '/^        location ~ .*reports/,/^        }/p' "$abs_top_srcdir/docs/guides/collect.md" |
            sed "s|/srv/reports/.incoming|$shared/nginx/body|; s|/srv|$shared|"
        printf '%s\n' "$@"
        echo '} }'
    } >nginx.conf
    nginx -c "$PWD/nginx.conf" -p "$shared/nginx" 2>nginx.err &
    server=$!
    for ((i = 0; i < 200; i++)); do
        (exec 7<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        sleep 0.05
    done
    cat nginx.err
    return 1
}

server_stop() {
    [ -n "${server:-}" ] || return 0
    kill "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :
    server=
}

# settings for the server
server_settings() {
    settings "source: https://localhost:$port" "ca: $PWD/ca.pem" "certificate: $PWD/client.pem" "key: $PWD/client.key" "$@"
}
