#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/examples/images: a machine that boots and a container, built by rhost push in directories that have neither rhost
# nor its libraries. What the images keep is looked at from outside.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"
source "$abs_top_srcdir/tests/reach/roots.bash"

setup_file() {
    machine_wanted || return 0
    kit_possible
    export MACHINE_WHY=$WHY images=$BATS_FILE_TMPDIR/images machine=$BATS_FILE_TMPDIR/images/machine
    [ -z "$MACHINE_WHY" ] || return 0
    mkdir -p "$BATS_FILE_TMPDIR/kits"
    # Without the libraries of plugins that no image here needs: each push sends the kit, and sums it up.
    kit_make "$BATS_FILE_TMPDIR/kits" --plugins=cron,directory,exec,file,group,line,link,log,package,service,sysctl,systemd_unit,user
    machine_base "$machine_tarball"
    root_tarball bookworm
    export MACHINE_WHY=$ROOT_WHY
    [ -z "$MACHINE_WHY" ] || return 0
    # Files of their own, no overlay: each byte of an image, each time and each inode is looked at. What apt keeps would
    # be most of that.
    mkdir -p "$images/machine" "$images/container"
    tar -C "$images/machine" --exclude='./var/lib/apt/lists/*_*' --exclude='*.deb' -xf "$machine_tarball"
    tar -C "$images/container" -xf "$ROOT_TARBALL"
    cp "$images/machine/etc/machine-id" "$BATS_FILE_TMPDIR/machine-id"
    # As debootstrap leaves it: with the name and the resolver of the machine that builds.
    echo builder >"$images/machine/etc/hostname"
    echo 'nameserver 192.0.2.1' >"$images/machine/etc/resolv.conf"
    cp -R "$abs_top_srcdir/docs/examples/images" "$BATS_FILE_TMPDIR/example"
    chmod -R u+w "$BATS_FILE_TMPDIR/example"
    sed -i "s|/srv/images|$images|" "$BATS_FILE_TMPDIR/example/targets.yaml"
}

teardown_file() {
    machine_leave
    rm -rf --one-file-system "$BATS_FILE_TMPDIR/images"
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    cd "$BATS_FILE_TMPDIR/example" || return
}

# rhost push, with the kit of what was just built, and with state that all cases share. Nobody else sees the mounts.
push() {
    unshare --mount --propagation private sh -ec '
        mount -t tmpfs -o mode=755 tmpfs /var/cache
        mkdir -p /var/cache/rhost
        ln -s "$1" /var/cache/rhost/kit-archives
        rhost=$2 state=$3
        shift 3
        exec "$rhost" push --state-dir "$state" "$@"' sh "$BATS_FILE_TMPDIR/kits" "$abs_top_builddir/rhost" \
        "$BATS_FILE_TMPDIR/state" "$@"
}

