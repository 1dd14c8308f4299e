# SPDX-License-Identifier: Apache-2.0
# Loop devices for tests, of files in memory. Load this after lib.bash.
#
#     loop_make SIZE [OPTION...]   leaves the device in $device and its file in $image
#     loop_forget NUMBER           has the kernel forget a partition of $device
#     loop_unmount DIRECTORY       unmounts $device, also where a mount namespace of others has it for a moment longer
#     loop_meanwhile COMMAND       has the lock of $device, and runs a shell command when rhost waits for it: after it has
#                                  read the device, and before it writes; in the background
#     loop_end                     in teardown: unmounts, and detaches all of this test

loop_make() {
    requires_root
    [ -e /dev/loop-control ] || skip "no loop devices here"
    [ -n "${loop_files-}" ] || loop_files=$(mktemp -d /dev/shm/rhost-loop.XXXXXX)
    image=$(mktemp "$loop_files/XXXXXX")
    truncate -s "$1" "$image"
    device=$(losetup --find --show "${@:2}" "$image") || return
    loop_devices+=("$device")
    # Of a test that was killed.
    partx --delete "$device" 2>/dev/null || true
}

loop_meanwhile() {
    flock --close "$device" bash -c '
        waits() {
            for pid in $(find /proc/[0-9]*/fd -lname "$1" 2>/dev/null | cut -d/ -f3); do
                grep -qs nanosleep "/proc/$pid/wchan" && return
            done
            return 1
        }
        for ((i = 0; i < 600; i++)); do
            waits "$1" && break
            sleep 0.1
        done
        eval "$2"' - "$device" "$1" 3>&- &
    until_true not flock --nonblock "$device" true
}

loop_unmount() {
    umount "$1"
    until_true python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' "$device" 2>/dev/null
}

# Another test that lists all devices may have it open at the moment.
loop_forget() {
    until_true delpart "$device" "$1" 2>/dev/null
}

loop_end() {
    local one
    for one in ${loop_devices[@]+"${loop_devices[@]}"}; do
        # One that the test has detached may be that of another test by now.
        [[ $(losetup --noheadings --output BACK-FILE "$one" 2>/dev/null) == "$loop_files"/* ]] || continue
        swapoff "$one" 2>/dev/null || true
        umount -q "$one" 2>/dev/null || true
        [ ! -e "${one}p1" ] || until_true partx --delete "$one" 2>/dev/null || true
        losetup --detach "$one" 2>/dev/null || true
    done
    [ -z "${loop_files-}" ] || rm -rf "$loop_files"
}
