/* SPDX-License-Identifier: Apache-2.0 */
/* system - the kernel and what runs on it: how long, under which init, guarded by what. */
#include "config.h"

#include "facts/builtin.h"

#include "base/arena.h"
#include "base/value.h"
#include "facts/probe.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct rh_value *
rh_fact_kernel(const struct rh_probe *l)
{
    struct rh_value *kernel = rh_value_new(l->arena, RH_HASH);
    struct utsname u;

    if (l->live && uname(&u) == 0) {
        rh_probe_put(l, kernel, "name", u.sysname);
        rh_probe_put(l, kernel, "release", u.release);
        rh_probe_put(l, kernel, "version", u.version);
    } else {
        rh_probe_put(l, kernel, "name", rh_probe_line(l, "/proc/sys/kernel/ostype"));
        rh_probe_put(l, kernel, "release", rh_probe_line(l, "/proc/sys/kernel/osrelease"));
        rh_probe_put(l, kernel, "version", rh_probe_line(l, "/proc/sys/kernel/version"));
    }
    return rh_probe_filled(kernel);
}

struct rh_value *
rh_fact_architecture(const struct rh_probe *l)
{
    struct utsname u;

    if (l->live && uname(&u) == 0)
        return rh_probe_string(l, u.machine);
    return rh_probe_string(l, rh_probe_line(l, "/proc/sys/kernel/arch"));
}

struct rh_value *
rh_fact_uptime(const struct rh_probe *l)
{
    char *line = rh_probe_line(l, "/proc/uptime");
    int64_t seconds;

    if (line)
        line[strcspn(line, ". ")] = '\0';
    seconds = rh_probe_integer(line);
    return seconds < 0 ? NULL : rh_value_integer(l->arena, seconds);
}

struct rh_value *
rh_fact_boot_time(const struct rh_probe *l)
{
    char *text = rh_probe_text(l, "/proc/stat"), *line;
    int64_t seconds = -1;

    while ((line = rh_probe_next(&text)))
        if (strncmp(line, "btime ", 6) == 0)
            seconds = rh_probe_integer(line + 6);
    return seconds <= 0 ? NULL : rh_value_integer(l->arena, seconds);
}

/* What an image will start with. */
static struct rh_value *
init_of_image(const struct rh_probe *l)
{
    static const struct {
        const char *program, *name;
    } known[] = {
        { "systemd", "systemd" }, { "openrc-init", "openrc" }, { "runit-init", "runit" },
        { "runit", "runit" },     { "s6-linux-init", "s6" },   { "dinit", "dinit" },
    };
    const char *first = rh_probe_link(l, false, "/sbin/init");

    for (size_t i = 0; first && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(first, known[i].program) == 0)
            return rh_probe_string(l, known[i].name);
    if (!rh_probe_exists(l, "/sbin/init") || !rh_probe_exists(l, "/etc/inittab"))
        return NULL;
    return rh_probe_string(l, rh_probe_exists(l, "/sbin/openrc") ? "openrc" : "sysv");
}

/* Each says of itself that it runs; sysvinit only has its name and its table. */
struct rh_value *
rh_fact_init(const struct rh_probe *l)
{
    static const struct {
        const char *path, *name;
    } signs[] = {
        { "/run/systemd/system", "systemd" },
        { "/run/openrc/softlevel", "openrc" },
        { "/run/runit", "runit" },
        { "/run/s6/current", "s6" },
        { "/run/dinitctl", "dinit" },
    };
    const char *first = rh_probe_line(l, "/proc/1/comm");

    if (rh_probe_image(l) > 0)
        return init_of_image(l);
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (rh_probe_exists(l, signs[i].path))
            return rh_probe_string(l, signs[i].name);
    if (first && strcmp(first, "systemd") == 0)
        return rh_probe_string(l, "systemd");
    if (first && strcmp(first, "init") == 0 && rh_probe_exists(l, "/etc/inittab"))
        return rh_probe_string(l, "sysv");
    return NULL;
}

