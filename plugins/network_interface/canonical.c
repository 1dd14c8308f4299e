/* SPDX-License-Identifier: Apache-2.0 */
/* canonical - the one form of each attribute, for what manifests say and for what files have. */

#include "canonical.h"

#include "address.h"

const char *const canonical_keys[] = { "match",   "dhcp",   "addresses", "gateway", "dns",
                                       "domains", "routes", "mtu",       NULL };

/* One text of a list; NULL with the reason in *why. */
typedef const char *one_fn(rhost_ctx *ctx, const char *text, const char **why);

static const char *
one_address(rhost_ctx *ctx, const char *text, const char **why)
{
    struct address a;
    int has_prefix;

    if (!address_parse(text, &a, &has_prefix))
        *why = "is not an IP address with the length of its prefix, such as 192.0.2.10/24";
    else if (!has_prefix)
        *why = rhost_fmt(ctx, "has no length of a prefix: write %s/24, for example", text);
    else if (address_fault(&a))
        *why = rhost_fmt(ctx, "cannot be the address of an interface: %s", address_fault(&a));
    return *why ? NULL : address_text(ctx, &a, 1);
}

static const char *
one_gateway(rhost_ctx *ctx, const char *text, const char **why)
{
    struct address a;
    int has_prefix;

    if (!address_parse(text, &a, &has_prefix) || has_prefix)
        *why = "is not an IP address, such as 192.0.2.1";
    else if (address_fault(&a))
        *why = rhost_fmt(ctx, "cannot be a gateway: %s", address_fault(&a));
    return *why ? NULL : address_text(ctx, &a, 0);
}

/* "192.0.2.53", "[2001:db8::53]:5353%eth0#dns.example": what follows the address stays as it is. */
static const char *
one_server(rhost_ctx *ctx, const char *text, const char **why)
{
    size_t bracket = *text == '[', len = bracket ? strcspn(text, "]") - 1 : strcspn(text, "%#");
    const char *rest;
    struct address a;
    int has_prefix;

    if (bracket && !text[len + 1])
        return *why = "lacks the ']'", NULL;
    if (!bracket && memchr(text, '.', len) && memchr(text, ':', len) == strchr(text, ':') && strchr(text, ':')
        && strcspn(text, ":") < len && strspn(text, "0123456789.") == strcspn(text, ":"))
        len = strcspn(text, ":");
    rest = text + len + 2 * bracket;
    if (!address_parse(rhost_copy(ctx, text + bracket, len), &a, &has_prefix) || has_prefix
        || (*rest && !strchr(":%#", *rest)) || strpbrk(rest, " \t\n"))
        return *why = "is not the IP address of a DNS server, such as 192.0.2.53", NULL;
    if (address_is_in(&a, &(struct address){ .family = a.family, .prefix = a.prefix }))
        return *why = "is the unspecified address", NULL;
    if (bracket && *rest == ':')
        return rhost_fmt(ctx, "[%s]%s", address_text(ctx, &a, 0), rest);
    return rhost_fmt(ctx, "%s%s", address_text(ctx, &a, 0), rest);
}

static const char *
one_domain(rhost_ctx *ctx, const char *text, const char **why)
{
    const char *name = *text == '~' ? text + 1 : text;
    size_t len = strlen(name), label = 0;

    if (strcmp(name, ".") == 0)
        return text;
    if (!len || len > 253)
        *why = "is not the name of a domain";
    for (size_t i = 0; i < len && !*why; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c == '.' && (i == 0 || label == 0))
            *why = "is not the name of a domain: a label is empty";
        else if (c <= ' ' || c == '/' || c == ';' || c == '#' || c == '=' || c == '\\' || c == 127)
            *why = "is not the name of a domain";
        label = c == '.' ? 0 : label + 1;
        if (label > 63)
            *why = "is not the name of a domain: a label has more than 63 characters";
    }
    if (*why)
        return NULL;
    return name[len - 1] == '.' ? rhost_copy(ctx, text, strlen(text) - 1) : text;
}

