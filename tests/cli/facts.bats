#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost facts: what is so of this machine, and facts of one's own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A directory of one's own facts.
directory() {
    mkdir -p "${1:-facts.d}"
    chmod 755 "${1:-facts.d}"
}

# Writes standard input to a file that is executable.
program() {
    cat >"$1"
    chmod 755 "$1"
}

mine() {
    HOME=$work rhost facts --facts-dir "$work/facts.d" "$@"
}

# --- Built-in ones. ---------------------------------------------------------------------------

@test "facts agree with what the system's own programs say" {
    run rhost facts kernel.release
    status_is 0
    [ "$output" = "$(uname -r)" ]
    [ "$(rhost facts architecture)" = "$(uname -m)" ]
    [ "$(rhost facts hostname)" = "$(uname -n | cut -d. -f1)" ]
    [ "$(rhost facts identity.uid)" = "$(id -u)" ]
    [ "$(rhost facts os.id)" = "$(. /etc/os-release && echo "$ID")" ]
    [ "$(rhost facts processors.count)" = "$(getconf _NPROCESSORS_ONLN)" ]
    [ "$(rhost facts memory.total)" = "$(awk '/^MemTotal:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)" ]
    [ "$(rhost facts users.root.home)" = "$(awk -F: '$1 == "root" { print $6; exit }' /etc/passwd)" ]
    [ "rhost $(rhost facts rhost.version)" = "$("${RHOST:-$abs_top_builddir/rhost}" --version)" ]
}

@test "time zones do not come from who asks" {
    run env TZ=Pacific/Kiritimati "${RHOST:-$abs_top_builddir/rhost}" facts timezone.offset
    status_is 0
    [ "$output" = "$(TZ= rhost facts timezone.offset)" ]
    [ "$output" != 50400 ]
}

@test "all facts are printed, sorted by name" {
    split rhost facts
    status_is 0
    is_empty err
    grep -E '^[a-z_]+:' out | sort -c
    for name in kernel memory mounts os processors rhost users virtualization; do
        grep -q "^$name:" out
    done
}

@test "what is printed as YAML and as JSON is the same" {
    requires_command python3
    python3 -c 'import yaml' 2>/dev/null || skip "needs python3 with yaml"
    directory
    cat >facts.d/odd.json <<'JSON'
{"odd": {"a b": "yes", "12": "12", "list": [[1, [2]], {"x": [], "y": {}}], "null": null, "f": 1.5,
 "text": "a\nb\u0007\u202e \u009b", "": "", "-": "- x", "t": true, "s": ["no", "a, b", "~"], "#": "#"}}
JSON
    mine --format=yaml odd >facts.yaml
    mine odd >facts.text
    mine --format=json odd >facts.json
    cmp facts.yaml facts.text
    python3 - <<'PY'
import json, yaml
a, b = yaml.safe_load(open("facts.yaml")), json.load(open("facts.json"))
assert a == b, (a, b)
PY
    not grep -q $'[\a\u202e\u009b]' facts.yaml
    rhost facts --format=yaml >facts.yaml
    python3 -c 'import yaml; assert yaml.safe_load(open("facts.yaml"))["rhost"]["version"]'
}

@test "reading one gathers that one alone" {
    directory
    program facts.d/costly <<'SH'
#!/bin/sh
touch "$(dirname "$0")/../ran"
echo costly=1
SH
    split mine --debug os.family
    status_is 0
    grep -q "Gathered the fact 'os'" err
    [ "$(grep -c 'Gathered the fact' err)" -eq 1 ]
    [ ! -e ran ]
    split mine --debug costly
    status_is 0
    [ "$(cat out)" = 1 ]
    [ -e ran ]
    not grep -q 'Gathered the fact' err
}

@test "no program is started for built-in facts" {
    requires_command strace
    strace -f -o trace -e trace=execve,fork,vfork,clone,clone3,connect \
        "$abs_top_builddir/core/rhost" --no-installed-plugins facts >/dev/null || skip "strace cannot trace here"
    [ "$(grep -cE 'execve\(' trace)" -eq 1 ]
    not grep -E 'fork|clone|connect' trace
}

