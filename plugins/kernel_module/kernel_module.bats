#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# On directories of the test. What loads and unloads modules works on a kernel of the test: a stand-in for /sys/module,
# and one for modprobe, which the machine's kernel may refuse. The modprobe of the machine is used where nothing is loaded.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_root
    requires_command modprobe
    mkdir -p etc/modules-load.d etc/modprobe.d sys
}

# The files of the test alone.
files() {
    one "kernel_module: ${1:-br-netfilter}" 'apply: false' "load_file: $work/load.conf" \
        "modprobe_file: $work/modprobe.conf" -- "${@:2}"
}

# A kernel of the test: directories in sys/ are its modules. modprobe knows those of known/. Files of the system are those
# of the test, too.
with_kernel() {
    mkdir -p known
    touch known/dummy known/bridge
    cat >modprobe <<'END'
#!/bin/sh
echo "$*" >>WORK/called
[ ! -e WORK/trouble ] || { cat WORK/trouble >&2; exit 1; }
case $1 in
--dry-run) [ -e "WORK/known/$3" ] ;;
--remove)
    [ -z "$(ls "/sys/module/$2/holders" 2>/dev/null)" ] || { echo "modprobe: FATAL: Module $2 is in use." >&2; exit 1; }
    rm -r "WORK/sys/$2"
    ;;
*)
    [ -e "WORK/known/$1" ] || { echo "modprobe: FATAL: Module $1 not found in directory /lib/modules/6.1" >&2; exit 1; }
    [ "$1" = alias ] && exit 0
    mkdir -p "WORK/sys/$1/holders"
    echo live >"WORK/sys/$1/initstate"
    ;;
esac
END
    sed -i "s|WORK|$work|g" modprobe
    cat >rhost-inside <<END
#!/bin/sh
exec unshare -m sh -c 'mount --bind $work/sys /sys/module && mount --bind $work/etc/modprobe.d /etc/modprobe.d &&
mount --bind $work/etc/modules-load.d /etc/modules-load.d &&
{ [ ! -e $work/lib ] || mount -t overlay -o lowerdir=/usr/lib,upperdir=$work/lib,workdir=$work/lib.work overlay /usr/lib; } &&
{ [ -e $work/real ] || mount --bind $work/modprobe "\$(command -v modprobe)"; } && exec "\$@"' sh $abs_top_builddir/rhost "\$@"
END
    chmod 755 modprobe rhost-inside
    RHOST=$work/rhost-inside
}

module() {
    one "kernel_module: ${1:-dummy}" -- "${@:2}"
}

# bats test_tags=inline
@test "a module is loaded with its options, now and at boot, and unloaded again" {
    with_kernel
    module dummy converges <<<'options: {numdummies: 2, debug: true, name: a b}'
    is "$(cat called)" 'dummy numdummies=2 debug=1 name=a b'
    is "$(cat etc/modules-load.d/rhost.conf)" dummy
    is "$(cat etc/modprobe.d/zz-rhost.conf)" 'options dummy numdummies=2 debug=1 name="a b"'
    module dummy run apply <<<'options: {numdummies: 3}'
    says "'dummy' is loaded already: it gets its options when it is loaded the next time"
    module dummy is_in_sync <<<'options: {numdummies: 3}'
    is "$(cat etc/modprobe.d/zz-rhost.conf)" 'options dummy numdummies=3'
    module dummy converges <<<'boot: false'
    is "$(cat etc/modules-load.d/rhost.conf)" ''
    module dummy is_in_sync <<<'boot: false'
    module dummy run apply --noop <<<'state: unloaded'
    status_is 0
    [ -d sys/dummy ]
    module dummy converges <<<$'state: unloaded\noptions: {}'
    [ ! -d sys/dummy ]
    is "$(cat etc/modprobe.d/zz-rhost.conf)" ''
}

@test "a module is blacklisted and unloaded, and comes back" {
    with_kernel
    module dummy converges <<<'boot: true'
    module dummy run apply <<<'state: blacklisted'
    is "$(cat etc/modprobe.d/zz-rhost.conf)$(cat etc/modules-load.d/rhost.conf)" 'blacklist dummy'
    [ ! -d sys/dummy ]
    run rhost undo last
    status_is 0
    is "$(cat etc/modprobe.d/zz-rhost.conf)$(cat etc/modules-load.d/rhost.conf)" dummy
    [ -d sys/dummy ]
    module dummy converges <<<'state: blacklisted'
    module dummy converges <<<'state: unloaded'
    is "$(cat etc/modprobe.d/zz-rhost.conf)" ''
}

