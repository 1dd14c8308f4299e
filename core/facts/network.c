/* SPDX-License-Identifier: Apache-2.0 */
/* network - interfaces, their addresses, and where the way out leads. */
#include "config.h"

#include "facts/probe.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/value.h"
#include "facts/builtin.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INTERFACES = 4096, MOST_ADDRESSES = 1024 };

/* Interfaces. */

static struct rh_value *
interface(const struct rh_probe *l, struct rh_value *interfaces, const char *name)
{
    struct rh_value *one = rh_draft_get(interfaces, name);

    if (!rh_probe_string(l, name) || (!one && rh_value_count(interfaces) >= MOST_INTERFACES))
        return NULL;
    if (one)
        return one;
    one = rh_value_new(l->arena, RH_HASH);
    rh_value_put(interfaces, name, one);
    return one;
}

static void
read_interfaces(const struct rh_probe *l, struct rh_value *interfaces)
{
    size_t n;
    char **names = rh_probe_names(l, &n, "/sys/class/net");

    for (size_t i = 0; i < n; i++) {
        const char *mac = rh_probe_line(l, "/sys/class/net/%s/address", names[i]);
        int64_t mtu = rh_probe_number(l, "/sys/class/net/%s/mtu", names[i]);
        struct rh_value *one;

        if (!mac && mtu < 0) /* "bonding_masters" is a file */
            continue;
        one = interface(l, interfaces, names[i]);
        if (!one)
            continue;
        if (mac && strspn(mac, "0:") != strlen(mac))
            rh_probe_put(l, one, "mac", mac);
        rh_probe_put_number(l, one, "mtu", mtu);
        rh_probe_put(l, one, "state", rh_probe_line(l, "/sys/class/net/%s/operstate", names[i]));
    }
}

/* Addresses. */

static int64_t
prefix_of(const unsigned char *mask, size_t n)
{
    int64_t bits = 0;

    for (size_t i = 0; i < n; i++)
        for (int bit = 7; bit >= 0; bit--) {
            if (!(mask[i] >> bit & 1))
                return bits;
            bits++;
        }
    return bits;
}

static const char *
scope_of(int family, const unsigned char *p)
{
    struct in6_addr six;

    if (family == AF_INET)
        return p[0] == 127 ? "host" : p[0] == 169 && p[1] == 254 ? "link" : "global";
    memcpy(&six, p, sizeof six);
    return IN6_IS_ADDR_LOOPBACK(&six) ? "host" : IN6_IS_ADDR_LINKLOCAL(&six) ? "link" : "global";
}

/* The bytes of a socket address, copied: nobody promises that they are aligned. */
static size_t
bytes_of(const struct sockaddr *s, unsigned char *to)
{
    if (s && s->sa_family == AF_INET) {
        memcpy(to, (const char *)s + offsetof(struct sockaddr_in, sin_addr), 4);
        return 4;
    }
    if (s && s->sa_family == AF_INET6) {
        memcpy(to, (const char *)s + offsetof(struct sockaddr_in6, sin6_addr), 16);
        return 16;
    }
    return 0;
}

static struct rh_value *
list_of(const struct rh_probe *l, struct rh_value *one)
{
    struct rh_value *list = rh_draft_get(one, "addresses");

    if (list)
        return list;
    list = rh_value_new(l->arena, RH_ARRAY);
    rh_value_put(one, "addresses", list);
    return list;
}

static void
read_addresses(const struct rh_probe *l, struct rh_value *interfaces, const struct ifaddrs *all)
{
    for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
        unsigned char bytes[16], mask[16];
        char text[INET6_ADDRSTRLEN];
        struct rh_value *one = a->ifa_name ? interface(l, interfaces, a->ifa_name) : NULL;
        struct rh_value *address, *list;
        size_t n = bytes_of(a->ifa_addr, bytes);

        if (!one)
            continue;
        if (!rh_value_get(one, "state"))
            rh_probe_put(l, one, "state", a->ifa_flags & IFF_UP ? "up" : "down");
        if (!n || !inet_ntop(a->ifa_addr->sa_family, bytes, text, sizeof text))
            continue;
        list = list_of(l, one);
        if (rh_value_count(list) >= MOST_ADDRESSES)
            continue;
        address = rh_value_new(l->arena, RH_HASH);
        rh_probe_put(l, address, "address", text);
        rh_probe_put(l, address, "family", n == 4 ? "inet" : "inet6");
        if (bytes_of(a->ifa_netmask, mask) == n)
            rh_probe_put_number(l, address, "prefix", prefix_of(mask, n));
        rh_probe_put(l, address, "scope", scope_of(a->ifa_addr->sa_family, bytes));
        rh_value_append(list, address);
    }
}

/* The way out. */

struct way {
    char *interface;
    unsigned long metric;
    char gateway[INET6_ADDRSTRLEN];
};

static bool
hex(const char *text, unsigned long *n)
{
    char *end;

    if (!text || !*text || strspn(text, "0123456789abcdefABCDEF") != strlen(text) || strlen(text) > 8)
        return false;
    *n = strtoul(text, &end, 16);
    return true;
}