# --- Paths. -----------------------------------------------------------------------------------

@test "a path leads through hashes and lists, and keys with dots need no quotes" {
    directory
    echo '{"a": {"b": 1, "b.c": {"d": [10, {"e": "x"}]}, "/srv/a.b": 2, "b.c.d": 3}}' >facts.d/a.json
    at() {
        run mine "$1"
        status_is 0
        [ "$output" = "$2" ] || {
            echo "$1 is '$output', expected '$2'"
            return 1
        }
    }
    at a.b 1
    at "a['b.c'].d[0]" 10
    at a.b.c.d 3
    at "a['b.c'].d.1.e" x
    at 'a["b.c"].d[1]["e"]' x
    at a./srv/a.b 2
    at "a['/srv/a.b']" 2
}

@test "a path to nothing is refused, with what was meant" {
    split rhost facts os.famly
    status_is 1
    is_empty out
    says "error: unknown fact 'os.famly'"
    says "did you mean 'os.family'?"
    run rhost facts proccessors.count
    status_is 1
    says "unknown fact 'proccessors'"
    says "did you mean 'processors'?"
    run rhost facts os.family.x
    status_is 1
    says "unknown fact 'os.family.x': 'os.family' has nothing below it"
    directory
    echo '{"l": [1, 2]}' >facts.d/l.json
    for path in 'l[2]' l.2 l.x 'l[99999999999999999999]'; do
        run mine "$path"
        status_is 1
        says "unknown fact '$path': 'l' is a list of 2, counted from 0"
    done
    split rhost facts --format=json nothing.there
    status_is 1
    is_empty err
    json_is out 'd["errors"][0]["message"]' "unknown fact 'nothing'"
}

@test "what is not a path is refused" {
    for path in '' . a.. '.a' 'os[' 'os[x]' "os['family" "os['family'" 'os.'; do
        run rhost facts "$path"
        status_is 1
        says 'invalid path' || says 'unknown fact'
    done
    run rhost facts os kernel
    status_is 1
    says "rhost facts: unexpected argument 'kernel': give one PATH"
}

# --- One's own. -------------------------------------------------------------------------------

@test "facts of one's own come from JSON, YAML and programs" {
    directory
    echo '{"from_json": {"n": 1}, "shared": "json"}' >facts.d/1.json
    printf 'from_yaml: [1.10, no, 0644]\nshared: yaml\n' >facts.d/2.yaml
    printf 'from_yml: ~\n' >facts.d/3.yml
    program facts.d/4-lines <<'SH'
#!/bin/sh
echo first.name=1
echo
echo second='a = b '
SH
    program facts.d/5-json.sh <<'SH'
#!/bin/sh
echo '{"told": {"deep": [true]}, "shared": "program"}'
SH
    program facts.d/6-yaml.py <<'SH'
#!/bin/sh
printf 'told_yaml: 3\n'
SH
    program facts.d/7-nothing <<<'#!/bin/sh'
    split mine --format=json
    status_is 0
    is_empty err
    json_is out '[d["from_json"], d["from_yaml"], d["from_yml"], d["shared"]]' \
        "[{'n': 1}, [1.1, 'no', 644], None, 'yaml']"
    json_is out '[d["first.name"], d["second"], d["told"], d["told_yaml"]]' \
        "['1', 'a = b', {'deep': [True]}, 3]"
}

@test "later directories count more, and a directory that is not there is passed over" {
    directory
    directory other
    directory .config/rhost/facts.d
    echo 'x: 1' >facts.d/x.yaml
    echo 'x: 2' >other/a.yaml
    printf 'x: 3\ny: home\n' >.config/rhost/facts.d/a.yaml
    run mine --facts-dir other --facts-dir nowhere x
    status_is 0
    [ "$output" = 2 ]
    run mine --facts-dir "$work/other/a.yaml" x
    status_is 0
    says "warning: '$work/other/a.yaml' is not a directory"
    [ "$(id -u)" -eq 0 ] || [ "$(XDG_CONFIG_HOME= mine y)" = home ]
}