@test "what is listed is as desired: what is loaded, and what any file blacklists" {
    with_kernel
    printf 'blacklist pcspkr\noptions snd-hda index=1 \\\n  model="a b"\n' >etc/modprobe.d/zz-rhost.conf
    printf '# blacklist no\nblacklist nouveau\nblacklist dummy\n' >etc/modprobe.d/vendor.conf
    printf 'snd-hda\n; no\n' >etc/modules-load.d/other.conf
    mkdir -p sys/snd_hda sys/dummy sys/builtin
    echo live | tee sys/snd_hda/initstate >sys/dummy/initstate
    for RHOST_ISOLATION in $isolations; do
        rhost resource --format=yaml kernel_module >list.yaml
        is "$(grep -c 'kernel_module: ' list.yaml)" 4
        run rhost apply --noop --detailed-exitcodes list.yaml
        status_is 0
    done
    is "$(grep -A 3 'kernel_module: snd_hda' list.yaml | tail -n 2)" $'    boot: true\n    options: {"index": "1", "model": "a b"}'
    run rhost resource kernel_module builtin
    says 'state: loaded'
}

@test "files are edited by statements, and the rest of them stays" {
    printf '# mine\n other-one\nbr-netfilter  # x\n' >load.conf
    printf '# mine\noptions br_netfilter a=1\\\n b=2\noptions other c=3\n options\tbr-netfilter  b="x y"\nblacklist br_netfilter\n' >modprobe.conf
    files br-netfilter converges <<<'options: {b: x y, a: 1}'
    is "$(cat load.conf)" $'# mine\n other-one\nbr-netfilter  # x'
    is "$(cat modprobe.conf)" $'# mine\noptions br_netfilter a=1\\\n b=2\noptions other c=3\n options\tbr-netfilter  b="x y"'
    files br_netfilter converges <<<'options: {a: 7}'
    is "$(cat modprobe.conf)" $'# mine\noptions br_netfilter a=7\noptions other c=3'
    files br_netfilter converges <<<'options: {}'
    files br_netfilter converges <<<'state: unloaded'
    is "$(cat load.conf modprobe.conf)" $'# mine\n other-one\n# mine\noptions other c=3'
    files br_netfilter is_in_sync <<<'state: unloaded'
    rm load.conf modprobe.conf
    files br_netfilter converges <<<'state: blacklisted'
    is "$(cat modprobe.conf)" 'blacklist br_netfilter'
}

@test "what another file says counts: it is enough, or named where it is in the way" {
    with_kernel
    echo dummy >etc/modules-load.d/other.conf
    module dummy converges <<<'boot: true'
    [ ! -s etc/modules-load.d/rhost.conf ]
    module dummy fails "'/etc/modules-load.d/other.conf' has it loaded: remove that line" <<<'boot: false'
    echo 'options dummy a=1 b=2' >etc/modprobe.d/zzz.conf
    module dummy is_in_sync <<<'boot: true'
    module dummy fails "'/etc/modprobe.d/zzz.conf' comes later and gives 'b' another value" <<<'options: {b: 3}'
    echo 'blacklist dummy' >etc/modprobe.d/a.conf
    module dummy run apply --noop <<<'boot: true'
    says "'/etc/modprobe.d/a.conf' blacklists it, so that it is not loaded at boot"
    module dummy fails "'/etc/modprobe.d/a.conf' blacklists it: remove that line" <<<'boot: true'
    # A file of this name in /etc hides that of the vendor.
    ln -sf /dev/null etc/modprobe.d/a.conf
    module dummy is_in_sync <<<'boot: true'
    module dummy converges <<<'state: blacklisted'
    echo 'blacklist dummy' >etc/modprobe.d/b.conf
    module dummy is_in_sync <<<'state: blacklisted'
}

