/* SPDX-License-Identifier: Apache-2.0 */
/* config - the attributes of an interface in the lines of its .network file. */

#include "config.h"

#include "address.h"
#include "canonical.h"
#include "unit.h"

#include <stdlib.h>
#include <strings.h>

static int
is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(text, *words) == 0)
            return 1;
    return 0;
}

static const char *const yes[] = { "1", "yes", "y", "true", "t", "on", "both", NULL };
static const char *const no[] = { "0", "no", "n", "false", "f", "off", "none", NULL };
static const char *const four[] = { "ipv4", "v4", NULL };
static const char *const six[] = { "ipv6", "v6", NULL };

static void
read_dhcp(const struct unit *u, rhost_value *into)
{
    const char *value = unit_last(u, "Network", "DHCP");

    if (!value || is_one_of(value, no))
        rhost_put_str(into, "dhcp", "no");
    else if (is_one_of(value, yes))
        rhost_put_str(into, "dhcp", "yes");
    else if (is_one_of(value, four))
        rhost_put_str(into, "dhcp", "ipv4");
    else if (is_one_of(value, six))
        rhost_put_str(into, "dhcp", "ipv6");
}

static void
read_mtu(const struct unit *u, rhost_value *into)
{
    const char *value = unit_last(u, "Link", "MTUBytes");
    char *unit;
    unsigned long n;

    if (!value) {
        rhost_put_str(into, "mtu", "auto");
        return;
    }
    n = strtoul(value, &unit, 10);
    if (strlen(value) > 9 || strspn(value, "0123456789") == 0 || (*unit && strcmp(unit, "K") != 0))
        return;
    n *= *unit ? 1024 : 1;
    if (n >= 68 && n <= 65536)
        rhost_put_int(into, "mtu", (int64_t)n);
}

static void
read_match(rhost_ctx *ctx, const struct unit *u, rhost_value *into)
{
    const rhost_value *words = unit_words(ctx, u, "Match", "Name");
    const char *all = "";

    for (size_t i = 0; i < rhost_count(words); i++)
        all = rhost_fmt(ctx, "%s%s%s", all, i ? " " : "", rhost_str_at(words, i));
    if (!strpbrk(all, "\"'\\"))
        rhost_put_str(into, "match", all);
}

static void
read_addresses(rhost_ctx *ctx, const struct unit *u, rhost_value *into)
{
    rhost_value *all = unit_words(ctx, u, "Network", "Address");

    for (size_t i = 0; i < u->n_entries; i++)
        if (strcmp(u->sections[u->entries[i].section].name, "Address") == 0
            && strcmp(u->entries[i].key, "Address") == 0)
            rhost_put_str(all, NULL, u->entries[i].value);
    rhost_put_copy(into, "addresses", all);
}

static int
is_plain_key(const struct unit_entry *e)
{
    return strcmp(e->key, "Destination") == 0 || strcmp(e->key, "Gateway") == 0
           || strcmp(e->key, "Metric") == 0 || strcmp(e->key, "GatewayOnLink") == 0
           || (strcmp(e->key, "Scope") == 0 && strcmp(e->value, "link") == 0);
}

/* What a [Route] says, in canonical form. 0 where no element of `routes` can say it: it is left alone. */
static int
read_route(rhost_ctx *ctx, const struct unit *u, size_t section, rhost_value *into)
{
    rhost_value *holder = ctx->host->new_hash(ctx), *raw;
    const char *path;
    const rhost_value *one;

    if (strcmp(u->sections[section].name, "Route") != 0)
        return 0;
    raw = ctx->host->put_hash(ctx->host->put_array(holder, "routes"), NULL);
    for (size_t i = 0; i < u->n_entries; i++) {
        const struct unit_entry *e = &u->entries[i];

        if (e->section != section)
            continue;
        if (!is_plain_key(e))
            return 0;
        if (strcmp(e->key, "Destination") == 0)
            rhost_put_str(raw, "destination", e->value);
        else if (strcmp(e->key, "Gateway") == 0)
            rhost_put_str(raw, "gateway", e->value);
        else if (strcmp(e->key, "GatewayOnLink") == 0)
            rhost_put_bool(raw, "onlink", is_one_of(e->value, yes));
        else if (strcmp(e->key, "Metric") == 0) {
            if (!*e->value || strlen(e->value) > 10 || strspn(e->value, "0123456789") != strlen(e->value)
                || strtoull(e->value, NULL, 10) > UINT32_MAX)
                return 0;
            rhost_put_int(raw, "metric", (int64_t)strtoull(e->value, NULL, 10));
        }
    }
    if (!rhost_is_utf8(rhost_str_or(raw, "destination", ""), strlen(rhost_str_or(raw, "destination", "")))
        || canonical_attribute(ctx, holder, "routes", &path))
        return 0;
    one = rhost_at(rhost_get(holder, "routes"), 0, NULL);
    for (size_t i = 0; into && i < rhost_count(one); i++) {
        const char *key;
        const rhost_value *v = rhost_at(one, i, &key);

        rhost_put_copy(into, key, v);
    }
    return 1;
}

