#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/container_image/engine.bash"

# One container, named $1, whose other attributes stand on standard input.
container() {
    one "container: $1" "socket: ${socket:-$work/socket}" -- "${@:2}"
}

# It fails with this message.
refuses() {
    container "$1" run apply
    [ "$status" -ne 0 ]
    says "$2"
}

teardown() {
    engine_ended
}

# The body of the last request that made a container.
made() {
    sed -n 's|^POST /containers/create[^ ]* ||p' socket.log | tail -n 1
}

# How many requests begin so.
asked() {
    grep -c "^$1" socket.log || :
}

# bats test_tags=inline
@test "a container is made from its image, started, and removed" {
    fake_engine
    container c converges <<'END'
image: app
command: [run, --fast, "a b"]
env: {A: b=c, EMPTY: ""}
ports: ["8080:80/tcp", "0.0.0.0:53:53/udp", "[::1]:81:81"]
volumes: ["/srv/:/data:ro", "cache:/var/cache:rw"]
networks: [front, back]
restart: on-failure:3
user: nobody
labels: {a.b: c}
END
    made | jq -e '.Image == "app:latest" and .Cmd == ["run", "--fast", "a b"] and .Env == ["A=b=c", "EMPTY="]
        and .HostConfig.PortBindings == {"80/tcp": [{"HostIp": "", "HostPort": "8080"}], "53/udp": [{"HostIp": "", "HostPort": "53"}],
            "81/tcp": [{"HostIp": "::1", "HostPort": "81"}]} and (.ExposedPorts | keys | length) == 3
        and .HostConfig.Binds == ["/srv:/data:ro", "cache:/var/cache"] and .HostConfig.NetworkMode == "front"
        and (.NetworkingConfig.EndpointsConfig | keys) == ["back", "front"]
        and .HostConfig.RestartPolicy == {"Name": "on-failure", "MaximumRetryCount": 3} and .User == "nobody" and .Labels == {"a.b": "c"}'
    [ "$(asked 'POST /images/create?fromImage=app:latest')" -eq 1 ]
    [ "$(asked 'POST /containers/c/start')" -eq 1 ]
    container c converges <<<$'image: app\nensure: absent'
    [ "$(asked 'POST /containers/c/stop?t=10')" -eq 1 ]
    [ "$(asked 'DELETE /containers/c?force=true')" -eq 1 ]
    run apply --detailed-exitcodes <<<"resources: [{container: d, ensure: absent, socket: $work/socket}]"
    status_is 0
}

@test "a dry run asks, and changes nothing" {
    fake_engine
    container c run apply --noop --detailed-exitcodes <<<'image: app'
    status_is 2
    [ "$(asked POST)" -eq 0 ]
    container c run apply <<<'image: app'
    : >socket.log
    container c run apply --noop --detailed-exitcodes <<<$'image: other\nstate: stopped'
    status_is 2
    says 'app:latest → other:latest'
    [ "$(asked POST)$(asked DELETE)" = 00 ]
}

@test "state alone stops and starts what exists" {
    fake_engine
    container c run apply <<<'image: app'
    : >socket.log
    container c converges <<<$'image: app\nstate: stopped\nstop_timeout: 3'
    [ "$(asked 'POST /containers/c/stop?t=3')" -eq 1 ]
    container c converges <<<'image: app'
    [ "$(asked 'POST /containers/create')$(asked DELETE)" = 00 ]
}

# bats test_tags=inline
@test "another setting makes a new container, which keeps what the manifest does not have" {
    fake_engine
    container c run apply <<<$'image: app\nenv: {A: b}\nports: ["1:1"]\nlabels: {x: y}'
    : >socket.log
    container c converges <<<$'image: app\nports: ["1:1", "2:2"]'
    made | jq -e '.Env == ["A=b"] and .Labels == {"x": "y"} and (.HostConfig.PortBindings | keys | length) == 2 and .Cmd == null'
    # In this order: nothing is removed before there is another one.
    grep -n '^POST /containers/create?name=c.rhost-new\|^POST /containers/c/stop\|^DELETE /containers/c?\|^POST /containers/c.rhost-new/rename?name=c\|^POST /containers/c/start' \
        socket.log | cut -d' ' -f2 | cut -d'?' -f1 >order
    diff - order <<'END'
/containers/create
/containers/c/stop
/containers/c
/containers/c.rhost-new/rename
/containers/c/start
END
    # A variable that the manifest has no more is removed, and another order is no difference.
    container c converges <<<$'image: app\nenv: {}\nports: ["2:2", "1:1"]'
    made | jq -e '.Env == []'
    container c run apply --detailed-exitcodes <<<$'image: app\nports: ["1:1", "2:2/tcp"]'
    status_is 0
}