@test "modules that are unknown, in use, built in, locked or refused fail, and nothing is written" {
    with_kernel
    module nothing run apply --noop <<<'boot: true'
    status_is 4
    says "modprobe finds no module 'nothing'"
    module nothing fails 'modprobe cannot load the module: Module nothing not found in directory' <<<'boot: true'
    touch known/alias
    module alias fails "the kernel has no module 'alias': it may be an alias" <<<'boot: true'
    mkdir -p sys/bridge/holders/br_netfilter sys/ext4
    echo live >sys/bridge/initstate
    module bridge fails 'modprobe cannot unload the module: it is used by br_netfilter' <<<'state: blacklisted'
    rm -r sys/bridge/holders/br_netfilter
    for trouble in 'modprobe: FATAL: Module bridge is in use.' 'modprobe: ERROR: could not remove module: Operation not permitted' ''; do
        printf '%s\n' "$trouble" >trouble
        module bridge fails "modprobe cannot unload the module: ${trouble#*: *: }" <<<'state: unloaded'
    done
    for trouble in "could not insert 'dummy': Key was rejected by service" "could not insert 'dummy': Exec format error" \
        "could not insert 'dummy': Unknown symbol in module, or unknown parameter (see dmesg)"; do
        printf 'modprobe: ERROR: %s\n' "$trouble" >trouble
        module dummy fails "modprobe cannot load the module: $trouble" <<<'boot: true'
    done
    module ext4 fails "'ext4' is built into the kernel: it cannot be unloaded" <<<'state: unloaded'
    module ext4 converges <<<'boot: true'
    is "$(cat etc/modules-load.d/rhost.conf)" ext4
    [ ! -e etc/modprobe.d/zz-rhost.conf ]
}

@test "what the kernel's list says is built in counts as loaded, without a directory in /sys/module" {
    with_kernel
    mkdir -p "lib/modules/$(uname -r)" lib.work
    printf 'kernel/fs/first.ko\nkernel/net/built-in-one.ko.xz\nkernel/lib/last.ko\n' >"lib/modules/$(uname -r)/modules.builtin"
    unshare -m mount -t overlay -o "lowerdir=/usr/lib,upperdir=$work/lib,workdir=$work/lib.work" overlay /usr/lib ||
        skip 'no overlay can be mounted'
    module built-in-one fails "'built_in_one' is built into the kernel: it cannot be unloaded" <<<'state: unloaded'
    module built-in-one converges <<<'boot: true'
    is "$(cat etc/modules-load.d/rhost.conf)" built_in_one
    [ ! -e called ] || not grep -q built_in_one called
    module in-no-list run apply --noop <<<'boot: true'
    status_is 4
    says "modprobe finds no module 'in_no_list'"
}

@test "the modprobe of the machine is asked, and its reason is shown" {
    requires_command depmod
    with_kernel
    touch real
    module rhost_nothing run apply --noop <<<'boot: true'
    status_is 4
    says "modprobe finds no module 'rhost_nothing'"
    module rhost_nothing fails 'modprobe cannot load the module: Module rhost_nothing not found' <<<'boot: true'
    [ ! -e etc/modules-load.d/rhost.conf ]
    printf 'resources:\n  - kernel_module: rhost_nothing\n' >site.yaml
    mv rhost-inside inside
    printf '#!/bin/sh\nexec unshare -m sh -c '\''mount --bind /dev/null "$(readlink -f "$(command -v modprobe)")" && exec "$@"'\'' sh %s/inside "$@"\n' \
        "$work" >rhost-inside
    chmod 755 rhost-inside
    run rhost apply site.yaml
    status_is 4
    says modprobe
}

@test "a read-only or full file system leaves the files as they were, and the next run completes" {
    with_kernel
    echo 'blacklist dummy' >etc/modprobe.d/zz-rhost.conf
    mv rhost-inside inside
    for trouble in "mount --bind $work/etc/modprobe.d $work/etc/modprobe.d && mount -o remount,ro,bind $work/etc/modprobe.d" \
        "mount -t tmpfs -o size=4k,nr_inodes=2 tmpfs $work/etc/modprobe.d && echo blacklist dummy >$work/etc/modprobe.d/zz-rhost.conf"; do
        printf '#!/bin/sh\nexec unshare -m sh -c '\''%s && exec "$@"'\'' sh %s/inside "$@"\n' "$trouble" "$work" >rhost-inside
        chmod 755 rhost-inside
        module dummy fails "rhost.conf'" <<<'options: {a: 1}'
        is "$(cat etc/modprobe.d/zz-rhost.conf)" 'blacklist dummy'
        [ ! -s etc/modules-load.d/rhost.conf ]
    done
    RHOST=$work/inside
    module dummy converges <<<'options: {a: 1}'
    is "$(cat etc/modprobe.d/zz-rhost.conf)" 'options dummy a=1'
}

@test "mistakes are named" {
    files 'a b' fails name <<<'boot: true'
    files --force fails name <<<'boot: true'
    files dummy fails 'options' <<<'options: {"a b": 1}'
    files dummy fails 'options' <<<'options: {a: "x\"y"}'
    files dummy fails 'boot: what is blacklisted is not loaded at boot' <<<$'state: blacklisted\nboot: true'
    [ ! -e load.conf ]
}
