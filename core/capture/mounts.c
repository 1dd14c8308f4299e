/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - entries of /etc/hosts and /etc/fstab. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/value.h"

#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

/* A name that every machine has in its file, or that is its own. */
static bool
is_own_host(const char *name, const char *ip)
{
    static const char *const names[] = { "localhost",    "localhost.localdomain", "ip6-localhost",
                                         "ip6-loopback", "ip6-localnet",          "ip6-mcastprefix",
                                         "ip6-allnodes", "ip6-allrouters",        "ip6-allhosts" };
    struct utsname self;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return strcmp(ip, "127.0.1.1") == 0 || (uname(&self) == 0 && strcasecmp(name, self.nodename) == 0);
}

void
rh_capture_hosts(struct looking *l)
{
    static const char *const attributes[] = { "name", "ip", "host_aliases", "comment", NULL };
    struct rh_value *items = rh_capture_list(l, "host");

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i);
        struct rh_value *copy = rh_capture_item(l, item, attributes);
        struct rh_captured *c;

        if (is_own_host(rh_value_get_str(item, "name", ""), rh_value_get_str(item, "ip", "")))
            continue;
        if (!rh_value_count(rh_value_get(copy, "host_aliases")))
            rh_value_drop(copy, "host_aliases");
        if (!*rh_value_get_str(copy, "comment", ""))
            rh_value_drop(copy, "comment");
        c = rh_capture_add(l, "Hosts", "host", copy);
        if (c)
            c->secret = rh_capture_secret("/etc/hosts");
    }
}

/* A device that no other machine has. */
static bool
is_own_device(const struct rh_value *item)
{
    static const char *const starts[] = { "/dev/", "UUID=", "PARTUUID=", "LABEL=", "PARTLABEL=", "ID=" };
    const char *device = rh_value_get_str(item, "device", "");

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(device, starts[i], strlen(starts[i])) == 0)
            return true;
    return strcmp(rh_value_get_str(item, "fstype", ""), "swap") == 0;
}

static bool
has_password(const struct rh_value *options)
{
    static const char *const names[] = { "password=", "password2=", "pass=", "passwd=",
                                         "secret=",   "token=",     "key=" };

    for (size_t i = 0; i < rh_value_count(options); i++)
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            if (strncasecmp(rh_value_str(rh_value_at(options, i), ""), names[k], strlen(names[k])) == 0)
                return true;
    return false;
}

static void
drop_zero(struct rh_value *item, const char *attribute)
{
    const struct rh_value *v = rh_value_get(item, attribute);

    if (rh_value_is(v, RH_INTEGER) && v->u.integer == 0)
        rh_value_drop(item, attribute);
}

void
rh_capture_mounts(struct looking *l)
{
    static const char *const attributes[] = { "name", "device", "fstype",  "options",
                                              "dump", "pass",   "mounted", NULL };
    static const char heading[] = "File systems";
    struct rh_value *items = rh_capture_list(l, "mount");
    const char *secret = rh_capture_secret("/etc/fstab");

    for (size_t i = 0; i < rh_value_count(items); i++) {
        const struct rh_value *item = rh_value_at(items, i), *persist = rh_value_get(item, "persist");
        struct rh_value *copy = rh_capture_item(l, item, attributes);
        const char *name = rh_value_get_str(item, "name", "");
        const char *device = rh_value_get_str(item, "device", "");
        struct rh_captured *c;

        if (persist && !rh_capture_is_true(item, "persist"))
            continue;
        drop_zero(copy, "dump");
        drop_zero(copy, "pass");
        if (!rh_capture_is_true(copy, "mounted"))
            rh_value_drop(copy, "mounted");
        if (!is_own_device(item) && *name == '/') {
            rh_capture_directory(l, heading, device);
            rh_capture_directory(l, heading, name);
        }
        c = rh_capture_add(l, heading, "mount", copy);
        if (!c)
            continue;
        c->secret = has_password(rh_value_get(item, "options")) ? "its options have a password" : secret;
        if (is_own_device(item))
            c->impossible = "it is on a disk of this machine";
    }
}