@test "what the image says by itself is no setting, unless the manifest has it" {
    fake_engine
    container c run apply <<<'image: app'
    : >socket.log
    container c run apply --detailed-exitcodes <<<$'image: app\nenv: {FROM: image}\nlabels: {of: image}\ncommand: [sleep, "1000"]'
    status_is 0
    container c converges <<<$'image: app\nenv: {FROM: here}'
    [ "$(asked 'POST /containers/create')" -eq 1 ]
}

@test "a new container that cannot be made leaves the old one alone" {
    fake_engine
    container c run apply <<<'image: app'
    : >socket.log
    refuses c "image 'none:1' does not exist, and is not to be pulled" <<<$'image: none:1\npull: never'
    refuses c "cannot pull image 'unknown:1'" <<<'image: unknown:1'
    [ "$(asked DELETE)$(asked 'POST /containers/c/')" = 00 ]
}

@test "a run that was ended while it replaced a container is made good by the next one" {
    fake_engine
    container c.rhost-new run apply <<<'image: old'
    container c converges <<<'image: app'
    run apply --noop --detailed-exitcodes <<<"resources: [{container: c.rhost-new, ensure: absent, socket: $work/socket}]"
    status_is 0
}

@test "a refresh restarts what runs" {
    fake_engine
    for content in one two; do
        run apply --detailed-exitcodes <<END
resources:
  - file: $work/f
    content: $content
    notify: ["container[runs]", "container[stopped]", "container[gone]"]
  - container: runs
    image: app
    socket: $work/socket
    stop_timeout: 4
  - container: stopped
    image: app
    state: stopped
    socket: $work/socket
  - container: gone
    ensure: absent
    socket: $work/socket
END
        status_is 2
    done
    [ "$(asked 'POST /containers/runs/restart?t=4')" -ge 1 ]
    [ "$(asked 'POST /containers/stopped/restart')$(asked 'POST /containers/gone/')" = 00 ]
}

# bats test_tags=inline
@test "faults of an engine have clear messages" {
    fake_engine
    refuses half 'the server closed the connection in the middle of its answer' <<<'image: app'
    refuses close 'the server closed the connection without an answer' <<<'image: app'
    refuses nojson 'and not with JSON' <<<'image: app'
    refuses cutjson 'and not with JSON' <<<'image: app'
    refuses noid "the engine at '$work/socket' answered without the state of the container" <<<'image: app'
    refuses error500 "cannot inspect container 'error500': the engine answered with status 500: the disk is full" <<<'image: app'
    refuses denied 'status 403: forbidden by policy' <<<'image: app'
    refuses hang 'timed out after 1 s' <<<$'image: app\ntimeout: 1'
    refuses nostart "cannot start container 'nostart': the engine answered with status 500: the program does not exist" <<<'image: app'
    refuses c "cannot inspect image 'error500:latest'" <<<'image: error500'
    refuses c "expected 'image', which the container is made from" </dev/null
    refuses c "'none' excludes other networks" <<<$'image: app\nnetworks: [a, none]'
    refuses c "network 'host' excludes 'ports'" <<<$'image: app\nnetworks: [host]\nports: ["1:1"]'
}

@test "an engine that is not there has a clear message" {
    refuses c "socket: '$work/socket' does not exist" <<<'image: app'
    : >file
    socket=$work/file refuses c "'$work/file' is not a socket" <<<'image: app'
    run apply --noop --detailed-exitcodes <<END
resources:
  - file: $work/f
    content: x
  - container: c
    image: app
    socket: $work/socket
    require: file[$work/f]
END
    status_is 2
}

