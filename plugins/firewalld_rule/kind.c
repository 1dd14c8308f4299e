/* SPDX-License-Identifier: Apache-2.0 */
/* kind - what a zone can have, and the one form of each value. */

#include "kind.h"

#include "rich.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <stdlib.h>

static const struct kind kinds[] = {
    { .name = "service", .option = "service", .listed = "services", .offline_zone = 1 },
    { .name = "port", .option = "port", .listed = "ports", .ports = 1 },
    { .name = "protocol", .option = "protocol", .listed = "protocols" },
    { .name = "source_port", .option = "source-port", .listed = "source-ports", .ports = 1 },
    { .name = "icmp_block", .option = "icmp-block", .listed = "icmp-blocks" },
    { .name = "source", .option = "source", .listed = "sources", .moves = 1 },
    { .name = "interface", .option = "interface", .listed = "interfaces", .moves = 1 },
    { .name = "rich_rule", .option = "rich-rule", .listed = "rich rules", .lines = 1 },
    { .name = "forward_port", .option = "forward-port", .listed = "forward-ports", .lines = 1 },
    { .name = "masquerade", .option = "masquerade", .listed = "masquerade", .flag = 1 },
    { .name = "forward", .option = "forward", .listed = "forward", .flag = 1 },
    { .name = "icmp_block_inversion",
      .option = "icmp-block-inversion",
      .listed = "icmp-block-inversion",
      .flag = 1 },
};

const struct kind *
kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const struct kind *
kind_listed(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].listed) == len && strncmp(kinds[i].listed, text, len) == 0)
            return &kinds[i];
    return NULL;
}

/* Of "8000-8010/tcp" the ports, and where the protocol begins; 0 where it is something else. */
static int
read_ports(const char *text, long *first, long *last, const char **protocol)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return 0;
    *first = *last = strtol(text, &end, 10);
    if (*end == '-' && isdigit((unsigned char)end[1]))
        *last = strtol(end + 1, &end, 10);
    if (*end != '/' || *first < 0 || *last < *first || *last > 65535)
        return 0;
    *protocol = end + 1;
    return strcmp(*protocol, "tcp") == 0 || strcmp(*protocol, "udp") == 0 || strcmp(*protocol, "sctp") == 0
           || strcmp(*protocol, "dccp") == 0;
}

static const char *
print_range(rhost_ctx *ctx, long first, long last)
{
    return first == last ? rhost_fmt(ctx, "%ld", first) : rhost_fmt(ctx, "%ld-%ld", first, last);
}

static const char *
canonical_ports(rhost_ctx *ctx, const char *value, const char **why)
{
    const char *protocol;
    long first, last;

    if (read_ports(value, &first, &last, &protocol))
        return rhost_fmt(ctx, "%s/%s", print_range(ctx, first, last), protocol);
    *why = "it must be PORT/PROTOCOL or FIRST-LAST/PROTOCOL with tcp, udp, sctp or dccp, such as 8080/tcp";
    return NULL;
}

/* The length of a prefix, out of a number or a netmask; -1: it is none. */
static int
prefix_length(const char *mask, int most)
{
    struct in_addr address;
    uint32_t bits;
    char *end;
    long n;

    if (most == 32 && strchr(mask, '.')) {
        if (inet_pton(AF_INET, mask, &address) != 1)
            return -1;
        bits = ntohl(address.s_addr);
        for (n = 0; n < 32 && (bits & (UINT32_C(0x80000000) >> n)); n++)
            ;
        return n == 32 || (bits << n) == 0 ? (int)n : -1;
    }
    if (!isdigit((unsigned char)*mask))
        return -1;
    n = strtol(mask, &end, 10);
    return !*end && n <= most ? (int)n : -1;
}

static const char *
canonical_address(rhost_ctx *ctx, const char *value)
{
    size_t len = strcspn(value, "/");
    const char *address = rhost_copy(ctx, value, len);
    int family = strchr(address, ':') ? AF_INET6 : AF_INET, most = family == AF_INET ? 32 : 128,
        prefix = most;
    char text[INET6_ADDRSTRLEN];
    struct in6_addr binary;

    if (inet_pton(family, address, &binary) != 1 || !inet_ntop(family, &binary, text, sizeof text))
        return NULL;
    if (value[len])
        prefix = prefix_length(value + len + 1, most);
    if (prefix < 0)
        return NULL;
    return prefix == most ? rhost_strdup(ctx, text) : rhost_fmt(ctx, "%s/%d", text, prefix);
}

