/* SPDX-License-Identifier: Apache-2.0 */
/* address - IP addresses and networks, as text in one form and as bits. */

#include "address.h"

#include <stdlib.h>

static unsigned
bits_of(int family)
{
    return family == AF_INET ? 32 : 128;
}

int
address_parse(const char *text, struct address *a, int *has_prefix)
{
    char host[INET6_ADDRSTRLEN];
    size_t len = strcspn(text, "/");
    const char *digits = text[len] ? text + len + 1 : NULL;

    *a = (struct address){ .family = memchr(text, ':', len) ? AF_INET6 : AF_INET };
    if (len >= sizeof host)
        return 0;
    memcpy(host, text, len);
    host[len] = '\0';
    if (inet_pton(a->family, host, a->bytes) != 1)
        return 0;
    a->prefix = bits_of(a->family);
    if (has_prefix)
        *has_prefix = digits != NULL;
    if (!digits)
        return 1;
    if (!*digits || strlen(digits) > 3 || strspn(digits, "0123456789") != strlen(digits))
        return 0;
    a->prefix = (unsigned)strtoul(digits, NULL, 10);
    return a->prefix <= bits_of(a->family);
}

const char *
address_text(rhost_ctx *ctx, const struct address *a, int with_prefix)
{
    char host[INET6_ADDRSTRLEN];

    (void)inet_ntop(a->family, a->bytes, host, sizeof host);
    return with_prefix ? rhost_fmt(ctx, "%s/%u", host, a->prefix) : rhost_strdup(ctx, host);
}

static int
bit(const struct address *a, unsigned i)
{
    return a->bytes[i / 8] >> (7 - i % 8) & 1;
}

int
address_is_in(const struct address *a, const struct address *network)
{
    if (a->family != network->family)
        return 0;
    for (unsigned i = 0; i < network->prefix; i++)
        if (bit(a, i) != bit(network, i))
            return 0;
    return 1;
}

void
address_cut(struct address *a)
{
    for (unsigned i = a->prefix; i < bits_of(a->family); i++)
        a->bytes[i / 8] &= (unsigned char)~(1u << (7 - i % 8));
}

/* Whether all bits behind the prefix are this. */
static int
rest_is(const struct address *a, int value)
{
    for (unsigned i = a->prefix; i < bits_of(a->family); i++)
        if (bit(a, i) != value)
            return 0;
    return 1;
}

const char *
address_fault(const struct address *a)
{
    struct address zero = { .family = a->family, .prefix = bits_of(a->family) };

    if (address_is_in(a, &zero))
        return "it is the unspecified address";
    if (a->family == AF_INET ? a->bytes[0] >= 224 : a->bytes[0] == 0xff)
        return a->family == AF_INET && a->bytes[0] >= 240 ? "it is reserved" : "it is a multicast address";
    if (a->prefix == 0)
        return "the length of its prefix is 0";
    if (a->family == AF_INET && a->prefix < 31 && rest_is(a, 0))
        return "it is the address of the network, not of a machine in it";
    if (a->family == AF_INET && a->prefix < 31 && rest_is(a, 1))
        return "it is the broadcast address of the network";
    return NULL;
}

int
address_is_link_local(const struct address *a)
{
    return a->family == AF_INET6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}