/* A text, or a list of them, becomes a list. */
static const char *
list(rhost_ctx *ctx, rhost_value *in, const char *key, one_fn *one, const char **path)
{
    rhost_value *holder = ctx->host->new_hash(ctx), *out = ctx->host->put_array(holder, key);
    const rhost_value *v = rhost_get(in, key);
    int several = v->host->kind(v) == RHOST_ARRAY;

    for (size_t i = 0; i < (several ? rhost_count(v) : 1); i++) {
        const char *text = several ? rhost_str_at(v, i) : v->host->string(v, NULL), *why = NULL, *canonical;

        if (several)
            *path = rhost_fmt(ctx, "%s[%zu]", key, i);
        canonical = text ? one(ctx, text, &why) : NULL;
        if (!canonical)
            return rhost_fmt(ctx, "'%s' %s", text ? text : "", why ? why : "is no text");
        for (size_t k = 0; k < i; k++)
            if (strcmp(rhost_str_at(out, k), canonical) == 0)
                return rhost_fmt(ctx, "duplicate '%s'", canonical);
        rhost_put_str(out, NULL, canonical);
    }
    rhost_put_copy(in, key, out);
    return NULL;
}

static const char *
route(rhost_ctx *ctx, const rhost_value *from, rhost_value *to)
{
    const char *destination = rhost_str(from, "destination"), *gateway = rhost_str(from, "gateway"),
               *why = NULL;
    struct address d = { .family = AF_INET }, g = { .family = AF_INET };

    if (gateway && !one_gateway(ctx, gateway, &why))
        return rhost_fmt(ctx, "gateway '%s' %s", gateway, why);
    if (gateway)
        (void)address_parse(gateway, &g, NULL);
    if (!destination && !gateway)
        return "a route needs a 'destination' or a 'gateway'";
    if (!destination || strcmp(destination, "default") == 0)
        d.family = g.family;
    else if (!address_parse(destination, &d, NULL))
        return rhost_fmt(ctx, "destination '%s' is not a network, such as 198.51.100.0/24", destination);
    address_cut(&d);
    if (gateway && d.family != g.family)
        return rhost_fmt(ctx, "gateway '%s' is of another family than the destination", gateway);
    if (!gateway && rhost_bool(from, "onlink", 0))
        return "'onlink' needs a 'gateway'";
    rhost_put_str(to, "destination", address_text(ctx, &d, 1));
    if (gateway)
        rhost_put_str(to, "gateway", address_text(ctx, &g, 0));
    if (rhost_has(from, "metric"))
        rhost_put_int(to, "metric", rhost_int(from, "metric", 0));
    if (rhost_bool(from, "onlink", 0))
        rhost_put_bool(to, "onlink", 1);
    return NULL;
}

static const char *
routes(rhost_ctx *ctx, rhost_value *in, const char **path)
{
    rhost_value *holder = ctx->host->new_hash(ctx), *out = ctx->host->put_array(holder, "routes");
    const rhost_value *v = rhost_get(in, "routes");

    for (size_t i = 0; i < rhost_count(v); i++) {
        rhost_value *one = ctx->host->put_hash(out, NULL);
        const char *why = route(ctx, rhost_at(v, i, NULL), one);

        *path = rhost_fmt(ctx, "routes[%zu]", i);
        for (size_t k = 0; !why && k < i; k++)
            if (ctx->host->equal(rhost_at(out, k, NULL), one))
                why = "duplicate route";
        if (why)
            return why;
    }
    rhost_put_copy(in, "routes", out);
    return NULL;
}

/* Names and patterns of interfaces, with one blank between them. */
static const char *
match(rhost_ctx *ctx, rhost_value *in)
{
    const char *text = rhost_str(in, "match"), *out = "";

    while (*text) {
        size_t len = strcspn(text, " \t");

        if (len > 64)
            return "a name of an interface has at most 15 characters";
        if (len)
            out = rhost_fmt(ctx, "%s%s%.*s", out, *out ? " " : "", (int)len, text);
        text += len + strspn(text + len, " \t");
    }
    rhost_put_str(in, "match", out);
    return NULL;
}

const char *
canonical_attribute(rhost_ctx *ctx, rhost_value *in, const char *key, const char **path)
{
    const rhost_value *v = rhost_get(in, key);

    *path = key;
    if (!rhost_has(in, key))
        return NULL;
    if (strcmp(key, "match") == 0)
        return match(ctx, in);
    if (strcmp(key, "addresses") == 0)
        return list(ctx, in, key, one_address, path);
    if (strcmp(key, "gateway") == 0)
        return list(ctx, in, key, one_gateway, path);
    if (strcmp(key, "dns") == 0)
        return list(ctx, in, key, one_server, path);
    if (strcmp(key, "domains") == 0)
        return list(ctx, in, key, one_domain, path);
    if (strcmp(key, "routes") == 0)
        return routes(ctx, in, path);
    if (strcmp(key, "dhcp") == 0 && v->host->kind(v) == RHOST_BOOLEAN)
        rhost_put_str(in, key, v->host->boolean(v, 0) ? "yes" : "no");
    return NULL;
}

