#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/container_image/engine.bash"

# One image, named $1, whose other attributes stand on standard input.
image() {
    one "container_image: $1" "socket: ${socket:-$work/socket}" -- "${@:2}"
}

# It fails with this message, and nothing was asked that changes something.
refuses() {
    image "$1" run apply
    [ "$status" -ne 0 ]
    says "$2"
}

teardown() {
    engine_ended
}

# bats test_tags=inline
@test "an image is pulled when it does not exist, and removed" {
    fake_engine
    image registry.example.org/app:2 converges </dev/null
    grep -qF 'POST /images/create?fromImage=registry.example.org/app:2' socket.log
    [ "$(grep -c ^POST socket.log)" -eq 1 ]
    image registry.example.org/app:2 converges <<<'ensure: absent'
    grep -q '^DELETE /images/registry.example.org/app:2?force=false' socket.log
}

@test "without a tag it is the latest, and a digest is left as it is" {
    fake_engine
    image localhost:5000/app converges </dev/null
    grep -qF 'fromImage=localhost:5000/app:latest' socket.log
    digest=app@sha256:$(printf %064d 1)
    image "$digest" run apply </dev/null
    grep -qF "fromImage=$digest " socket.log
    run apply <<END
resources:
  - container_image: app
    socket: $work/socket
  - container_image: app:latest
    socket: $work/socket
END
    [ "$status" -ne 0 ]
    says 'container_image[app:latest] is declared twice'
}

@test "a dry run asks, and changes nothing" {
    fake_engine
    image app:1 run apply --noop --detailed-exitcodes </dev/null
    status_is 2
    says 'absent → present'
    not grep -q '^POST\|^DELETE' socket.log
}

@test "an archive is loaded, and one without the image is a failure" {
    fake_engine
    echo app:1 other:2 >archive.tar
    image app:1 converges <<<"archive: $work/archive.tar"
    grep -q '^POST /images/load app:1 other:2' socket.log
    not grep -q 'fromImage' socket.log
    refuses none:1 "'$work/archive.tar' does not have image 'none:1'" <<<"archive: $work/archive.tar"
    refuses none:1 "cannot open '$work/none': No such file or directory" <<<"archive: $work/none"
    refuses none:1 "'$work' is not a regular file" <<<"archive: $work"
}

@test "the action pulls again, and a refresh is that" {
    fake_engine
    for content in one two; do
        run apply --detailed-exitcodes <<END
resources:
  - file: $work/trigger
    content: $content
    notify: container_image[app:1]
  - container_image: app:1
    socket: $work/socket
END
        status_is 2
    done
    [ "$(grep -c 'fromImage=app:1' socket.log)" -ge 2 ]
}

# bats test_tags=inline
@test "faults of an engine have clear messages" {
    fake_engine
    refuses half:1 'the server closed the connection in the middle of its answer' </dev/null
    refuses close:1 'the server closed the connection without an answer' </dev/null
    refuses nojson:1 "the engine at '$work/socket' answered GET with status 200, and not with JSON" </dev/null
    refuses cutjson:1 'and not with JSON' </dev/null
    refuses noid:1 "answered without 'Id' of image 'noid:1'" </dev/null
    refuses list:1 "answered without 'Id' of image 'list:1'" </dev/null
    refuses error500:1 "cannot inspect image 'error500:1': the engine answered with status 500: the disk is full" </dev/null
    refuses denied:1 "status 403: forbidden by policy" </dev/null
    refuses hang:1 'timed out after 1 s' <<<'timeout: 1'
    refuses unknown:1 "cannot pull image 'unknown:1': the engine answered with status 200: manifest unknown" </dev/null
    refuses app:9 "image 'app:9' does not exist, and is not to be pulled" <<<'pull: never'
    [ "$(grep -c '^POST' socket.log)" -eq 1 ]
}

@test "an engine that is not there has a clear message, but a dry run and who only looks go on" {
    refuses app:1 "socket: '$work/socket' does not exist" </dev/null
    : >file
    socket=$work/file refuses app:1 "'$work/file' is not a socket" </dev/null
    requires_command python3
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dead")'
    socket=$work/dead refuses app:1 "cannot ask the engine at '$work/dead'" </dev/null
    run apply --noop --detailed-exitcodes <<END
resources:
  - file: $work/f
    content: x
  - container_image: app:1
    socket: $work/socket
    require: file[$work/f]
END
    status_is 2
    [ -e /run/podman/podman.sock ] || {
        run rhost resource container_image app:1
        status_is 0
        says 'absent'
    }
}

@test "a socket that a lesser user has put there is refused" {
    requires_root
    fake_engine
    mkdir home
    ln -s "$work/socket" home/link
    chown -h nobody home home/link
    socket=$work/home/link refuses app:1 'unsafe path' </dev/null
    [ ! -s socket.log ]
}

@test "Podman: an image is loaded, is found by both names, and is removed; the example of the page works" {
    podman_service
    podman rmi localhost/tools:1 >/dev/null
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' \
        "$abs_top_srcdir/plugins/container_image/container_image.md" | sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    podman image exists localhost/tools:1
    socket=$work/podman.sock
    image localhost/tools:1 converges <<<'ensure: absent'
    not podman image exists localhost/tools:1
    : >nothing.tar
    refuses localhost/tools:1 "cannot load '$work/nothing.tar': the engine answered with status 500" <<<"archive: $work/nothing.tar"
}

@test "Podman: an image that a container uses is not removed without force" {
    podman_service
    podman create --name c localhost/tools:1 >/dev/null
    socket=$work/podman.sock
    refuses localhost/tools:1 "cannot remove image 'localhost/tools:1': the engine answered with status 409" <<<'ensure: absent'
    image localhost/tools:1 converges <<<$'ensure: absent\nforce: true'
    not podman container exists c
}

@test "Podman: a registry that cannot be reached is a failure with the engine's reason" {
    podman_service
    socket=$work/podman.sock
    refuses localhost:1/none:2 "cannot pull image 'localhost:1/none:2': the engine answered with status" </dev/null
    says 'connection refused'
}