static void
read_routes(rhost_ctx *ctx, const struct unit *u, rhost_value *into)
{
    rhost_value *all = ctx->host->put_array(into, "routes");

    for (size_t i = 0; i < u->n_sections; i++)
        if (read_route(ctx, u, i, NULL))
            (void)read_route(ctx, u, i, ctx->host->put_hash(all, NULL));
}

static int
is_text(const rhost_value *v)
{
    const char *text;
    size_t len;

    for (size_t i = 0; v->host->kind(v) == RHOST_ARRAY && i < rhost_count(v); i++)
        if (!is_text(rhost_at(v, i, NULL)))
            return 0;
    if (v->host->kind(v) != RHOST_STRING)
        return 1;
    text = v->host->string(v, &len);
    return rhost_is_utf8(text, len);
}

void
config_read(rhost_ctx *ctx, const struct rhost_lines *l, rhost_value *into)
{
    struct unit u = unit_parse(ctx, l);
    rhost_value *raw = ctx->host->new_hash(ctx);

    read_match(ctx, &u, raw);
    read_dhcp(&u, raw);
    read_mtu(&u, raw);
    read_addresses(ctx, &u, raw);
    rhost_put_copy(raw, "gateway", unit_words(ctx, &u, "Network", "Gateway"));
    rhost_put_copy(raw, "dns", unit_words(ctx, &u, "Network", "DNS"));
    rhost_put_copy(raw, "domains", unit_words(ctx, &u, "Network", "Domains"));
    read_routes(ctx, &u, raw);
    for (size_t i = 0; canonical_keys[i]; i++) {
        const char *key = canonical_keys[i], *path;

        if (rhost_has(raw, key) && is_text(rhost_get(raw, key)) && !canonical_attribute(ctx, raw, key, &path))
            rhost_put_copy(into, key, rhost_get(raw, key));
    }
}

/* --- Writing. ------------------------------------------------------------------------------------ */

static int
has_text(const rhost_value *list, const char *text)
{
    for (size_t i = 0; i < rhost_count(list); i++)
        if (strcmp(rhost_str_at(list, i), text) == 0)
            return 1;
    return 0;
}

/* The canonical form of what one entry says, as an element of the attribute; NULL: it is none. */
static const char *
canonical_one(rhost_ctx *ctx, const char *attribute, const char *value)
{
    rhost_value *holder = ctx->host->new_hash(ctx);
    const char *path;

    if (!rhost_is_utf8(value, strlen(value)))
        return NULL;
    rhost_put_str(ctx->host->put_array(holder, attribute), NULL, value);
    return canonical_attribute(ctx, holder, attribute, &path) ? NULL
                                                              : rhost_str_at(rhost_get(holder, attribute), 0);
}

/* Whether the entry is of the setting: in [Network], or in a section of its own, [Address]. */
static int
is_setting(const struct unit *u, const struct unit_entry *e, const char *key)
{
    const char *section = u->sections[e->section].name;

    return strcmp(e->key, key) == 0 && (strcmp(section, "Network") == 0 || strcmp(section, key) == 0);
}

/* Removes the entries that say something else than `wanted`, or say it once more. One in a section of its own
 * goes with that. */
static void
remove_others(rhost_ctx *ctx, struct rhost_lines *l, const char *attribute, const char *key,
              const rhost_value *wanted)
{
    rhost_value *kept = ctx->host->put_array(ctx->host->new_hash(ctx), attribute);
    struct unit u = unit_parse(ctx, l);
    size_t removed = u.n_sections;

    for (size_t i = u.n_entries; i-- > 0;) {
        const struct unit_entry *e = &u.entries[i];
        const char *one;

        if (e->section == removed || !is_setting(&u, e, key))
            continue;
        one = canonical_one(ctx, attribute, e->value);
        if (one && has_text(wanted, one) && !has_text(kept, one))
            rhost_put_str(kept, NULL, one);
        else if (strcmp(u.sections[e->section].name, "Network") == 0)
            unit_remove(l, e);
        else
            unit_remove_section(l, &u, removed = e->section);
    }
}

/* Of a setting that has one line for each value: those that are wanted stay as they are. */
static void
write_each(rhost_ctx *ctx, struct rhost_lines *l, const char *attribute, const char *key,
           const rhost_value *wanted)
{
    rhost_value *has = ctx->host->put_array(ctx->host->new_hash(ctx), attribute);
    struct unit u = unit_parse(ctx, l);

    for (size_t i = 0; i < u.n_entries; i++) {
        const char *one =
            is_setting(&u, &u.entries[i], key) ? canonical_one(ctx, attribute, u.entries[i].value) : NULL;

        if (one)
            rhost_put_str(has, NULL, one);
    }
    for (size_t i = 0; i < rhost_count(wanted); i++)
        if (!has_text(has, rhost_str_at(wanted, i)))
            unit_add(ctx, l, "Network", key, rhost_str_at(wanted, i));
    remove_others(ctx, l, attribute, key, wanted);
}