@test "a file of data replaces a built-in fact, a program does not" {
    directory
    echo 'hostname: {made: up}' >facts.d/name.yaml
    program facts.d/prog <<'SH'
#!/bin/sh
echo kernel=mine
echo other=1
SH
    split mine hostname.made
    is_empty err
    [ "$(cat out)" = up ]
    split mine
    status_is 0
    says "$work/facts.d/prog (output):1:1: warning: 'kernel' is a built-in fact, and no program can replace it"
    grep -q '^other: "1"' out
    grep -q '^  name: Linux' out
}

@test "what is wrong with one is a warning with its line, and the others count" {
    directory
    printf 'a: 1\n  b: 2\n' >facts.d/1.yaml
    printf '{"a": 1,\n "b": }' >facts.d/2.json
    printf -- '- x\n' >facts.d/3.yaml
    echo x >facts.d/4.txt
    program facts.d/5 <<<$'#!/bin/sh\necho out of >&2\nexit 3'
    program facts.d/6 <<<$'#!/bin/sh\nkill -9 $$'
    program facts.d/7 <<<$'#!/bin/sh\necho good7=1\necho bad line'
    program facts.d/8 <<<$'#!/bin/sh\nhead -c 2000000 /dev/zero'
    program facts.d/9 <<<$'#!/no/such/shell'
    echo old >facts.d/x.yaml~
    echo 'good: yes' >facts.d/z.yaml
    mkfifo facts.d/pipe.yaml
    split mine
    status_is 0
    grep -q '^good: ' out
    grep -q '^good7: "1"' out
    says "$work/facts.d/1.yaml:2:4: warning: "
    says "$work/facts.d/2.json:2:7: warning: invalid JSON: "
    says "$work/facts.d/3.yaml:1:1: warning: expected a hash of facts and their values, found a list"
    says "warning: '$work/facts.d/4.txt' is ignored: it is neither data nor a program"
    says "warning: fact program '$work/facts.d/5' failed: it exited with status 3: out of"
    says "warning: fact program '$work/facts.d/6' failed: it was killed by a signal: Killed"
    says "$work/facts.d/7 (output):2:1: warning: expected name=value"
    says "warning: fact program '$work/facts.d/8' failed: it printed more than 1048576 bytes"
    says "warning: fact program '$work/facts.d/9' failed: cannot execute"
    says "warning: '$work/facts.d/pipe.yaml' is ignored: it is not a regular file"
    says_not 'x.yaml~'
    says_not error:
}

@test "a program gets a clean environment, no input, and a directory that is always the same" {
    directory
    program facts.d/env <<'SH'
#!/bin/sh
read -r line && echo "input=$line"
echo "secret=${SECRET-none}"
echo "args=$#"
echo "cwd=$(pwd)"
SH
    export SECRET=x
    [ "$(HOME=$work rhost facts --facts-dir facts.d cwd)" = / ]
    run mine --format=json <<<'some input'
    status_is 0
    printf '%s' "$output" >all
    json_is all '[d.get("input"), d["secret"], d["args"], d["cwd"]]' "[None, 'none', '0', '/']"
}

@test "what others can write to is not run" {
    directory
    program facts.d/open <<<$'#!/bin/sh\ntouch ran\necho open=1'
    sed -i "s|touch ran|touch $work/ran|" facts.d/open
    for mode in 775 757; do
        chmod $mode facts.d/open
        run mine open
        status_is 1
        says "'$work/facts.d/open' is ignored: users other than its owner can write to it"
    done
    chmod 755 facts.d/open
    chmod 777 facts.d
    run mine open
    status_is 1
    says "'$work/facts.d/open' is ignored: its directory '$work/facts.d' is not safe: users other than its owner can write to it"
    [ ! -e ran ]
    chmod 755 facts.d
    run mine open
    status_is 0
    [ -e ran ]
}

