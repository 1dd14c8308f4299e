/* SPDX-License-Identifier: Apache-2.0 */
/* address - addresses and ports in the one form that ufw keeps. */

#include "address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>

enum { MOST_PORTS = 15 }; /* the kernel takes no more in one rule, and a range counts twice */

int
ufw_family(const char *address)
{
    return strcmp(address, "any") == 0 ? 0 : strchr(address, ':') ? 6 : 4;
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

const char *
ufw_address(rhost_ctx *ctx, const char *text)
{
    size_t len = strcspn(text, "/");
    int v6 = memchr(text, ':', len) != NULL, most = v6 ? 128 : 32, prefix = most;
    char printed[INET6_ADDRSTRLEN];
    unsigned char bytes[16];

    if (strcmp(text, "any") == 0)
        return text;
    if (inet_pton(v6 ? AF_INET6 : AF_INET, rhost_copy(ctx, text, len), bytes) != 1)
        return NULL;
    if (text[len])
        prefix = prefix_length(text + len + 1, most);
    if (prefix < 0)
        return NULL;
    if (prefix == 0)
        return "any";
    for (int bit = prefix; bit < most; bit++)
        bytes[bit / 8] &= (unsigned char)~(0x80 >> bit % 8);
    if (!inet_ntop(v6 ? AF_INET6 : AF_INET, bytes, printed, sizeof printed))
        return NULL;
    return prefix == most ? rhost_strdup(ctx, printed) : rhost_fmt(ctx, "%s/%d", printed, prefix);
}

struct range {
    long first, last;
};

static int
by_first(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

const char *
ufw_ports(rhost_ctx *ctx, const char *text)
{
    struct range ranges[MOST_PORTS];
    const char *sorted = "", *p = text;
    size_t n = 0, cost = 0;

    if (strcmp(text, "any") == 0)
        return text;
    for (;;) {
        struct range *r = &ranges[n];
        char *end;

        if (!isdigit((unsigned char)*p) || n == MOST_PORTS)
            return NULL;
        r->first = r->last = strtol(p, &end, 10);
        if (*end == ':' && isdigit((unsigned char)end[1]))
            r->last = strtol(end + 1, &end, 10);
        if (r->first < 1 || r->last < r->first || r->last > 65535 || (*end && *end != ','))
            return NULL;
        cost += r->first == r->last ? 1 : 2;
        n++;
        if (!*end)
            break;
        p = end + 1;
    }
    if (cost > MOST_PORTS)
        return NULL;
    qsort(ranges, n, sizeof *ranges, by_first);
    for (size_t i = 0; i < n; i++) {
        sorted = rhost_fmt(ctx, "%s%s%ld", sorted, i ? "," : "", ranges[i].first);
        if (ranges[i].last != ranges[i].first)
            sorted = rhost_fmt(ctx, "%s:%ld", sorted, ranges[i].last);
    }
    return sorted;
}
