#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the git of the machine, on repositories of the test and on servers on loopback.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_command git
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    mkdir srv
    servers=()
    git init -q -b main remote
    commit one
    git -C remote tag v1
    git -C remote tag -m two v1.annotated
    commit two
    git -C remote branch other v1
}

teardown() {
    local pid

    for pid in "${servers[@]}"; do kill "$pid" || true; done
}

# A commit in the remote, in which the file "conf" has this line.
commit() {
    echo "$1" >remote/conf
    git -C remote add conf
    git -C remote commit -q -m "$1" "${@:2}"
}

# The clone srv/app, whose other attributes stand on standard input.
app() {
    one "git: $work/srv/app" -- "$@"
}

from_remote() {
    app "$@" <<<"source: $work/remote"
}

head_of() {
    git -C "$1" rev-parse "${2:-HEAD}"
}

nothing_is_there() {
    is "$(ls -A srv)" ''
}

# Waits until somebody listens on a port of this machine.
wait_for_port() {
    local i

    for ((i = 0; i < 100; i++)); do
        (: <>"/dev/tcp/127.0.0.1/$1") 2>>ports && return
        sleep 0.1
    done
    return 1
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

serve_git() {
    port=$(free_port)
    git daemon --reuseaddr --listen=127.0.0.1 --port="$port" --export-all --base-path="$work" "$work" 3>&- >>daemon 2>&1 &
    servers+=($!)
    wait_for_port "$port"
}

# bats test_tags=inline
@test "a clone is made, and left alone once it is at the revision" {
    from_remote converges
    is "$(cat srv/app/conf)" two
    is "$(head_of srv/app)" "$(head_of remote)"
    is "$(git -C srv/app symbolic-ref --short HEAD)" main
    is "$(git -C srv/app status --porcelain --branch)" '## main...origin/main'
    is "$(ls -A srv)" app
    is "$(mode_of srv/app)" 755
    run rhost resource git "$work/srv/app"
    says "$(head_of remote)"
    says "source: $work/remote"
}

@test "a branch that moves is followed, and with update: false it is not" {
    from_remote converges
    commit three
    app is_in_sync <<END
source: $work/remote
update: false
END
    from_remote run apply --noop
    status_is 0
    says "$(head_of srv/app) → HEAD"
    is "$(cat srv/app/conf)" two
    from_remote converges
    is "$(cat srv/app/conf)" three
}

@test "a history that was written anew is followed, since nothing of it was local" {
    from_remote converges
    git -C remote reset -q --hard v1
    commit other
    from_remote converges
    is "$(cat srv/app/conf)" other
    is "$(head_of srv/app)" "$(head_of remote)"
    # What a run that was killed behind its fetch leaves: no remote branch has the commit any more.
    git -C remote reset -q --hard v1
    commit again
    git -C srv/app fetch -q --prune
    from_remote converges
    is "$(cat srv/app/conf)" again
}

@test "branches, tags and commits are checked out" {
    for revision in other v1 v1.annotated "$(head_of remote v1)" refs/heads/other; do
        app converges <<END
source: $work/remote
revision: $revision
END
        is "$(head_of srv/app)" "$(head_of remote "$revision^{commit}")"
        app converges <<END
source: $work/remote
revision: main
END
        is "$(git -C srv/app symbolic-ref --short HEAD)" main
    done
}

@test "a tag that moves is followed, and with update: false it is not" {
    tagged() {
        app "$@" <<END
source: $work/remote
revision: v1
update: ${update-true}
END
    }
    tagged converges
    git -C remote tag -f v1 main
    update=false tagged is_in_sync
    is "$(cat srv/app/conf)" one
    tagged converges
    is "$(cat srv/app/conf)" two
    is "$(head_of srv/app v1)" "$(head_of remote v1)"
}

@test "what is not in the remote is named, by a dry run as well" {
    for option in --noop --detailed-exitcodes; do
        app run apply $option <<END
source: $work/remote
revision: nothing
END
        [ "$status" -ne 0 ]
        says "has no branch and no tag 'nothing'"
        app run apply $option <<END
source: file://$work/missing
END
        [ "$status" -ne 0 ]
        says "$work/missing"
    done
    app run apply <<END
source: $work/remote
revision: 0123456789012345678901234567890123456789
END
    status_is 4
    says 'the remote has no commit 0123456789012345678901234567890123456789'
    git init -q empty
    app run apply <<<"source: $work/empty"
    status_is 4
    says 'has no default branch, or no commit on it'
    nothing_is_there
}

@test "a dry run foresees a remote that the manifest makes" {
    app run apply --noop <<END
source: $work/srv/mirror

  - git: $work/srv/mirror
    source: $work/remote
    bare: true
END
    status_is 0
    app converges <<END
source: $work/srv/mirror

  - git: $work/srv/mirror
    source: $work/remote
    bare: true
END
    is "$(cat srv/app/conf)" two
    is "$(git -C srv/mirror rev-parse --is-bare-repository)" true
}

@test "a bare repository follows its branch" {
    app converges <<END
source: $work/remote
bare: true
END
    commit three
    app converges <<END
source: $work/remote
bare: true
END
    is "$(head_of srv/app main)" "$(head_of remote)"
    [ ! -e srv/app/conf ]
}

@test "local changes are kept and refused, or discarded" {
    from_remote converges
    echo mine >srv/app/conf
    echo mine >srv/app/new
    from_remote is_in_sync
    commit three
    from_remote run apply
    status_is 4
    says "local_changes: '$work/srv/app' has local changes, such as in 'conf'"
    is "$(cat srv/app/conf)" mine
    app converges <<END
source: $work/remote
local_changes: discard
END
    is "$(cat srv/app/conf srv/app/new)" "$(printf 'three\nmine')"
    echo mine >srv/app/conf
    app converges <<END
source: $work/remote
local_changes: discard
END
    is "$(cat srv/app/conf)" three
}

@test "files in the way are kept, ignored ones too, or discarded" {
    from_remote converges
    echo kept >srv/app/more
    mkdir -p srv/app/.git/info
    echo secret >srv/app/.git/info/exclude
    echo kept >srv/app/secret
    for name in secret more; do
        echo theirs >remote/$name
        git -C remote add $name
        git -C remote commit -q -m $name
        from_remote run apply
        status_is 4
        says 'untracked working tree files would be overwritten'
        is "$(cat srv/app/$name)" kept
    done
    is "$(git -C srv/app rev-parse HEAD)" "$(head_of remote HEAD~2)"
    app converges <<END
source: $work/remote
local_changes: discard
END
    is "$(cat srv/app/more)" theirs
}

@test "local commits are kept and refused until the remote has them, or discarded" {
    from_remote converges
    echo mine >srv/app/conf
    git -C srv/app commit -q -a -m mine
    mine=$(head_of srv/app)
    from_remote run apply
    status_is 4
    says "has commits that are not in the remote"
    is "$(head_of srv/app)" "$mine"
    git -C srv/app push -q origin HEAD:refs/heads/theirs
    from_remote converges
    is "$(cat srv/app/conf)" two
    git -C srv/app branch -f main "$(git -C srv/app commit-tree -m again 'HEAD^{tree}')" 2>>errors || git -C srv/app commit -q --allow-empty -m again
    app converges <<END
source: $work/remote
local_changes: discard
END
    is "$(head_of srv/app)" "$(head_of remote)"
}

@test "a detached head is brought back to its branch" {
    from_remote converges
    git -C srv/app checkout -q --detach
    app converges <<END
source: $work/remote
revision: main
END
    is "$(git -C srv/app symbolic-ref --short HEAD)" main
}

@test "with a depth, so many commits of one branch are fetched" {
    commit three
    app converges <<END
source: file://$work/remote
depth: 1
END
    is "$(git -C srv/app rev-list --count HEAD)" 1
    is "$(git -C srv/app branch -r)" '  origin/main'
    commit four
    app converges <<END
source: file://$work/remote
depth: 1
END
    is "$(cat srv/app/conf)" four
    app converges <<END
source: file://$work/remote
depth: 1
revision: $(head_of remote v1)
END
    is "$(cat srv/app/conf)" one
}

@test "another remote and another name of it" {
    from_remote converges
    git clone -q --bare remote second.git
    commit three
    app converges <<<"source: $work/second.git"
    is "$(git -C srv/app config remote.origin.url)" "$work/second.git"
    is "$(cat srv/app/conf)" two
    app converges <<END
source: $work/remote
remote: upstream
END
    is "$(git -C srv/app config remote.upstream.url)" "$work/remote"
    is "$(cat srv/app/conf)" three
}

@test "submodules are checked out, and follow the tree" {
    git init -q -b main sub
    (cd sub && echo sub >file && git add file && git commit -q -m sub)
    git -C remote -c protocol.file.allow=always submodule --quiet add "$work/sub" lib
    git -C remote commit -q -m lib
    from_remote converges
    [ ! -e srv/app/lib/file ]
    app converges <<END
source: $work/remote
submodules: true
END
    is "$(cat srv/app/lib/file)" sub
    (cd sub && echo more >file && git commit -q -a -m more)
    git -C remote/lib pull -q
    git -C remote commit -q -a -m lib
    app converges <<END
source: $work/remote
submodules: true
END
    is "$(cat srv/app/lib/file)" more
    rm -rf srv/app
    app converges <<END
source: $work/remote
submodules: true
depth: 1
END
    is "$(cat srv/app/lib/file)" more
}

@test "signatures by SSH: missing, wrong and good" {
    ssh-keygen -q -t ed25519 -N '' -f good
    ssh-keygen -q -t ed25519 -N '' -f bad
    echo "a@b $(cat good.pub)" >signers
    signed() {
        app "$@" <<END
source: $work/remote
signatures: required
allowed_signers: $work/signers
revision: ${revision:-main}
END
    }
    git -C remote config gpg.format ssh
    signed run apply
    status_is 4
    says "has no good signature"
    nothing_is_there
    git -C remote config user.signingkey "$work/bad"
    commit three -S
    signed run apply
    status_is 4
    says "has no good signature"
    nothing_is_there
    git -C remote config user.signingkey "$work/good"
    commit four -S
    signed converges
    is "$(cat srv/app/conf)" four
    commit five
    signed run apply
    status_is 4
    says "commit $(head_of remote) has no good signature"
    is "$(cat srv/app/conf)" four
    git -C remote tag -s -m v2 v2
    revision=v2 signed converges
    is "$(cat srv/app/conf)" five
    revision=v1.annotated signed run apply
    status_is 4
    says "tag 'v1.annotated' has no good signature"
    is "$(cat srv/app/conf)" five
}

@test "what is no repository, or belongs to one, is refused" {
    mkdir srv/app
    app is_in_sync <<<'ensure: absent'
    from_remote converges
    rm -rf srv/app
    mkdir srv/app
    echo mine >srv/app/file
    for ensure in present absent; do
        app run apply <<END
source: $work/remote
ensure: $ensure
END
        status_is 4
        says "'$work/srv/app' is not empty, and it is not a git repository"
    done
    is "$(cat srv/app/file)" mine
    rm -rf srv/app
    git -C remote worktree add -q "$work/srv/app" other
    from_remote run apply
    status_is 4
    says 'is a linked work tree or a submodule'
    rm -rf srv/app
    echo file >srv/app
    from_remote run apply
    status_is 4
    says 'exists, but is not a directory'
}

@test "a clone goes, unless something would be lost with it" {
    from_remote converges
    app converges <<<'ensure: absent'
    nothing_is_there
    from_remote converges
    refused() {
        app run apply $1 <<<'ensure: absent'
        status_is 4
        says "$2"
        [ -e srv/app/.git ]
    }
    echo mine >srv/app/new
    refused --noop "has local changes, such as in 'new'"
    refused '' "has local changes, such as in 'new'"
    git -C srv/app add new
    git -C srv/app stash -q
    refused '' 'has stashed changes'
    git -C srv/app stash drop -q
    git -C srv/app commit -q --allow-empty -m mine
    refused '' 'has commits that are not in the remote'
    app converges <<END
ensure: absent
local_changes: discard
END
    nothing_is_there
}

@test "undo goes back to the former commit, and removes what was created" {
    from_remote run apply
    status_is 0
    run rhost undo last
    status_is 0
    nothing_is_there
    from_remote converges
    was=$(head_of srv/app)
    commit three
    from_remote run apply
    status_is 0
    run rhost undo last
    status_is 0
    is "$(head_of srv/app)" "$was"
    is "$(cat srv/app/conf)" two
    from_remote converges
    is "$(cat srv/app/conf)" three
}

@test "a run that is killed leaves nothing in the place, and the next one removes the rest" {
    port=$(free_port)
    python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    kept = s.accept()[0]
    time.sleep(600)' "$port" 3>&- &
    servers+=($!)
    wait_for_port "$port"
    printf 'resources:\n  - git: %s/srv/app\n    source: %s\n' "$work" "git://127.0.0.1:$port/remote" >slow.yaml
    "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none slow.yaml >killed 2>&1 3>&- &
    pid=$!
    for ((i = 0; i < 100; i++)); do
        [ -z "$(find srv -name HEAD)" ] || break
        sleep 0.1
    done
    kill -KILL $pid
    wait $pid || true
    [ -n "$(ls -A srv)" ]
    [ ! -e srv/app ]
    # The same server, with a limit.
    kill "$(pgrep -f "git://127.0.0.1:$port/remote" | head -1)" || true
    app run apply --wait-lock=30 <<END
source: git://127.0.0.1:$port/remote
timeout: 1
END
    status_is 4
    says 'took longer than 1 s'
    nothing_is_there
    from_remote converges
    is "$(ls -A srv)" app
}

@test "a lock of another git, a full disk and a missing git are named" {
    from_remote converges
    commit three
    : >srv/app/.git/index.lock
    from_remote run apply
    status_is 4
    says 'index.lock'
    is "$(cat srv/app/conf)" two
    rm srv/app/.git/index.lock
    from_remote converges
    requires_root
    requires_command unshare
    head -c 3000000 /dev/urandom >remote/large
    git -C remote add large
    git -C remote commit -q -m large
    mkdir small
    printf 'resources:\n  - git: %s/small/app\n    source: %s/remote\n' "$work" "$work" >small.yaml
    export RHOST_ISOLATION
    run unshare -m sh -c 'mount -t tmpfs -o size=1m,mode=755 tmpfs small || exit 1
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" small.yaml
echo "status $? left $(ls -A small)"' sh "$abs_top_builddir/rhost"
    says 'No space left on device'
    [[ $output == *'status 4 left ' ]]
    printf 'resources:\n  - git: %s/srv/none\n    source: %s/remote\n' "$work" "$work" >none.yaml
    : >nothing
    run unshare -m sh -c 'for f in /usr/local/bin/git /usr/bin/git /bin/git; do [ ! -e $f ] || mount --bind nothing $f; done
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" none.yaml' sh "$abs_top_builddir/rhost"
    says "cannot execute 'git'"
    [ ! -e srv/none ]
}

@test "as root, git runs as the owner" {
    requires_root
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"
    serve_git
    owned() {
        app "$@" <<END
source: git://127.0.0.1:$port/remote
owner: ${owner-nobody}
END
    }
    owned converges
    is "$(find srv/app ! -user nobody)" ''
    # What it says must not run as root.
    commit three
    mkdir srv/app/.git/hooks
    printf '#!/bin/sh\nid -un >%s/hook\n' "$work" >srv/app/.git/hooks/post-checkout
    chmod 755 srv/app/.git/hooks/post-checkout
    git -C srv/app -c safe.directory='*' config filter.f.smudge "sh -c 'id -un >$work/srv/app/.git/who; cat'"
    mkdir -p srv/app/.git/info
    echo 'conf filter=f' >srv/app/.git/info/attributes
    chown -R nobody srv/app
    owned converges
    is "$(cat srv/app/conf)" three
    [ ! -e hook ]
    is "$(cat srv/app/.git/who)" nobody
    is "$(find srv/app ! -user nobody)" ''
    # And as the group that the manifest has, which need not be the owner's.
    commit four
    app converges <<END
source: git://127.0.0.1:$port/remote
owner: nobody
group: games
END
    is "$(stat -c %U:%G srv/app/conf)" nobody:games
    is "$(find srv/app -newer srv/app/.git/who -type f ! -group games)" ''
    # Nor as another user, to whom it is given.
    for option in --noop --detailed-exitcodes; do
        owner=root owned run apply $option
        status_is 4
        says "the clone belongs to 'nobody', whose configuration is in it"
    done
    is "$(find srv/app ! -user nobody)" ''
    # One that belongs to root, in which another user can change the configuration.
    rm -rf srv/app
    from_remote converges
    chown nobody srv/app/.git/config
    from_remote run apply
    status_is 4
    says "cannot run git in '$work/srv/app' as root: another user can change '$work/srv/app/.git/config'"
    chown root srv/app/.git/config
    chown nobody srv/app/.git
    from_remote run apply
    status_is 4
    says 'as root'
    chown root srv/app/.git
    owned converges
    is "$(find srv/app ! -user nobody)" ''
    # A directory of theirs.
    rm -rf srv/app
    chown nobody srv
    from_remote run apply
    status_is 4
    says "as root, set 'owner'"
    owned converges
}

@test "over SSH with a key, and a host that is not known is refused" {
    requires_root
    requires_command sshd
    ssh-keygen -q -t ed25519 -N '' -f key
    ssh-keygen -q -t ed25519 -N '' -f hostkey
    ssh-keygen -q -t ed25519 -N '' -f otherkey
    cp key.pub authorized
    port=$(free_port)
    mkdir -p /run/sshd
    cat >sshd.conf <<END
HostKey $work/hostkey
AuthorizedKeysFile $work/authorized
ListenAddress 127.0.0.1:$port
StrictModes no
PidFile none
PermitRootLogin prohibit-password
END
    "$(command -v sshd)" -D -f sshd.conf -E "$work/sshd.log" 3>&- &
    servers+=($!)
    wait_for_port "$port"
    echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 hostkey.pub)" >hosts
    echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 otherkey.pub)" >wrong
    over_ssh() {
        app "${@:3}" <<END
source: ssh://root@127.0.0.1:$port$work/remote
ssh_key: $work/$1
known_hosts: $work/$2
END
    }
    over_ssh otherkey hosts run apply
    status_is 4
    says 'Permission denied'
    over_ssh key wrong run apply
    status_is 4
    says 'Host key verification failed'
    nothing_is_there
    over_ssh key hosts converges
    is "$(cat srv/app/conf)" two
}