/* In this order one is preferred where several are there: what fetches and knows what needs what
 * stands before what only installs, and what came later before what it replaced. */
static const struct {
    const char *path, *name;
} managers[] = {
    { "/usr/bin/apt-get", "apt" },
    { "/usr/bin/dnf", "dnf" },
    { "/usr/bin/dnf5", "dnf" },
    { "/usr/bin/microdnf", "microdnf" },
    { "/usr/bin/tdnf", "tdnf" },
    { "/usr/bin/zypper", "zypper" },
    { "/usr/bin/yum", "yum" },
    { "/usr/bin/pacman", "pacman" },
    { "/sbin/apk", "apk" },
    { "/usr/bin/emerge", "portage" },
    { "/usr/bin/xbps-install", "xbps" },
    { "/usr/bin/eopkg", "eopkg" },
    { "/bin/opkg", "opkg" },
    { "/usr/bin/opkg", "opkg" },
    { "/usr/bin/dpkg", "dpkg" },
    { "/usr/bin/rpm", "rpm" },
    { "/usr/bin/nix-env", "nix" },
    { "/nix/var/nix/profiles/default/bin/nix-env", "nix" },
    { "/usr/bin/rpm-ostree", "rpm-ostree" },
    { "/usr/bin/flatpak", "flatpak" },
    { "/usr/bin/snap", "snap" },
};

struct rh_value *
rh_fact_package_managers(const struct rh_probe *l)
{
    struct rh_value *list = rh_value_new(l->arena, RH_ARRAY);
    const char *last = "";

    for (size_t i = 0; i < sizeof managers / sizeof managers[0]; i++)
        if (strcmp(managers[i].name, last) != 0 && rh_probe_exists(l, managers[i].path)) {
            last = managers[i].name;
            rh_value_append(list, rh_value_string(l->arena, last));
        }
    return rh_value_count(list) ? list : NULL;
}

struct rh_value *
rh_fact_package_manager(const struct rh_probe *l)
{
    struct rh_value *list = rh_fact_package_managers(l);

    return list ? rh_value_string(l->arena, rh_value_str(rh_value_at(list, 0), "")) : NULL;
}

/* The kernel says what is enforced now, the file what will be after a boot. */
struct rh_value *
rh_fact_selinux(const struct rh_probe *l)
{
    struct rh_value *selinux = rh_value_new(l->arena, RH_HASH);
    const char *enforce = rh_probe_line(l, "/sys/fs/selinux/enforce");
    char *text = rh_probe_text(l, "/etc/selinux/config"), *line;

    rh_probe_put_boolean(l, selinux, "enabled", enforce != NULL);
    rh_probe_put(l, selinux, "mode",
                 !enforce                    ? "disabled"
                 : strcmp(enforce, "1") == 0 ? "enforcing"
                                             : "permissive");
    while ((line = rh_probe_next(&text))) {
        char *value = *line == '#' ? NULL : rh_probe_value(line, '=');

        if (value && strcmp(line, "SELINUX") == 0)
            rh_probe_put(l, selinux, "configured_mode", value);
        else if (value && strcmp(line, "SELINUXTYPE") == 0)
            rh_probe_put(l, selinux, "policy", value);
    }
    return selinux;
}

struct rh_value *
rh_fact_apparmor(const struct rh_probe *l)
{
    struct rh_value *apparmor = rh_value_new(l->arena, RH_HASH);
    const char *enabled = rh_probe_line(l, "/sys/module/apparmor/parameters/enabled");

    rh_probe_put_boolean(l, apparmor, "enabled", enabled && *enabled == 'Y');
    return apparmor;
}

struct rh_value *
rh_fact_rhost(const struct rh_probe *l)
{
    struct rh_value *rhost = rh_value_new(l->arena, RH_HASH);

    rh_probe_put(l, rhost, "version", PACKAGE_VERSION);
    return rhost;
}