@test "root neither runs nor reads what belongs to somebody else" {
    requires_root
    directory
    program facts.d/alien <<<$'#!/bin/sh\necho alien=1'
    echo 'data: 1' >facts.d/data.yaml
    chown 12345 facts.d/alien facts.d/data.yaml
    for name in alien data; do
        run mine $name
        status_is 1
        says "is ignored: it belongs to another user"
    done
}

# --- Images. ----------------------------------------------------------------------------------

# / is not the root directory of the first process, as in a chroot.
image() {
    [ -x "$abs_top_builddir/tests/unit/facts-of" ] || skip "needs the programs of 'make check'"
    mkdir -p image/{etc,sbin,proc/1/root/etc,proc/self,proc/sys/kernel,sys/class/dmi/id,sys/block/sda}
    echo 'ID=builder' >image/proc/1/root/etc/os-release
    echo systemd >image/proc/1/comm
    echo builder.example.org >image/proc/sys/kernel/hostname
    echo 'btime 1700000000' >image/proc/stat
    echo '12.5 3.0' >image/proc/uptime
    echo '/dev/sda1 / ext4 rw 0 0' >image/proc/self/mounts
    echo 'VMware, Inc.' >image/sys/class/dmi/id/sys_vendor
    echo 2048 >image/sys/block/sda/size
}

# fact_is NAME JSON: NONE is no such fact.
fact_is() {
    "$abs_top_builddir/tests/unit/facts-of" image >image.json
    is "$(python3 -c 'import json, sys; print(json.dumps(json.load(open("image.json")).get(sys.argv[1], "NONE")))' "$1")" "$2"
}

@test "an image has its own name, system and init" {
    needs_python
    image
    printf '# of the image\n\n web1.example.net \n' >image/etc/hostname
    echo ID=debian >image/etc/os-release
    ln -s /lib/systemd/systemd image/sbin/init
    fact_is hostname '"web1"'
    fact_is fqdn '"web1.example.net"'
    fact_is os '{"id": "debian", "family": "debian"}'
    fact_is init '"systemd"'
    fact_is virtualization '{"kind": "vmware", "container": "none", "virtual": true, "chroot": true}'
    for name in boot_time disks dmi mounts network uptime; do
        fact_is $name '"NONE"'
    done
}

@test "an image without a name and without an init has none" {
    needs_python
    image
    for name in hostname domain fqdn init; do
        fact_is $name '"NONE"'
    done
    touch image/sbin/init image/etc/inittab
    fact_is init '"sysv"'
    touch image/sbin/openrc
    fact_is init '"openrc"'
    ln -sf /bin/busybox image/sbin/init
    fact_is init '"openrc"'
    ln -sf runit-init image/sbin/init
    fact_is init '"runit"'
}

@test "a machine whose first process has the same root is no image" {
    needs_python
    image
    rm -r image/proc/1/root
    fact_is hostname '"builder"'
    fact_is virtualization '{"kind": "vmware", "container": "none", "virtual": true}'
    ln -s ../.. image/proc/1/root
    echo web1 >image/etc/hostname
    fact_is hostname '"builder"'
    fact_is init '"systemd"'
    fact_is uptime 12
    fact_is virtualization '{"kind": "vmware", "container": "none", "virtual": true, "chroot": false}'
}

# --- The manual. ------------------------------------------------------------------------------