/* Whether it is six pairs of digits with colons between them. */
static int
is_mac(const char *value)
{
    if (strlen(value) != 17)
        return 0;
    for (size_t i = 0; i < 17; i++)
        if (i % 3 == 2 ? value[i] != ':' : !isxdigit((unsigned char)value[i]))
            return 0;
    return 1;
}

static int
is_name(const char *value, const char *also, size_t most)
{
    for (const char *p = value; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(also, *p))
            return 0;
    return *value && strlen(value) <= most && *value != '-';
}

static const char *
canonical_source(rhost_ctx *ctx, const char *value, const char **why)
{
    const char *address = canonical_address(ctx, value);

    if (address)
        return address;
    if (is_mac(value)) {
        char *upper = rhost_copy(ctx, value, strlen(value));

        for (char *p = upper; *p; p++)
            *p = (char)toupper((unsigned char)*p);
        return upper;
    }
    if (strncmp(value, "ipset:", 6) == 0 && is_name(value + 6, "_-.", 64))
        return value;
    *why = "it must be an address, a network such as 192.0.2.0/24, a hardware address, or ipset:NAME";
    return NULL;
}

/* "port=80:proto=tcp:toport=8080:toaddr=10.0.0.1": the last two may be left out, or be empty. */
static const char *
canonical_forward(rhost_ctx *ctx, const char *value, const char **why)
{
    static const char *const keys[] = { "port=", "proto=", "toport=", "toaddr=" };
    const char *parts[4] = { NULL, NULL, NULL, NULL }, *protocol, *address = "", *to = "";
    long first, last;

    *why =
        "it must be port=PORT:proto=PROTOCOL:toport=PORT:toaddr=ADDRESS; one of the last two may be missing";
    for (const char *p = value; *p;) {
        size_t k = 0, len;

        while (k < 4 && strncmp(p, keys[k], strlen(keys[k])) != 0)
            k++;
        if (k == 4 || parts[k])
            return NULL;
        p += strlen(keys[k]);
        len = k == 3 ? strlen(p) : strcspn(p, ":"); /* an address of IPv6 has colons */
        parts[k] = rhost_copy(ctx, p, len);
        p += len + (p[len] == ':');
    }
    if (!parts[0] || !parts[1]
        || !read_ports(rhost_fmt(ctx, "%s/%s", parts[0], parts[1]), &first, &last, &protocol))
        return NULL;
    parts[0] = print_range(ctx, first, last);
    if (parts[2] && *parts[2]) {
        if (!read_ports(rhost_fmt(ctx, "%s/tcp", parts[2]), &first, &last, &protocol))
            return NULL;
        to = print_range(ctx, first, last);
    }
    if (parts[3] && *parts[3])
        address = canonical_address(ctx, parts[3]);
    if (!address || (!*to && !*address))
        return NULL;
    *why = NULL;
    return rhost_fmt(ctx, "port=%s:proto=%s:toport=%s:toaddr=%s", parts[0], parts[1], to, address);
}

const char *
kind_canonical(rhost_ctx *ctx, const struct kind *kind, const char *value, const char **why)
{
    *why = NULL;
    if (kind->flag) {
        if (*value)
            *why = rhost_fmt(ctx, "'%s' has no value", kind->name);
        return *why ? NULL : value;
    }
    if (kind->ports)
        return canonical_ports(ctx, value, why);
    if (strcmp(kind->name, "source") == 0)
        return canonical_source(ctx, value, why);
    if (strcmp(kind->name, "forward_port") == 0)
        return canonical_forward(ctx, value, why);
    if (strcmp(kind->name, "rich_rule") == 0)
        return rich_canonical(ctx, value, why);
    if (strcmp(kind->name, "interface") == 0) {
        if (!is_name(value, "_-.:@+", IF_NAMESIZE - 1))
            *why = rhost_fmt(ctx, "it must be the name of an interface, of at most %d characters",
                             IF_NAMESIZE - 1);
    } else if (!is_name(value, "_-.+", 64)) {
        *why = rhost_fmt(ctx, "it must be the name of a %s",
                         strcmp(kind->name, "icmp_block") == 0 ? "type of ICMP" : kind->name);
    }
    return *why ? NULL : value;
}

int
kind_covers(const struct kind *kind, const char *has, const char *value, int some)
{
    const char *protocol_of, *protocol;
    long from, to, first, last;

    if (!kind->ports || !read_ports(has, &from, &to, &protocol_of)
        || !read_ports(value, &first, &last, &protocol))
        return strcmp(has, value) == 0;
    if (strcmp(protocol_of, protocol) != 0)
        return 0;
    return some ? from <= last && first <= to : from <= first && last <= to;
}