static void
write_words(rhost_ctx *ctx, struct rhost_lines *l, const char *key, const rhost_value *wanted)
{
    const char *all = "";

    for (size_t i = 0; i < rhost_count(wanted); i++)
        all = rhost_fmt(ctx, "%s%s%s", all, i ? " " : "", rhost_str_at(wanted, i));
    unit_put(ctx, l, "Network", key, *all ? all : NULL);
}

static void
add_route(rhost_ctx *ctx, struct rhost_lines *l, const rhost_value *route)
{
    const char *lines[5] = { 0 };
    size_t n = 0;

    lines[n++] = rhost_fmt(ctx, "Destination=%s", rhost_str_or(route, "destination", ""));
    if (rhost_has(route, "gateway"))
        lines[n++] = rhost_fmt(ctx, "Gateway=%s", rhost_str_or(route, "gateway", ""));
    if (rhost_bool(route, "onlink", 0))
        lines[n++] = "GatewayOnLink=yes";
    if (rhost_has(route, "metric"))
        lines[n++] = rhost_fmt(ctx, "Metric=%lld", (long long)rhost_int(route, "metric", 0));
    unit_add_section(ctx, l, "Route", lines);
}

static int
has_value(const rhost_value *list, const rhost_value *v)
{
    for (size_t i = 0; i < rhost_count(list); i++)
        if (v->host->equal(rhost_at(list, i, NULL), v))
            return 1;
    return 0;
}

static void
write_routes(rhost_ctx *ctx, struct rhost_lines *l, const rhost_value *wanted)
{
    rhost_value *kept = ctx->host->put_array(ctx->host->new_hash(ctx), "routes");
    struct unit u = unit_parse(ctx, l);

    for (size_t i = u.n_sections; i-- > 0;) {
        rhost_value *one = ctx->host->new_hash(ctx);

        if (!read_route(ctx, &u, i, one))
            continue;
        if (has_value(wanted, one) && !has_value(kept, one))
            rhost_put_copy(kept, NULL, one);
        else
            unit_remove_section(l, &u, i);
    }
    for (size_t i = 0; i < rhost_count(wanted); i++)
        if (!has_value(kept, rhost_at(wanted, i, NULL)))
            add_route(ctx, l, rhost_at(wanted, i, NULL));
}

void
config_write(rhost_ctx *ctx, struct rhost_lines *l, const rhost_value *should)
{
    rhost_value *now = ctx->host->new_hash(ctx);

    config_read(ctx, l, now);
    for (size_t i = 0; canonical_keys[i]; i++) {
        const char *key = canonical_keys[i];
        const rhost_value *wanted = rhost_get(should, key), *has = rhost_get(now, key);

        if (!rhost_has(should, key) || (has && ctx->host->equal(wanted, has)))
            continue;
        if (strcmp(key, "match") == 0)
            unit_put(ctx, l, "Match", "Name", *rhost_str(should, key) ? rhost_str(should, key) : NULL);
        else if (strcmp(key, "dhcp") == 0)
            unit_put(ctx, l, "Network", "DHCP", rhost_str(should, key));
        else if (strcmp(key, "addresses") == 0)
            write_each(ctx, l, key, "Address", wanted);
        else if (strcmp(key, "gateway") == 0)
            write_each(ctx, l, key, "Gateway", wanted);
        else if (strcmp(key, "dns") == 0)
            write_words(ctx, l, "DNS", wanted);
        else if (strcmp(key, "domains") == 0)
            write_words(ctx, l, "Domains", wanted);
        else if (strcmp(key, "routes") == 0)
            write_routes(ctx, l, wanted);
        else
            unit_put(ctx, l, "Link", "MTUBytes",
                     wanted->host->kind(wanted) == RHOST_INTEGER
                         ? rhost_fmt(ctx, "%lld", (long long)wanted->host->integer(wanted, 0))
                         : NULL);
    }
}

int
config_has_match(rhost_ctx *ctx, const struct rhost_lines *l)
{
    struct unit u = unit_parse(ctx, l);

    for (size_t i = 0; i < u.n_sections; i++)
        if (strcmp(u.sections[i].name, "Match") == 0 && unit_count(&u, i, NULL, NULL))
            return 1;
    return 0;
}

const char *
config_sets(rhost_ctx *ctx, const struct rhost_lines *l, const rhost_value *should)
{
    static const struct {
        const char *attribute, *section, *key;
    } all[] = {
        { "match", "Match", "Name" },          { "dhcp", "Network", "DHCP" },
        { "addresses", "Network", "Address" }, { "addresses", "Address", "Address" },
        { "gateway", "Network", "Gateway" },   { "dns", "Network", "DNS" },
        { "domains", "Network", "Domains" },   { "mtu", "Link", "MTUBytes" },
    };
    struct unit u = unit_parse(ctx, l);

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; rhost_has(should, all[i].attribute) && k < u.n_entries; k++)
            if (strcmp(u.sections[u.entries[k].section].name, all[i].section) == 0
                && strcmp(u.entries[k].key, all[i].key) == 0)
                return all[i].key;
    return NULL;
}