/* Of several default routes, that with the least metric; of equals, the first. */
static struct way
way_4(const struct rh_probe *l)
{
    struct way best = { 0 };
    char *text = rh_probe_text(l, "/proc/net/route"), *line;

    while ((line = rh_probe_next(&text))) {
        char *word[8];
        unsigned long destination, gateway, flags, mask;
        int64_t metric;
        size_t n = 0;
        uint32_t raw;

        while (n < 8 && (word[n] = rh_probe_word(&line)))
            n++;
        if (n < 8 || !hex(word[1], &destination) || !hex(word[2], &gateway) || !hex(word[3], &flags)
            || !hex(word[7], &mask) || destination || mask || !(flags & 1) || flags & 0x200)
            continue;
        metric = rh_probe_integer(word[6]);
        if (metric < 0 || (best.interface && (unsigned long)metric >= best.metric))
            continue;
        best = (struct way){ .interface = word[0], .metric = (unsigned long)metric };
        raw = (uint32_t)gateway; /* in the order of the bytes in memory, as it was printed */
        if (raw && !inet_ntop(AF_INET, &raw, best.gateway, sizeof best.gateway))
            best.gateway[0] = '\0';
    }
    return best;
}

static bool
address_of_hex(const char *text, unsigned char *to)
{
    if (strlen(text) != 32)
        return false;
    for (int i = 0; i < 16; i++) {
        char two[3] = { text[2 * i], text[2 * i + 1], '\0' };
        unsigned long byte;

        if (!hex(two, &byte))
            return false;
        to[i] = (unsigned char)byte;
    }
    return true;
}

static struct way
way_6(const struct rh_probe *l)
{
    static const unsigned char none[16];
    struct way best = { 0 };
    char *text = rh_probe_text(l, "/proc/net/ipv6_route"), *line;

    while ((line = rh_probe_next(&text))) {
        char *word[10];
        unsigned char to[16], gateway[16];
        unsigned long metric, flags;
        size_t n = 0;

        while (n < 10 && (word[n] = rh_probe_word(&line)))
            n++;
        if (n < 10 || !address_of_hex(word[0], to) || memcmp(to, none, 16) != 0 || strcmp(word[1], "00") != 0
            || !address_of_hex(word[4], gateway) || !hex(word[5], &metric) || !hex(word[8], &flags)
            || !(flags & 1) || flags & 0x200 || strcmp(word[9], "lo") == 0
            || (best.interface && metric >= best.metric))
            continue;
        best = (struct way){ .interface = word[9], .metric = metric };
        if (memcmp(gateway, none, 16) != 0
            && !inet_ntop(AF_INET6, gateway, best.gateway, sizeof best.gateway))
            best.gateway[0] = '\0';
    }
    return best;
}

/* The first address of a family that others may reach, on one interface. */
static const char *
address_on(const struct rh_value *one, const char *family)
{
    const struct rh_value *list = rh_value_get(one, "addresses");

    for (size_t i = 0; i < rh_value_count(list); i++) {
        const struct rh_value *a = rh_value_at(list, i);

        if (strcmp(rh_value_get_str(a, "family", ""), family) == 0
            && strcmp(rh_value_get_str(a, "scope", ""), "global") == 0)
            return rh_value_get_str(a, "address", NULL);
    }
    return NULL;
}

/* On the default route's interface; without one, on the first that has any. */
static const char *
primary(const struct rh_value *interfaces, const char *default_interface, const char *family)
{
    const char *found = NULL;

    if (default_interface)
        found = address_on(rh_value_get(interfaces, default_interface), family);
    for (size_t i = 0; !found && i < rh_value_count(interfaces); i++)
        found = address_on(rh_value_entry(interfaces, i)->value, family);
    return found;
}

struct rh_value *
rh_network_read(const struct rh_probe *l, const struct ifaddrs *addresses)
{
    struct rh_value *network = rh_value_new(l->arena, RH_HASH);
    struct rh_value *interfaces = rh_value_new(l->arena, RH_HASH);
    struct way four = way_4(l), six = way_6(l);
    const char *out = four.interface ? four.interface : six.interface;

    read_interfaces(l, interfaces);
    read_addresses(l, interfaces, addresses);
    rh_probe_put(l, network, "address", primary(interfaces, four.interface, "inet"));
    rh_probe_put(l, network, "address6", primary(interfaces, six.interface, "inet6"));
    rh_probe_put(l, network, "default_gateway", four.gateway);
    rh_probe_put(l, network, "default_gateway6", six.gateway);
    rh_probe_put(l, network, "default_interface", out);
    if (out)
        rh_probe_put(l, network, "mac", rh_value_get_str(rh_value_get(interfaces, out), "mac", NULL));
    if (interfaces->count)
        rh_value_put(network, "interfaces", interfaces);
    return rh_probe_filled(network);
}

struct rh_value *
rh_fact_network(const struct rh_probe *l)
{
    struct ifaddrs *addresses = NULL;
    struct rh_value *network;

    if (l->live && getifaddrs(&addresses) < 0)
        addresses = NULL;
    network = rh_network_read(l, addresses);
    if (addresses)
        freeifaddrs(addresses);
    return network;
}