@test "over HTTP with credentials from a file, which nothing shows" {
    [ -x "$(git --exec-path)/git-http-backend" ] || skip 'git has no http-backend'
    port=$(free_port)
    cat >server.py <<'END'
import base64, http.server, os, subprocess, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"me:s3cret-word").decode():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        env = dict(os.environ, GIT_PROJECT_ROOT=sys.argv[2], GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query,
                   REQUEST_METHOD=self.command, REMOTE_ADDR="127.0.0.1", CONTENT_TYPE=self.headers.get("Content-Type", ""),
                   HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
                   GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = subprocess.run(["git", "http-backend"], env=env, input=body, stdout=subprocess.PIPE).stdout
        head, _, body = answer.partition(b"\r\n\r\n")
        self.send_response(200)
        for line in head.decode().split("\r\n"):
            if line and not line.startswith("Status"):
                self.send_header(*line.split(": ", 1))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
END
    python3 server.py "$port" "$work" 3>&- >>server 2>&1 &
    servers+=($!)
    wait_for_port "$port"
    app run apply <<<"source: http://127.0.0.1:$port/remote/.git"
    status_is 4
    says "could not read Username"
    (umask 077 && echo "http://me:s3cret-word@127.0.0.1:$port" >credentials)
    app converges <<END
source: http://127.0.0.1:$port/remote/.git
credentials: $work/credentials
END
    is "$(cat srv/app/conf)" two
    not grep -rq s3cret-word srv "$BATS_TEST_TMPDIR/state"
    app run apply --debug <<END
source: http://me:s3cret-word@127.0.0.1:$port/remote/.git
END
    status_is 1
    says "name a file that has them by 'credentials'"
    says_not s3cret-word
    git -C srv/app config remote.origin.url "http://me:s3cret-word@127.0.0.1:$port/remote/.git"
    app run apply --debug <<END
source: http://127.0.0.1:$port/remote/.git
credentials: $work/credentials
END
    status_is 0
    says '[redacted]'
    says_not s3cret-word
    is "$(git -C srv/app config remote.origin.url)" "http://127.0.0.1:$port/remote/.git"
}

