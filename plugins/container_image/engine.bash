# SPDX-License-Identifier: Apache-2.0
# Engines for tests of containers. Load this after lib.bash:
#
#     fake_engine        engine.py at $work/socket
#     podman_service     Podman at $work/podman.sock, with images, containers and a network namespace of its own; skips
#                        where it cannot be. The command `podman` asks for the same images and containers.
#     engine_ended       in teardown

fake_engine() {
    requires_command python3
    : >socket.log
    : >ready
    python3 "$abs_top_srcdir/plugins/container_image/engine.py" "$work/socket" >ready 2>engine.err 3>&- &
    engine=$!
    until [ -s ready ]; do
        kill -0 "$engine"
        sleep 0.02
    done
}

# Everything of it is below $work/engine. Limits are what a container of a container can set.
podman_service() {
    requires_root
    requires_command podman
    requires_command runc
    requires_command ip
    [ -x /bin/busybox ] || skip "no busybox"
    local top=$work/engine
    mkdir -p "$top/root/bin" "$top/net"
    printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$top/graph" "$top/run" >"$top/storage.conf"
    cat >"$top/containers.conf" <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
netns = "none"
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
image_default_transport = "docker://"
tmp_dir = "$top/tmp"
static_dir = "$top/static"
volume_path = "$top/volumes"
[network]
network_config_dir = "$top/net"
END
    export CONTAINERS_STORAGE_CONF=$top/storage.conf CONTAINERS_CONF=$top/containers.conf
    cp /bin/busybox "$top/root/bin/"
    ln -s busybox "$top/root/bin/sh"
    ln -s busybox "$top/root/bin/sleep"
    tar -C "$top/root" -cf "$top/root.tar" .
    podman import --change 'CMD=["sleep","1000"]' --change 'ENV=FROM=image' "$top/root.tar" localhost/tools:1 >/dev/null 2>&1 ||
        skip "podman cannot import an image here"
    podman save -o "$work/tools.tar" localhost/tools:1 >/dev/null 2>&1
    # Networks that it makes are not those of this machine, nor is what cni notes of them in /var/lib.
    unshare --net --mount sh -c 'ip link set lo up && mount -t tmpfs none /var/lib &&
        exec podman system service --time 0 "unix://$1"' sh "$work/podman.sock" \
        >"$top/log" 2>&1 3>&- </dev/null &
    engine=$!
    until_true test -S "$work/podman.sock"
    podman() {
        nsenter --target "$engine" --mount -- podman "$@"
    }
}

engine_ended() {
    [ ! -d "$work/engine" ] || podman rm --all --force --time 0 >/dev/null 2>&1 || :
    [ -z "${engine-}" ] || kill "$engine" 2>/dev/null || :
    [ ! -d "$work/engine" ] || {
        ! mountpoint -q "$work/engine/graph" || umount "$work/engine/graph"
    }
}
