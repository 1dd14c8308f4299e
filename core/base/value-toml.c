/* SPDX-License-Identifier: Apache-2.0 */
/* value-toml - values as TOML that people read. */
#include "config.h"

#include "base/value-toml.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <string.h>

/* Texts and numbers are as JSON has them: all of its escapes are those of TOML too. */
static void
add_key(struct rh_buf *b, const char *key)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    if (*key && strspn(key, bare) == strlen(key))
        rh_buf_add(b, key);
    else
        rh_json_string(b, key, strlen(key));
}

/* A list of nothing but hashes. */
static bool
is_tables(const struct rh_value *v)
{
    if (v->kind != RH_ARRAY || !rh_value_count(v))
        return false;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_value_at(v, i)->kind != RH_HASH)
            return false;
    return true;
}

/* What has a header of its own. */
static bool
is_apart(const struct rh_value *v)
{
    return v->kind == RH_HASH || is_tables(v);
}

/* A value on one line. */
static int
add_value(struct rh_buf *b, const struct rh_value *v, struct rh_error *err)
{
    bool hash = v->kind == RH_HASH, first = true;

    if (v->kind == RH_UNDEF)
        return rh_error_set(err, RH_EINPUT, "a list of TOML cannot have an element that is null");
    if (!hash && v->kind != RH_ARRAY) {
        rh_value_to_json(b, v, true);
        return 0;
    }
    rh_buf_addc(b, hash ? '{' : '[');
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *part = rh_value_part(v, i);

        if (hash && part->kind == RH_UNDEF)
            continue;
        if (!first)
            rh_buf_add(b, ", ");
        first = false;
        if (hash) {
            add_key(b, rh_value_entry(v, i)->key);
            rh_buf_add(b, " = ");
        }
        if (add_value(b, part, err) < 0)
            return -1;
    }
    rh_buf_addc(b, hash ? '}' : ']');
    return 0;
}

/* The names of the tables that a table is in. */
struct path {
    const struct path *above;
    const char *name;
};

static void
add_path(struct rh_buf *b, const struct path *path)
{
    if (path->above) {
        add_path(b, path->above);
        rh_buf_addc(b, '.');
    }
    add_key(b, path->name);
}

static void
add_header(struct rh_buf *b, const struct path *path, bool element)
{
    if (b->n)
        rh_buf_addc(b, '\n');
    rh_buf_add(b, element ? "[[" : "[");
    add_path(b, path);
    rh_buf_add(b, element ? "]]\n" : "]\n");
}

/* Whether a table says nothing but the tables in it, whose headers imply it. */
static bool
is_implied(const struct rh_value *hash)
{
    bool apart = false;

    for (size_t i = 0; i < rh_value_count(hash); i++) {
        const struct rh_value *v = rh_value_entry(hash, i)->value;

        if (v->kind != RH_UNDEF && !is_apart(v))
            return false;
        apart |= v->kind != RH_UNDEF;
    }
    return apart;
}

static int
add_table(struct rh_buf *b, const struct rh_value *hash, const struct path *above, struct rh_error *err)
{
    for (size_t i = 0; i < rh_value_count(hash); i++) {
        const struct rh_entry *e = rh_value_entry(hash, i);

        if (e->value->kind == RH_UNDEF || is_apart(e->value))
            continue;
        add_key(b, e->key);
        rh_buf_add(b, " = ");
        if (add_value(b, e->value, err) < 0)
            return rh_error_prefix(err, "'%s'", e->key);
        rh_buf_addc(b, '\n');
    }
    for (size_t i = 0; i < rh_value_count(hash); i++) {
        const struct rh_entry *e = rh_value_entry(hash, i);
        const struct path path = { above, e->key };
        bool one = e->value->kind == RH_HASH;

        if (!is_apart(e->value))
            continue;
        for (size_t k = 0; k < (one ? 1 : rh_value_count(e->value)); k++) {
            const struct rh_value *table = one ? e->value : rh_value_at(e->value, k);

            if (!one || !is_implied(table))
                add_header(b, &path, !one);
            if (add_table(b, table, &path, err) < 0)
                return -1;
        }
    }
    return 0;
}

int
rh_toml_add(struct rh_buf *b, const struct rh_value *hash, struct rh_error *err)
{
    rh_autobuf struct rh_buf own = { 0 };

    if (add_table(&own, hash, NULL, err) < 0)
        return -1;
    rh_buf_addn(b, rh_buf_text(&own), own.n);
    return 0;
}