@test "a secret in the environment is in no output" {
    fake_engine
    container c run apply --debug --verbose --diff <<<$'image: app\nenv: {KEY: hush-hush}\nsensitive: [env]'
    status_is 0
    says_not hush-hush
    container c run apply --debug --verbose --diff <<<$'image: app\nenv: {KEY: other-secret}\nsensitive: [env]'
    status_is 0
    says_not hush-hush
    says_not other-secret
    refuses nostart 'the engine answered with status 500: [redacted]' <<<$'image: app\nenv: {KEY: hush-hush}\nsensitive: [env]'
    made | grep -q hush-hush
}

# bats test_tags=inline
@test "Podman: a container runs, is stopped, replaced and removed" {
    podman_service
    socket=$work/podman.sock
    container c converges <<'END'
image: localhost/tools:1
command: [sleep, "900"]
env: {A: "b c"}
volumes: ["/usr:/data:ro", "kept:/kept"]
networks: [none]
restart: on-failure:3
user: "1000"
labels: {x: y}
stop_timeout: 0
END
    [ "$(podman exec c sh -c 'echo $A $FROM')" = 'b c image' ]
    [ "$(podman inspect --format '{{.State.Running}} {{.Config.User}} {{.HostConfig.RestartPolicy.Name}}' c)" = 'true 1000 on-failure' ]
    id=$(podman inspect --format '{{.Id}}' c)
    container c converges <<<$'image: localhost/tools:1\nstate: stopped\nstop_timeout: 0'
    [ "$(podman inspect --format '{{.State.Running}} {{.Id}}' c)" = "false $id" ]
    container c converges <<<$'image: localhost/tools:1\nenv: {A: d}\nstop_timeout: 0'
    [ "$(podman exec c sh -c 'echo $A')" = d ]
    [ "$(podman inspect --format '{{.Config.User}} {{.State.Running}} {{.Name}}' c)" = '1000 true c' ]
    [ "$(podman inspect --format '{{.Id}}' c)" != "$id" ]
    [ "$(podman ps --all --quiet | wc -l)" -eq 1 ]
    container c converges <<<$'ensure: absent\nstop_timeout: 0'
    not podman container exists c
}

@test "Podman: the name of an image that stands for another one makes a new container" {
    podman_service
    socket=$work/podman.sock
    container c converges <<<$'image: localhost/tools:1\nnetworks: [none]\nstop_timeout: 0'
    podman import --change 'CMD=["sleep","500"]' "$work/engine/root.tar" localhost/tools:1 >/dev/null 2>&1
    container c run apply --noop --detailed-exitcodes <<<$'image: localhost/tools:1\nnetworks: [none]\nstop_timeout: 0'
    status_is 2
    says 'localhost/tools:1@sha256:'
    container c converges <<<$'image: localhost/tools:1\nnetworks: [none]\nstop_timeout: 0'
    podman inspect --format '{{.Config.Cmd}}' c | grep -qF '[sleep 500]'
}

@test "Podman: the default network is 'bridge', and a port leads into a container" {
    [ -x /usr/lib/cni/bridge ] || skip "no containernetworking-plugins"
    podman_service
    socket=$work/podman.sock
    container c converges <<<$'image: localhost/tools:1\nnetworks: [bridge]\nports: ["127.0.0.1:8080:80"]\nstop_timeout: 0'
    podman inspect --format '{{json .NetworkSettings.Ports}}' c | jq -e '."80/tcp" == [{"HostIp": "127.0.0.1", "HostPort": "8080"}]'
    container c run apply --detailed-exitcodes <<<$'image: localhost/tools:1\nports: ["127.0.0.1:8080:80/tcp"]'
    status_is 0
    container c converges <<<$'ensure: absent\nstop_timeout: 0'
}

@test "Podman: a program that does not exist is a failure with the engine's reason" {
    podman_service
    socket=$work/podman.sock
    refuses c "cannot start container 'c': the engine answered with status" <<<$'image: localhost/tools:1\ncommand: [/none]\nnetworks: [none]'
    says '/none'
}

@test "Podman: the example of the page works, and a second run finds nothing to do" {
    podman_service
    podman rmi localhost/tools:1 >/dev/null
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/container/container.md" | sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    podman exec worker sh -c '[ "$MODE" = quiet ]'
}
