# SPDX-License-Identifier: Apache-2.0
# What the tests of remote_file share. Load it after lib.bash.
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_command python3
    mkdir www
    head -c 300000 <(base64 -w 0 /dev/urandom) >www/data
    echo hello >www/hello
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || :
}

# server.py with the folder www, and more arguments; $url is where it is.
serve() {
    : >ready
    rm -f port
    : >port.log
    python3 "$abs_top_srcdir/plugins/remote_file/server.py" "$work/www" "$work/port" "$@" >ready 2>/dev/null 3>&- &
    server=$!
    until [ -s ready ]; do
        kill -0 "$server"
        sleep 0.02
    done
    port=$(cat port)
    url=http://127.0.0.1:$port
}

# The resource of $work/f, whose attributes stand on standard input.
remote_file() {
    one "remote_file: $work/f" -- "$@"
}

# How many requests there were that jq selects so.
asked() {
    jq -c "select($1)" "$work/port.log" | wc -l
}

# It changes nothing, and says so.
stays() {
    remote_file run apply --detailed-exitcodes
    status_is 0
}

changes() {
    remote_file run apply --detailed-exitcodes
    status_is 2
}

# The folder, without what tests put there, and the file.
what_is_there() {
    find . -maxdepth 1 ! -name 'port*' | sort
    [ ! -e f ] || [ -d f ] || sha256sum f
}

# It fails with this message; the file, or that there is none, stays as it was, and nothing is beside it.
refuses() {
    local before
    before=$(what_is_there)
    remote_file run apply
    [ "$status" -ne 0 ]
    says "$1"
    is "$(what_is_there)" "$before"
}

sum_of() {
    "${2:-sha256}sum" "$1" | cut -d' ' -f1
}
