/* SPDX-License-Identifier: Apache-2.0 */
/* test-facts - built-in facts of made-up machines: what their files say, and nothing when they are odd. */
#include "config.h"

#include "facts/facts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "facts/probe.h"

#include <arpa/inet.h>
#include <ftw.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct machine {
    char root[64];
    struct rh_facts *facts;
};

static int
setup(void **state)
{
    struct machine *m = rh_xalloc(sizeof *m);
    const struct rh_facts_options options = { .root = m->root };

    (void)snprintf(m->root, sizeof m->root, "/tmp/rhost-test-facts-XXXXXX");
    if (!mkdtemp(m->root))
        return -1;
    m->facts = rh_facts_new(&options);
    *state = m;
    return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int
teardown(void **state)
{
    struct machine *m = *state;

    rh_facts_free(m->facts);
    (void)nftw(m->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(m);
    return 0;
}

/* The path of something on the machine, whose folder is there then; the caller's. */
static char *
place(const struct machine *m, const char *path)
{
    char *whole = rh_printf("%s%s", m->root, path), *slash = strrchr(whole, '/');

    *slash = '\0';
    assert_int_equal(rh_make_directory(whole, 0755, NULL), 0);
    *slash = '/';
    return whole;
}

static void
put_bytes(const struct machine *m, const char *path, const char *bytes, size_t n)
{
    rh_autofree char *whole = place(m, path);
    FILE *f = fopen(whole, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void
put(const struct machine *m, const char *path, const char *text)
{
    put_bytes(m, path, text, strlen(text));
}

static void
put_link(const struct machine *m, const char *path, const char *target)
{
    rh_autofree char *whole = place(m, path);

    assert_int_equal(symlink(target, whole), 0);
}

/* The fact is this, as JSON; NULL: there is none. */
static void
assert_json(const struct rh_value *v, const char *json)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf is = { 0 }, should = { 0 };

    if (v)
        rh_value_to_json(&is, v, true);
    if (json)
        rh_value_to_json(&should, rh_value_from_json(a, json, strlen(json), NULL), true);
    assert_string_equal(rh_buf_text(&is), rh_buf_text(&should));
}

static void
assert_fact(const struct machine *m, const char *name, const char *json)
{
    assert_json(rh_facts_get(m->facts, name), json);
}

/* Systems. */

static void
test_debian(void **state)
{
    const struct machine *m = *state;

    put(m, "/usr/lib/os-release",
        "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n"
        "VERSION_ID=\"12\"\nVERSION=\"12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n");
    put_link(m, "/etc/os-release", "../usr/lib/os-release");
    put(m, "/etc/debian_version", "12.5\n");
    put(m, "/usr/bin/apt-get", "");
    put(m, "/usr/bin/dpkg", "");
    put(m, "/etc/default/locale", "LANG=\"de_DE.UTF-8\"\n#  LC_ALL=C\nPATH=/bin\n");
    assert_fact(m, "os",
                "{\"name\":\"Debian GNU/Linux\",\"id\":\"debian\",\"family\":\"debian\","
                "\"version\":{\"full\":\"12.5\",\"major\":12,\"minor\":5},\"codename\":\"bookworm\","
                "\"pretty_name\":\"Debian GNU/Linux 12 (bookworm)\"}");
    assert_fact(m, "package_manager", "\"apt\"");
    assert_fact(m, "package_managers", "[\"apt\",\"dpkg\"]");
    assert_fact(m, "locale", "{\"LANG\":\"de_DE.UTF-8\"}");
}

static void
test_redhat(void **state)
{
    const struct machine *m = *state;

    put(m, "/usr/lib/os-release",
        "# comment\nNAME='Some Linux'\nVERSION=\"9.3 (Blue \\\"Onyx\\\")\"\nID=\"some\"\n"
        "ID_LIKE=\"other rhel centos fedora\"\nVERSION_ID=\"9.3\"\nVARIANT_ID=server\nodd line\n");
    put(m, "/usr/bin/dnf", "");
    put(m, "/usr/bin/yum", "");
    put(m, "/usr/bin/rpm", "");
    put(m, "/sys/fs/selinux/enforce", "1");
    put(m, "/etc/selinux/config", "# SELINUX=odd\nSELINUX=permissive\nSELINUXTYPE=targeted\n");
    assert_fact(m, "os",
                "{\"name\":\"Some Linux\",\"id\":\"some\",\"family\":\"redhat\","
                "\"version\":{\"full\":\"9.3\",\"major\":9,\"minor\":3},"
                "\"codename\":\"Blue \\\"Onyx\\\"\",\"variant\":\"server\"}");
    assert_fact(m, "package_managers", "[\"dnf\",\"yum\",\"rpm\"]");
    assert_fact(m, "selinux",
                "{\"enabled\":true,\"mode\":\"enforcing\",\"configured_mode\":\"permissive\","
                "\"policy\":\"targeted\"}");
}

static void
test_alpine(void **state)
{
    const struct machine *m = *state;

    put(m, "/etc/os-release", "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.19.1\n");
    put(m, "/sbin/apk", "");
    put(m, "/run/openrc/softlevel", "default");
    assert_fact(m, "os",
                "{\"name\":\"Alpine Linux\",\"id\":\"alpine\",\"family\":\"alpine\","
                "\"version\":{\"full\":\"3.19.1\",\"major\":3,\"minor\":19,\"patch\":1}}");
    assert_fact(m, "package_manager", "\"apk\"");
    assert_fact(m, "init", "\"openrc\"");
}

static void
test_odd_versions(void **state)
{
    const struct machine *m = *state;

    put(m, "/etc/os-release", "ID=nobody-knows\nVERSION_ID=20240101T000000\n");
    put(m, "/etc/debian_version", "12.5\n");
    assert_fact(m, "os",
                "{\"id\":\"nobody-knows\",\"family\":\"nobody-knows\","
                "\"version\":{\"full\":\"20240101T000000\"}}");
}

/* Where it runs. */

static void
test_virtual_machine(void **state)
{
    const struct machine *m = *state;

    put(m, "/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n");
    put(m, "/sys/class/dmi/id/product_name", "VMware7,1   \n");
    put(m, "/proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Fast\nphysical id\t: 0\ncore id\t: 0\nflags\t: fpu hypervisor\n\n"
        "processor\t: 1\nmodel name\t: Fast\nphysical id\t: 1\ncore id\t: 0\nflags\t: fpu hypervisor\n");
    put(m, "/run/systemd/system/units", "");
    assert_fact(m, "virtualization", "{\"kind\":\"vmware\",\"container\":\"none\",\"virtual\":true}");
    assert_fact(m, "processors", "{\"count\":2,\"physical\":2,\"cores\":2,\"models\":[\"Fast\"]}");
    assert_fact(m, "dmi", "{\"product\":{\"name\":\"VMware7,1\",\"vendor\":\"VMware, Inc.\"}}");
    assert_fact(m, "init", "\"systemd\"");
}

static void
test_unknown_hypervisor(void **state)
{
    const struct machine *m = *state;

    put(m, "/proc/cpuinfo", "flags\t: fpu hypervisor sse\n");
    assert_fact(m, "virtualization", "{\"kind\":\"other\",\"container\":\"none\",\"virtual\":true}");
}

static void
test_real_machine(void **state)
{
    const struct machine *m = *state;

    put(m, "/sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
    put(m, "/proc/cpuinfo", "flags\t: fpu hypervisors sse\n");
    put(m, "/sys/devices/system/cpu/online", "0-3,8,10-11\n");
    assert_fact(m, "virtualization", "{\"kind\":\"none\",\"container\":\"none\",\"virtual\":false}");
    assert_fact(m, "processors", "{\"count\":7}");
}

static void
test_container_says_its_name(void **state)
{
    const struct machine *m = *state;
    static const char environ[] = "PATH=/bin\0nocontainer=x\0container=lxc\0";

    put_bytes(m, "/proc/1/environ", environ, sizeof environ - 1);
    put(m, "/.dockerenv", "");
    assert_fact(m, "virtualization",
                "{\"kind\":\"none\",\"container\":\"lxc\",\"virtual\":true,\"chroot\":false}");
}

static void
test_docker(void **state)
{
    const struct machine *m = *state;

    put(m, "/.dockerenv", "");
    assert_fact(m, "virtualization",
                "{\"kind\":\"none\",\"container\":\"docker\",\"virtual\":true,\"chroot\":false}");
}

static void
test_podman(void **state)
{
    const struct machine *m = *state;

    put(m, "/run/systemd/container", "oci\n");
    put(m, "/run/.containerenv", "");
    put(m, "/proc/1/comm", "sleep\n");
    assert_fact(m, "virtualization",
                "{\"kind\":\"none\",\"container\":\"podman\",\"virtual\":true,\"chroot\":false}");
    assert_fact(m, "init", NULL);
}

/* Names. */

static void
test_name_in_hosts(void **state)
{
    const struct machine *m = *state;

    put(m, "/proc/sys/kernel/hostname", "db1\n");
    put(m, "/etc/hosts", "127.0.0.1 localhost db10.example.com\n192.0.2.7\tDB1.example.org db1 # db1.x\n");
    put(m, "/etc/resolv.conf", "search elsewhere.example\n");
    assert_fact(m, "hostname", "\"db1\"");
    assert_fact(m, "domain", "\"example.org\"");
    assert_fact(m, "fqdn", "\"db1.example.org\"");
}

static void
test_name_with_domain(void **state)
{
    const struct machine *m = *state;

    put(m, "/proc/sys/kernel/hostname", "db1.example.net\n");
    put(m, "/etc/hosts", "192.0.2.7 db1.example.org db1\n");
    assert_fact(m, "hostname", "\"db1\"");
    assert_fact(m, "fqdn", "\"db1.example.net\"");
}

static void
test_name_and_resolver(void **state)
{
    const struct machine *m = *state;

    put(m, "/proc/sys/kernel/hostname", "db1\n");
    put(m, "/etc/resolv.conf", "nameserver 192.0.2.1\nsearch first.example. second.example\n");
    assert_fact(m, "fqdn", "\"db1.first.example\"");
}

static void
test_name_alone(void **state)
{
    const struct machine *m = *state;

    put(m, "/proc/sys/kernel/hostname", "db1\n");
    assert_fact(m, "fqdn", "\"db1\"");
    assert_fact(m, "domain", NULL);
}

/* Numbers. */

static void
test_memory_and_time(void **state)
{
    const struct machine *m = *state;

    put(m, "/proc/meminfo",
        "MemTotal:       16316412 kB\nMemFree:   10 MB\nMemAvailable:   1 kB\nSwapTotal: 0 kB\n");
    put(m, "/proc/uptime", "12345.67 999.00\n");
    put(m, "/proc/stat", "cpu 1 2 3\nbtime 1700000000\n");
    put(m, "/etc/timezone", "UTC\n");
    assert_fact(m, "memory", "{\"total\":16708005888,\"available\":1024,\"swap\":{\"total\":0}}");
    assert_fact(m, "uptime", "12345");
    assert_fact(m, "boot_time", "1700000000");
    assert_fact(m, "timezone", "{\"name\":\"UTC\",\"abbreviation\":\"UTC\",\"offset\":0}");
}

static void
test_time_zone(void **state)
{
    const struct machine *m = *state;
    /* A file of one zone that is 5 1/2 hours ahead, and has never been anything else. */
    static const char zone[] = "TZif\0"
                               "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\0\0\0\0"
                               "\0\0\0\0"
                               "\0\0\0\0"
                               "\0\0\0\0"
                               "\0\0\0\1"
                               "\0\0\0\4"
                               "\0\0\x4d\x58"
                               "\0\0"
                               "IST";

    put_bytes(m, "/usr/share/zoneinfo/Asia/Kolkata", zone, sizeof zone);
    put_link(m, "/etc/localtime", "/usr/share/zoneinfo/Asia/Kolkata");
    put(m, "/etc/timezone", "Elsewhere\n");
    assert_int_equal(setenv("TZ", "UTC-3", 1), 0);
    assert_fact(m, "timezone", "{\"name\":\"Asia/Kolkata\",\"abbreviation\":\"IST\",\"offset\":19800}");
    assert_string_equal(getenv("TZ"), "UTC-3");
    assert_int_equal(unsetenv("TZ"), 0);
}

static void
test_mounts(void **state)
{
    const struct machine *m = *state;
    const struct rh_value *mounts;

    put(m, "/proc/self/mounts",
        "/dev/sda1 / ext4 rw,relatime 0 0\n"
        "proc /proc proc rw 0 0\n"
        "server:/x /srv nfs4 rw,vers=4.2 0 0\n"
        "tmpfs /srv/cache tmpfs rw 0 0\n"
        "auto /home autofs rw 0 0\n"
        "/dev/sdb1 /home/anna ext4 rw 0 0\n"
        "tmpfs /run/a\\040b tmpfs ro,nosuid 0 0\n"
        "x /media fuse.sshfs rw 0 0\n"
        "odd line\n");
    put(m, "/srv/cache/x", "");
    put(m, "/run/a b/x", "");
    put(m, "/home/anna/x", "");
    mounts = rh_facts_get(m->facts, "mounts");
    assert_int_equal(rh_value_count(mounts), 8);
    assert_non_null(rh_value_get(rh_value_get(mounts, "/"), "size"));
    assert_non_null(rh_value_get(rh_value_get(mounts, "/run/a b"), "available"));
    assert_non_null(rh_value_get(rh_value_get(mounts, "/home/anna"), "size"));
    assert_json(rh_value_get(rh_value_get(mounts, "/run/a b"), "options"), "[\"ro\",\"nosuid\"]");
    /* Neither a server is asked, nor what can only be reached through one. */
    assert_json(rh_value_get(mounts, "/srv"),
                "{\"device\":\"server:/x\",\"type\":\"nfs4\",\"options\":[\"rw\",\"vers=4.2\"]}");
    assert_null(rh_value_get(rh_value_get(mounts, "/srv/cache"), "size"));
    assert_null(rh_value_get(rh_value_get(mounts, "/media"), "size"));
}

static void
test_disks(void **state)
{
    const struct machine *m = *state;

    put(m, "/sys/block/sda/size", "2048\n");
    put(m, "/sys/block/sda/removable", "0\n");
    put(m, "/sys/block/sda/ro", "0\n");
    put(m, "/sys/block/sda/queue/rotational", "1\n");
    put(m, "/sys/block/sda/device/model", "SPINNER 3000    \n");
    put(m, "/sys/block/sda/device/vendor", "ACME    \n");
    put(m, "/sys/block/loop0/size", "16\n");
    assert_fact(m, "disks",
                "{\"sda\":{\"size\":1048576,\"model\":\"SPINNER 3000\",\"vendor\":\"ACME\","
                "\"rotational\":true,\"removable\":false,\"read_only\":false}}");
}

static void
test_users(void **state)
{
    const struct machine *m = *state;

    put(m, "/etc/passwd",
        "root:x:0:0:root,,,:/root:/bin/bash\n# none\nodd:x:1\nbad:x:minus:0::/:\nroot:x:5:5:::\n"
        "anna:x:1000:1000:Anna \xc3\x9c:/home/anna:/bin/zsh\nb\xff:x:1:1:::\n");
    assert_fact(m, "users",
                "{\"root\":{\"uid\":0,\"gid\":0,\"comment\":\"root\",\"home\":\"/root\","
                "\"shell\":\"/bin/bash\"},\"anna\":{\"uid\":1000,\"gid\":1000,"
                "\"comment\":\"Anna \xc3\x9c\",\"home\":\"/home/anna\",\"shell\":\"/bin/zsh\"}}");
}

static void
test_network(void **state)
{
    struct machine *m = *state;
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    const struct rh_probe look = { .arena = arena, .root = m->root };
    char eth[] = "eth0.7", lo[] = "lo";
    struct sockaddr_in four = { .sin_family = AF_INET }, mask = { .sin_family = AF_INET };
    struct sockaddr_in6 link = { .sin6_family = AF_INET6 };
    struct ifaddrs a[3] = {
        { .ifa_next = &a[1], .ifa_name = lo, .ifa_flags = IFF_UP },
        { .ifa_next = &a[2], .ifa_name = eth, .ifa_addr = (struct sockaddr *)&link },
        { .ifa_name = eth, .ifa_addr = (struct sockaddr *)&four, .ifa_netmask = (struct sockaddr *)&mask },
    };

    assert_int_equal(inet_pton(AF_INET, "192.0.2.7", &four.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET, "255.255.254.0", &mask.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET6, "fe80::1", &link.sin6_addr), 1);
    put(m, "/sys/class/net/eth0.7/address", "02:00:00:00:00:01\n");
    put(m, "/sys/class/net/eth0.7/mtu", "1500\n");
    put(m, "/sys/class/net/eth0.7/operstate", "up\n");
    put(m, "/sys/class/net/bonding_masters", "\n");
    put(m, "/proc/net/route",
        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
        "wlan0\t00000000\tFE0200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        "eth0.7\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        "eth0.7\t000200C0\t00000000\t0001\t0\t0\t0\t00FEFFFF\t0\t0\t0\n");
    put(m, "/proc/net/ipv6_route",
        "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
        "fe8000000000000000000000000000fe 00000400 00000001 00000000 00000003 eth0.7\n");
    assert_json(rh_network_read(&look, a),
                "{\"address\":\"192.0.2.7\",\"default_gateway\":\"192.0.2.1\","
                "\"default_gateway6\":\"fe80::fe\",\"default_interface\":\"eth0.7\","
                "\"mac\":\"02:00:00:00:00:01\",\"interfaces\":{\"eth0.7\":{"
                "\"mac\":\"02:00:00:00:00:01\",\"mtu\":1500,\"state\":\"up\",\"addresses\":["
                "{\"address\":\"fe80::1\",\"family\":\"inet6\",\"scope\":\"link\"},"
                "{\"address\":\"192.0.2.7\",\"family\":\"inet\",\"prefix\":23,\"scope\":\"global\"}]},"
                "\"lo\":{\"state\":\"up\"}}}");
}

/* One's own. */

static void
test_late_program(void **state)
{
    const struct machine *m = *state;
    rh_autofree char *folder = rh_printf("%s/facts.d", m->root), *pid_file = rh_printf("%s/pid", m->root);
    rh_autofree char *program = place(m, "/facts.d/late");
    rh_autofree char *text =
        rh_printf("#!/bin/sh\necho a=1\nsleep 300 &\necho $! >%s\nsleep 300\n", pid_file);
    rh_autofree char *pid = NULL, *stat_file = NULL, *stat = NULL;
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct rh_value *said = rh_value_new(arena, RH_ARRAY);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    const char *folders[] = { folder };
    const struct rh_facts_options options = {
        .root = m->root, .folders = folders, .n_folders = 1, .time_limit = 1, .complaints = &complaints
    };
    struct rh_facts *facts = rh_facts_new(&options);

    put(m, "/facts.d/late", text);
    assert_int_equal(chmod(program, 0755), 0);
    assert_null(rh_facts_get(facts, "kernel"));
    assert_int_equal(rh_complaints_count(&complaints), 0);
    assert_null(rh_facts_get(facts, "a"));
    assert_int_equal(rh_complaints_count(&complaints), 1);
    rh_complaints_to_value(&complaints, said);
    assert_non_null(
        strstr(rh_value_get_str(rh_value_at(said, 0), "message", ""), "took longer than 1 s and was killed"));
    /* Once is enough. */
    assert_null(rh_facts_get(facts, "b"));
    assert_int_equal(rh_complaints_count(&complaints), 1);
    /* What it started is gone as well, or nobody waits for it any more. */
    pid = rh_read_file(pid_file, 0, NULL, NULL);
    assert_non_null(pid);
    pid[strcspn(pid, "\n")] = '\0';
    stat_file = rh_printf("/proc/%s/stat", pid);
    stat = rh_read_file(stat_file, 0, NULL, NULL);
    assert_true(!stat || strstr(stat, ") Z "));
    rh_facts_free(facts);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
}

/* What is odd. */

static const char *const names[] = {
    "apparmor",
    "architecture",
    "boot_time",
    "disks",
    "dmi",
    "domain",
    "fqdn",
    "hostname",
    "identity",
    "init",
    "kernel",
    "locale",
    "memory",
    "mounts",
    "network",
    "os",
    "package_manager",
    "package_managers",
    "processors",
    "rhost",
    "selinux",
    "time",
    "timezone",
    "uptime",
    "users",
    "virtualization",
};
static const char *const files[] = {
    "/etc/debian_version",
    "/etc/group",
    "/etc/hosts",
    "/etc/locale.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/resolv.conf",
    "/etc/selinux/config",
    "/etc/timezone",
    "/proc/1/cgroup",
    "/proc/1/comm",
    "/proc/1/environ",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/net/ipv6_route",
    "/proc/net/route",
    "/proc/self/mounts",
    "/proc/stat",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/osrelease",
    "/proc/uptime",
    "/run/systemd/container",
    "/sys/block/sda/size",
    "/sys/block/sda/device/model",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/class/net/eth0/mtu",
    "/sys/devices/system/cpu/online",
    "/sys/fs/selinux/enforce",
};

enum { N_NAMES = sizeof names / sizeof names[0], N_FILES = sizeof files / sizeof files[0] };

/* What says nothing can't be wrong. */
static void
assert_nothing_odd(const struct machine *m)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        rh_autobuf struct rh_buf b = { 0 };
        const struct rh_value *v = rh_facts_get(m->facts, names[i]);

        if (v)
            rh_value_to_json(&b, v, true);
        assert_true(rh_utf8_valid(rh_buf_text(&b), b.n));
    }
    assert_null(rh_facts_get(m->facts, "uptime"));
    assert_null(rh_facts_get(m->facts, "boot_time"));
    assert_null(rh_facts_get(m->facts, "memory"));
}

static void
test_nothing(void **state)
{
    assert_nothing_odd(*state);
}

static void
test_garbage(void **state)
{
    static const char odd[] = "\n\n  :=-,.09afzZ\t\"'\\#\x01\xff\xc3\x9c";
    char bytes[5000];
    unsigned seed = 1;

    for (size_t i = 0; i < sizeof bytes; i++) {
        seed = seed * 1103515245U + 12345U;
        bytes[i] = odd[(seed >> 16) % sizeof odd];
    }
    for (size_t i = 0; i < N_FILES; i++)
        put_bytes(*state, files[i], bytes + i * 50, 2000);
    assert_nothing_odd(*state);
}

static void
test_huge(void **state)
{
    for (size_t i = 0; i < N_FILES; i++) {
        rh_autofree char *path = place(*state, files[i]);

        put(*state, files[i], "1.0\nbtime 1\nMemTotal: 1 kB\n");
        assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    }
    assert_nothing_odd(*state);
}

static void
test_pipes(void **state)
{
    for (size_t i = 0; i < N_FILES; i++) {
        rh_autofree char *path = place(*state, files[i]);

        assert_int_equal(mkfifo(path, 0644), 0);
    }
    (void)alarm(20);
    assert_nothing_odd(*state);
    (void)alarm(0);
}

static void
test_lazy(void **state)
{
    const struct machine *m = *state;

    put(m, "/etc/os-release", "ID=debian\n");
    assert_fact(m, "os", "{\"id\":\"debian\",\"family\":\"debian\"}");
    /* What was read is not read again; what was not read has not been looked for. */
    put(m, "/etc/os-release", "ID=alpine\n");
    put(m, "/proc/uptime", "5.0 1.0\n");
    assert_fact(m, "os", "{\"id\":\"debian\",\"family\":\"debian\"}");
    assert_fact(m, "uptime", "5");
    assert_fact(m, "memory", NULL);
    put(m, "/proc/meminfo", "MemTotal: 1 kB\n");
    assert_fact(m, "memory", NULL);
    assert_fact(m, "nothing_such", NULL);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_debian),
        CASE(test_redhat),
        CASE(test_alpine),
        CASE(test_odd_versions),
        CASE(test_virtual_machine),
        CASE(test_unknown_hypervisor),
        CASE(test_real_machine),
        CASE(test_container_says_its_name),
        CASE(test_docker),
        CASE(test_podman),
        CASE(test_name_in_hosts),
        CASE(test_name_with_domain),
        CASE(test_name_and_resolver),
        CASE(test_name_alone),
        CASE(test_memory_and_time),
        CASE(test_time_zone),
        CASE(test_mounts),
        CASE(test_disks),
        CASE(test_users),
        CASE(test_network),
        CASE(test_late_program),
        CASE(test_nothing),
        CASE(test_garbage),
        CASE(test_huge),
        CASE(test_pipes),
        CASE(test_lazy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