# A machine that has everything, so that each row of the manual's table is met.
full_machine() {
    local net=$1/sys/class/net/eth0 disk=$1/sys/block/sda dmi=$1/sys/class/dmi/id

    mkdir -p "$1"/{etc/selinux,proc/sys/kernel,run/systemd/system,usr/bin} "$net" "$disk"/{device,queue} \
        "$dmi" "$1/sys/fs/selinux" "$1/proc/self" "$1/proc/net"
    for file in bios_vendor bios_version bios_date board_vendor board_name product_name product_version \
        sys_vendor; do
        echo "some $file" >"$dmi/$file"
    done
    printf 'NAME=x\nID=x\nVERSION_ID=1.2.3\nVERSION_CODENAME=x\nPRETTY_NAME=x\nVARIANT_ID=x\n' >"$1/etc/os-release"
    printf 'LANG=C\n' >"$1/etc/locale.conf"
    printf 'SELINUX=enforcing\nSELINUXTYPE=x\n' >"$1/etc/selinux/config"
    echo 192.0.2.1 db1.example.org db1 >"$1/etc/hosts"
    echo UTC >"$1/etc/timezone"
    cp /etc/passwd /etc/group "$1/etc/"
    echo db1 >"$1/proc/sys/kernel/hostname"
    echo x86_64 >"$1/proc/sys/kernel/arch"
    printf 'processor: 0\nmodel name: x\nphysical id: 0\ncore id: 0\n' >"$1/proc/cpuinfo"
    printf 'eth0 00000000 010200C0 0003 0 0 0 00000000 0 0 0\n' >"$1/proc/net/route"
    printf '%032d 00 %032d 00 fe8000000000000000000000000000fe 00000400 0 0 00000003 eth0\n' 0 0 \
        >"$1/proc/net/ipv6_route"
    echo 02:00:00:00:00:01 >"$net/address"
    echo 1500 >"$net/mtu"
    echo up >"$net/operstate"
    echo 8 >"$disk/size"
    echo 1 | tee "$disk/removable" "$disk/ro" "$disk/queue/rotational" >"$disk/device/model"
    echo x >"$disk/device/vendor"
    touch "$1/usr/bin/dnf"
    mkdir "$1/proc/1"
    ln -s ../.. "$1/proc/1/root"
}

@test "the manual has each fact with its type, and each fact of the manual is there" {
    needs_python
    [ -x "$abs_top_builddir/tests/unit/facts-of" ] || skip "needs the programs of 'make check'"
    full_machine machine
    rhost facts --format=json >here.json
    "$abs_top_builddir/tests/unit/facts-of" machine >full.json
    # Addresses only come from this machine, and it may have none that others reach.
    echo '{"network": {"address": "x", "address6": "x"}}' >addresses.json
    python3 - "$abs_top_srcdir/docs/reference/facts.md" here.json full.json addresses.json <<'PY'
import json, re, sys

kinds = {bool: "Boolean", int: "Integer", str: "String"}
named = {"disks", "locale", "mounts", "users", "network.interfaces"}
rows = dict(re.findall(r"^\| `([^`]+)` \| (\w+) \|", open(sys.argv[1]).read(), re.M))
met, wrong = set(), []

def walk(path, v):
    if isinstance(v, dict):
        for key, value in v.items():
            key = "NAME" if path in named else key
            walk(path + "." + key if path else key, value)
    elif isinstance(v, list):
        for value in v:
            walk(path + "[]", value)
    elif rows.get(path) != kinds[type(v)]:
        wrong.append("%s is %s, documented: %s" % (path, kinds[type(v)], rows.get(path)))
    else:
        met.add(path)

for name in sys.argv[2:]:
    walk("", json.load(open(name)))
wrong += [path + " is documented and never there" for path in rows if path not in met]
print("\n".join(wrong))
sys.exit(len(wrong) > 0 or len(rows) < 60)
PY
}

@test "a key with a NUL is refused, and not taken for what stands before it" {
    directory
    printf '{"n": "x\\u0000:", "b\\\\u0000": 3}' >facts.d/1.json
    printf '{"m": {"c\\u0000d" : 2}}' >facts.d/2.json
    run mine b
    status_is 1
    run mine m
    status_is 1
    says "$work/facts.d/2.json:1:10: warning: invalid JSON: a key contains a NUL character"
    run mine 'n'
    status_is 0
}