# All that is in an image: names, types, modes, owners, sizes, links, times. Whoever writes a byte changes the second
# time, which nobody can set. Where something is kept, also the content.
sums() {
    (cd "$images/$1" && find . -printf '%p %y %i %m %U:%G %s %l %T@ %C@\n' | sort &&
        find etc opt root run srv usr/local var -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum
}

@test "the example: both images are built from one site, and a second push changes not one byte" {
    run push --targets=targets.yaml images site/site.yaml
    status_is 0
    says '2 targets: 2 changed'
    is "$(grep -c "services do not run in an image: 'ensure: running' is left to the machine" <<<"$output")" 1
    [ -x "$images/container/usr/local/bin/hello" ]
    [ ! -e "$images/container/etc/systemd/system/hello.service" ]
    is "$(readlink "$images/machine/etc/systemd/system/multi-user.target.wants/hello.service")" \
        /etc/systemd/system/hello.service

    sums machine >"$work/before"
    sums container >>"$work/before"
    run push --targets=targets.yaml images site/site.yaml
    status_is 0
    says '2 targets: 2 ok'
    sums machine >"$work/after"
    sums container >>"$work/after"
    cmp "$work/before" "$work/after"
}

@test "an image keeps neither the kit nor state, mounts or the resolver" {
    local image
    for image in machine container; do
        is "$(find "$images/$image" -name '*rhost*' ! -name 'pam_rhosts*' | head)" ''
        is "$(find "$images/$image/run" "$images/$image/dev" -newer targets.yaml | head)" ''
        [ ! -e "$images/$image/etc/resolv.conf" ]
        is "$(cat "$images/$image/etc/hostname")" hello
    done
    is "$(findmnt -rn | grep -F "$images" || true)" ''
    is "$(stat -c %s "$images/machine/etc/machine-id")" 0
    is "$(find "$BATS_FILE_TMPDIR/state/images" -mindepth 1 -maxdepth 1 | wc -l)" 2
}

@test "facts are those of the image, and those of this machine's place are unknown" {
    local name
    run push --format=json "chroot:$images/machine" -- facts --format=json
    status_is 0
    python3 -c 'import json, sys; print(json.load(sys.stdin)["targets"][0]["output"])' <<<"$output" >"$work/facts"
    python3 - "$work/facts" <<END
import json, sys
facts = json.load(open(sys.argv[1]))
assert facts["hostname"] == "hello", facts["hostname"]
assert facts["init"] == "systemd", facts.get("init")
assert facts["os"]["codename"] == "bookworm"
assert facts["virtualization"]["chroot"] is True
for name in "network", "mounts", "disks", "dmi", "uptime", "boot_time":
    assert name not in facts, name
END
    run push --format=json "chroot:$images/container" -- facts --format=json
    status_is 0
    says_not 'systemd'
}

@test "services are enabled, disabled and masked offline, and nothing is started" {
    mkdir "$work/site"
    cat >"$work/site/site.yaml" <<END
resources:
  - systemd_unit: one.service
    settings:
      Service: {ExecStart: /bin/sleep 1}
      Install: {WantedBy: multi-user.target}
  - service: one
    enable: true
  - service: two
    mask: true
  - service: cron
    ensure: stopped
    enable: false
  - file: /etc/one
    content: one
    notifies: {resource: 'service[one]', action: restart}
END
    run push "chroot:$images/machine" "$work/site/site.yaml"
    status_is 0
    says "'restart' is left to the machine"
    [ -L "$images/machine/etc/systemd/system/multi-user.target.wants/one.service" ]
    [ ! -e "$images/machine/etc/systemd/system/multi-user.target.wants/cron.service" ]
    is "$(readlink "$images/machine/etc/systemd/system/two.service")" /dev/null
    run push "chroot:$images/machine" -- pending
    status_is 0
    says_not 'service.one'
    run push "chroot:$images/machine" "$work/site/site.yaml"
    status_is 0
    says '1 target: 1 ok'
    run push "chroot:$images/machine" -- resource service cron
    status_is 0
    says 'enable: false'
    says_not 'ensure'

    # What cannot be enabled says why.
    run push "chroot:$images/machine" -- resource service hallo enable=true
    status_is 4
    says "unknown unit 'hallo.service': did you mean 'hello.service'?"
    run push "chroot:$images/machine" -- resource service systemd-journald enable=true
    status_is 4
    says 'systemd-journald.service cannot be enabled'
    run push "chroot:$images/machine" -- resource service two enable=true
    status_is 4
    says "it is masked; 'mask: false' unmasks it"

    # As the presets of the image say.
    mkdir -p "$images/machine/etc/systemd/system-preset"
    printf 'disable cron.service\n' >"$images/machine/etc/systemd/system-preset/10-test.preset"
    run push "chroot:$images/machine" -- resource service cron enable=true
    status_is 0
    run push "chroot:$images/machine" -- resource service cron enable=preset
    status_is 0
    says 'enable true → false, its preset'
    [ ! -e "$images/machine/etc/systemd/system/multi-user.target.wants/cron.service" ]
    rm -r "$images/machine/etc/systemd/system-preset"

    run push "chroot:$images/machine" -- resource service two mask=false
    status_is 0
    [ ! -L "$images/machine/etc/systemd/system/two.service" ]
    # A unit that goes takes its link along.
    run push "chroot:$images/machine" -- resource systemd_unit one.service ensure=absent
    status_is 0
    [ ! -L "$images/machine/etc/systemd/system/multi-user.target.wants/one.service" ]
}

@test "services of System V are enabled, and their scripts are not run" {
    local image=$images/container
    cat >"$image/etc/init.d/rt-sysv" <<'END'
#!/bin/sh
### BEGIN INIT INFO
# Provides: rt-sysv
# Required-Start:
# Required-Stop:
# Default-Start: 2 3 4 5
# Default-Stop: 0 1 6
### END INIT INFO
echo "$1" >>/var/tmp/rt-sysv
END
    chmod 755 "$image/etc/init.d/rt-sysv"
    run push "chroot:$image" -- resource service rt-sysv ensure=running enable=true
    status_is 0
    says "services do not run in an image: 'ensure: running' is left to the machine"
    [ ! -e "$image/var/tmp/rt-sysv" ]
    [ -n "$(find "$image/etc/rc2.d" -name 'S??rt-sysv')" ]
    run push "chroot:$image" -- resource service rt-sysv enable=false
    status_is 0
    [ -z "$(find "$image/etc/rc2.d" -name 'S??rt-sysv')" ]
    [ ! -e "$image/var/tmp/rt-sysv" ]
    rm "$image/etc/init.d/rt-sysv"
    find "$image/etc" -name '*rt-sysv' -delete
}

# busybox, and musl instead of glibc where the tools for it are here: what Alpine is made of.
@test "a root without Debian: busybox and musl, with neither /run nor /proc" {
    local root=$images/busybox
    root_of_busybox "$root"
    [ -z "$ROOT_WHY" ] || skip "$ROOT_WHY"
    mkdir "$root/etc" "$work/site"
    printf 'ID=alpine\nNAME="Alpine Linux"\n' >"$root/etc/os-release"
    if command -v musl-gcc >/dev/null; then
        mkdir "$root/lib"
        cp -L /lib/ld-musl-*.so.1 "$root/lib/"
        printf '#include <stdio.h>\nint main(void) { puts("musl"); return 0; }\n' >"$work/which.c"
        musl-gcc -o "$root/bin/which-libc" "$work/which.c"
    else
        printf '#!/bin/sh\necho musl\n' >"$root/bin/which-libc"
        chmod 755 "$root/bin/which-libc"
    fi
    cat >"$work/site/site.yaml" <<'END'
resources:
  - file: /etc/motd
    content: |
      ${node.os.family}
  - directory: /srv
  - exec: libc
    command: [sh, -c, which-libc >/srv/libc]
    creates: /srv/libc
END
    run push "chroot:$root" "$work/site/site.yaml"
    status_is 0
    says '3 changed'
    is "$(cat "$root/etc/motd" "$root/srv/libc")" $'alpine\nmusl'
    sums busybox >"$work/before"
    run push "chroot:$root" "$work/site/site.yaml"
    status_is 0
    says '3 ok'
    sums busybox >"$work/after"
    cmp "$work/before" "$work/after"
    is "$(find "$root/dev" "$root/var" "$root/tmp" -mindepth 1 | sort)" "$root/dev/null"
}

# Pushes the package until its script waits for rt-go; run_has_ended waits for the end.
pushed_until_postinst() {
    rm -f "$image"/var/tmp/rt-{go,policy}
    "${push[@]}" >"$work/killed" 2>&1 3>&- &
    until [ -s "$image/var/tmp/rt-policy" ]; do
        kill -0 $! || {
            cat "$work/killed"
            return 1
        }
        sleep 0.1
    done
}

run_has_ended() {
    wait $! || true
    for _ in $(seq 200); do
        pgrep -f "^unshare --mount --uts .* $image " >/dev/null || break
        sleep 0.1
    done
    is "$(pgrep -f "^unshare --mount --uts .* $image " || true)" ''
    is "$(grep -lsF "$image" /proc/[0-9]*/mounts || true)" ''
}

@test "a package of Debian starts no service while it is installed, and a killed push leaves no policy" {
    local deb=$work/deb image=$images/container push
    mkdir -p "$deb/DEBIAN" "$deb/etc/init.d"
    printf '%s\n' 'Package: rt-daemon' 'Version: 1.0' 'Architecture: all' \
        'Maintainer: A Test <test@example.org>' 'Description: a daemon' >"$deb/DEBIAN/control"
    cat >"$deb/etc/init.d/rt-daemon" <<'END'
#!/bin/sh
echo "$1" >>/var/tmp/rt-daemon
END
    cat >"$deb/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
readlink /usr/sbin/policy-rc.d >/var/tmp/rt-policy || true
for _ in $(seq 600); do
    [ ! -e /var/tmp/rt-go ] || break
    sleep 0.1 || break
done
# As scripts of init systems other than systemd have it.
status=0
! [ -x /usr/sbin/policy-rc.d ] || /usr/sbin/policy-rc.d rt-daemon start || status=$?
[ $status -eq 101 ] || /etc/init.d/rt-daemon start
END
    chmod 755 "$deb/DEBIAN/postinst" "$deb/etc/init.d/rt-daemon"
    dpkg-deb --root-owner-group -Znone --build "$deb" "$image/var/tmp/rt-daemon.deb"
    push=(push "chroot:$image" -- resource package rt-daemon --provider=dpkg source=/var/tmp/rt-daemon.deb)

    # The whole run is killed in the middle: the link that is left leads nowhere.
    pushed_until_postinst
    kill -9 "$(pgrep -P "$(pgrep -f "^unshare --mount --uts .* $image ")")"
    run_has_ended
    is "$(cat "$image/var/tmp/rt-policy")" /run/rhost-policy-rc.d
    [ -L "$image/usr/sbin/policy-rc.d" ]
    [ ! -e "$image/usr/sbin/policy-rc.d" ]

    # The controller is killed; another one finds the lock held. The run ends what it is at, and leaves no link.
    pushed_until_postinst
    kill -9 "$(pgrep -f "^[^ ]*/rhost .* push .* chroot:$image ")"
    run "${push[@]}"
    status_is 1
    says 'holds the lock'
    touch "$image/var/tmp/rt-go"
    run_has_ended
    [ ! -L "$image/usr/sbin/policy-rc.d" ]
    [ ! -e "$image/var/tmp/rt-daemon" ]
    is "$(chroot "$image" dpkg-query -W -f '${db:Status-Status}' rt-daemon)" installed

    # The image's own policy stays, and decides.
    printf '#!/bin/sh\nexit 0\n' >"$image/usr/sbin/policy-rc.d"
    chmod 755 "$image/usr/sbin/policy-rc.d"
    chroot "$image" dpkg --purge rt-daemon >/dev/null 2>&1
    run "${push[@]}"
    status_is 0
    is "$(tail -n 1 "$image/usr/sbin/policy-rc.d")" 'exit 0'
    is "$(cat "$image/var/tmp/rt-daemon")" start

    # An image without a /run gets one.
    rm "$image/usr/sbin/policy-rc.d"
    mv "$image/run" "$image/run.kept"
    chroot "$image" dpkg --purge rt-daemon >/dev/null 2>&1
    run "${push[@]}"
    is "$(ls -A "$image/run")" ''
    rmdir "$image/run"
    mv "$image/run.kept" "$image/run"
    status_is 0
    is "$(cat "$image/var/tmp/rt-daemon")" start
    [ ! -L "$image/usr/sbin/policy-rc.d" ]
    rm -f "$image"/var/tmp/rt-*
}

@test "--resolv-conf gives names to the push, and nothing to the image" {
    local image=$images/container state
    for state in missing file link; do
        rm -f "$image/etc/resolv.conf"
        [ $state != file ] || echo 'nameserver 192.0.2.1' >"$image/etc/resolv.conf"
        [ $state != link ] || ln -s ../run/systemd/resolve/stub-resolv.conf "$image/etc/resolv.conf"
        stat -c '%N %F %s %Y' "$image/etc/resolv.conf" >"$work/before" 2>&1 || true
        run push --resolv-conf "chroot:$image" -- resource exec x command='cp /etc/resolv.conf /var/tmp/seen'
        status_is 0
        cmp "$image/var/tmp/seen" /etc/resolv.conf
        stat -c '%N %F %s %Y' "$image/etc/resolv.conf" >"$work/after" 2>&1 || true
        cmp "$work/before" "$work/after"
        rm -f "$image/var/tmp/seen"
    done
    rm -f "$image/etc/resolv.conf"
    ln -s /elsewhere "$image/etc/resolv.conf"
    run push --resolv-conf "chroot:$image" -- facts init
    status_is 4
    says 'is a link to'
    rm -f "$image/etc/resolv.conf"
}

@test "what is in the way of --resolv-conf afterwards is not removed, and what a killed push left is" {
    local image=$images/container
    rm -f "$image/etc/resolv.conf"
    run push --resolv-conf "chroot:$image" -- resource exec x command='ln -sfn ../run/resolver /etc/resolv.conf'
    status_is 0
    is "$(readlink "$image/etc/resolv.conf")" ../run/resolver
    ln -sfn /run/rhost/resolv.conf "$image/etc/resolv.conf"
    run push "chroot:$image" -- facts os.family
    status_is 0
    [ ! -L "$image/etc/resolv.conf" ]
    mkdir "$image/etc/resolv.conf"
    run push --resolv-conf "chroot:$image" -- facts os.family
    status_is 4
    says "'/etc/resolv.conf' of the image is no file"
    rmdir "$image/etc/resolv.conf"
}

@test "the kernel of this machine is not that of an image" {
    local image=$images/container before
    before=$(cat /proc/sys/net/ipv4/ip_forward)
    mkdir -p "$image/etc/sysctl.d"
    run push "chroot:$image" -- resource sysctl net.ipv4.ip_forward value=$((1 - before))
    status_is 0
    is "$(cat /proc/sys/net/ipv4/ip_forward)" "$before"
    grep -qx "net.ipv4.ip_forward = $((1 - before))" "$image/etc/sysctl.d/99-rhost.conf"
    run push "chroot:$image" -- resource exec x command='sh -c "! echo 1 >/proc/sys/net/ipv4/ip_forward"'
    status_is 0
    rm -r "$image/etc/sysctl.d/99-rhost.conf"
}

@test "the link of --resolv-conf goes with the last of several pushes" {
    local image=$images/container
    exec 9<"$image"
    flock -s 9
    run push --resolv-conf "chroot:$image" -- resource exec x command='cp /etc/resolv.conf /var/tmp/seen'
    status_is 0
    is "$(readlink "$image/etc/resolv.conf")" /run/rhost/resolv.conf
    rm "$image/var/tmp/seen"
    run push --resolv-conf "chroot:$image" -- resource exec x command='cp /etc/resolv.conf /var/tmp/seen'
    status_is 0
    cmp "$image/var/tmp/seen" /etc/resolv.conf
    exec 9<&-
    run push --resolv-conf "chroot:$image" -- facts os.family
    status_is 0
    [ ! -L "$image/etc/resolv.conf" ]
    rm "$image/var/tmp/seen"
}

@test "a directory that others can write to is not entered" {
    local image=$images/container
    chmod 1777 "$image"
    run push "chroot:$image" -- facts os.family
    chmod 755 "$image"
    status_is 4
    says 'cannot be entered: others can write to it'
}

@test "what a push has started ends with it, and --confirm-within is refused" {
    run push "chroot:$images/container" -- resource exec x \
        command="sh -c 'setsid -f sleep 4711 </dev/null >/dev/null 2>&1; uname -n >/var/tmp/name'"
    status_is 0
    is "$(pgrep -fx 'sleep 4711' || true)" ''
    is "$(cat "$images/container/var/tmp/name")" hello
    rm "$images/container/var/tmp/name"
    run push --confirm-within=60 "chroot:$images/container" site/site.yaml
    status_is 1
    says '--confirm-within is for machines that run'
}

@test "undo knows the image: its state is on this machine" {
    cp "$images/container/etc/issue" "$work/issue"
    run push "chroot:$images/container" -- resource file /etc/issue content=changed
    status_is 0
    run push "chroot:$images/container" -- undo last
    status_is 0
    cmp "$images/container/etc/issue" "$work/issue"
    is "$(find "$images/container" -name '*rhost*' ! -name 'pam_rhosts*')" ''
}

@test "the container runs its program" {
    command -v podman >/dev/null && command -v runc >/dev/null || skip "no podman"
    printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$work/graph" "$work/run" \
        >"$work/storage.conf"
    export CONTAINERS_STORAGE_CONF=$work/storage.conf
    podman=(podman --runtime runc --cgroup-manager cgroupfs run --rm --network none --ulimit nofile=1024:1024
        --ulimit nproc=1000:1000)
    run "${podman[@]}" --rootfs "$images/container" /usr/local/bin/hello --once
    status_is 0
    says 'Hello from an image'

    # While it runs it is a target as well, and no image.
    "${podman[@]}" -d --name "rhost-images-$$" --rootfs "$images/container" /usr/local/bin/hello >/dev/null
    run push "podman:rhost-images-$$" -- facts virtualization
    podman rm -f -t 0 "rhost-images-$$" >/dev/null
    status_is 0
    says 'container: podman'
    says 'chroot: false'
    rm -rf "$images/container/var/cache/rhost" "$images/container/var/lib/rhost"
}

@test "the machine boots, has an id of its own, and runs its service" {
    machine_boot "$machine"
    run machine_run "$machine" systemctl is-active hello
    status_is 0
    run machine_run "$machine" cat /etc/machine-id
    status_is 0
    is "${#output}" 32
    [ "$output" != "$(cat "$BATS_FILE_TMPDIR/machine-id")" ]
    run machine_run "$machine" hostname
    status_is 0
    is "$output" hello
    run machine_run "$machine" ps -o user= -C sleep
    status_is 0
    says hello
    machine_stop "$machine"
}