@test "unusual names of paths and branches" {
    git -C remote branch 'feature/ü-1,x'
    git -C remote checkout -q 'feature/ü-1,x'
    mkdir 'srv/a $(touch x) b'
    one "git: \"$work/srv/a \$(touch x) b/it's;\"" -- converges <<END
source: $work/remote
revision: feature/ü-1,x
END
    is "$(cat "srv/a \$(touch x) b/it's;/conf")" two
    [ ! -e x ]
}

@test "mistakes are named before anything is changed" {
    refused() {
        app run apply <<<"$1"
        status_is 1
        says "$2"
    }
    refused "source: 'ext::sh -c true'" source
    refused 'source: --upload-pack=x' source
    refused 'source: ssh://-oProxyCommand=x/y' "the host of a URL must not begin with '-'"
    refused 'revision: --force' "is not the name of a branch"
    refused 'revision: main..other' "is not the name of a branch"
    refused "ssh_key: '/root/a b'" ssh_key
    refused "ssh_key: '/root/\$(x)'" ssh_key
    refused 'remote: -x' remote
    one 'git: /' -- run apply <<<'source: /x'
    status_is 1
    says "'/' cannot be a clone"
    app run apply <<<'revision: main'
    status_is 4
    says "a clone that does not exist needs a 'source'"
    one "git: $work/srv/x/app" -- converges <<END
source: $work/remote
parents: true
END
}