/* --- Whether the attributes go together. ---------------------------------------------------------- */

static int
has_dhcp(const rhost_value *config, int family)
{
    const char *dhcp = rhost_str_or(config, "dhcp", "no");

    return strcmp(dhcp, "yes") == 0 || strcmp(dhcp, family == AF_INET ? "ipv4" : "ipv6") == 0;
}

/* Through an address, or a route without a gateway. Where an address has no network, the other end of it may
 * be anywhere. */
static const char *
fault_of_gateway(rhost_ctx *ctx, const rhost_value *config, const char *text)
{
    const rhost_value *addresses = rhost_get(config, "addresses"), *all = rhost_get(config, "routes");
    struct address g, a;
    size_t n = 0;

    if (!address_parse(text, &g, NULL))
        return NULL;
    for (size_t i = 0; i < rhost_count(addresses); i++) {
        if (!address_parse(rhost_str_at(addresses, i), &a, NULL) || a.family != g.family)
            continue;
        n++;
        if (memcmp(a.bytes, g.bytes, sizeof a.bytes) == 0)
            return rhost_fmt(ctx, "gateway '%s' is an address of the interface itself", text);
        if (a.prefix == g.prefix || address_is_in(&g, &a))
            return NULL;
    }
    for (size_t i = 0; i < rhost_count(all); i++) {
        const rhost_value *one = rhost_at(all, i, NULL);

        if (!rhost_has(one, "gateway") && address_parse(rhost_str_or(one, "destination", ""), &a, NULL)
            && address_is_in(&g, &a))
            return NULL;
    }
    if (address_is_link_local(&g) || has_dhcp(config, g.family))
        return NULL;
    if (!n)
        return rhost_fmt(ctx, "gateway '%s' cannot be reached: the interface has no %s address, and no DHCP",
                         text, g.family == AF_INET ? "IPv4" : "IPv6");
    return rhost_fmt(ctx,
                     "gateway '%s' is in no network of 'addresses': correct one of them, or give a route "
                     "with 'onlink: true' instead",
                     text);
}

int
canonical_check(rhost_ctx *ctx, const rhost_value *config, const rhost_value *wanted)
{
    const rhost_value *gateways = rhost_get(config, "gateway"), *all = rhost_get(config, "routes");
    const rhost_value *addresses = rhost_get(config, "addresses"), *mtu = rhost_get(config, "mtu");
    int asked = rhost_has(wanted, "addresses") || rhost_has(wanted, "gateway") || rhost_has(wanted, "routes")
                || rhost_has(wanted, "dhcp");
    int failed = 0;

    for (size_t i = 0; asked && addresses && i < rhost_count(gateways); i++) {
        const char *why = fault_of_gateway(ctx, config, rhost_str_at(gateways, i));

        if (why)
            failed = rhost_fail_attr(ctx, "gateway", "%s", why);
    }
    for (size_t i = 0; asked && addresses && i < rhost_count(all); i++) {
        const rhost_value *one = rhost_at(all, i, NULL);
        const char *gateway = rhost_bool(one, "onlink", 0) ? NULL : rhost_str(one, "gateway");
        const char *why = gateway ? fault_of_gateway(ctx, config, gateway) : NULL;

        if (why)
            failed = rhost_fail_attr(ctx, rhost_fmt(ctx, "routes[%zu]", i), "%s", why);
    }
    if (!mtu || mtu->host->kind(mtu) != RHOST_INTEGER || mtu->host->integer(mtu, 0) >= 1280
        || (!rhost_has(wanted, "mtu") && !rhost_has(wanted, "addresses")))
        return failed;
    for (size_t i = 0; i < rhost_count(addresses); i++)
        if (strchr(rhost_str_at(addresses, i), ':'))
            return rhost_fail_attr(ctx, "mtu", "IPv6 needs an MTU of 1280 at least");
    return failed;
}
