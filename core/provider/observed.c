/* SPDX-License-Identifier: Apache-2.0 */
/* observed - the current value of one attribute as a record. */
#include "config.h"

#include "provider/observed.h"

#include "base/arena.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/type.h"

#include <rhost/sha256.h>
#include <string.h>

enum {
    LARGEST = 256, /* bytes of JSON; what is larger is recorded as its digest */
    DEEPEST = 16,
    ROUNDS = 1000, /* of hashing what is secret: guessing shall cost something */
};

/* What a value is made of: its bytes, or its JSON. */
static void
bytes_of(struct rh_buf *b, const struct rh_value *v)
{
    if (v->kind == RH_STRING || v->kind == RH_BINARY)
        rh_buf_addn(b, v->u.string, v->count);
    else
        rh_value_to_json(b, v, true);
}

/* Whether it comes back from JSON as it went. */
static bool
is_plain(const struct rh_value *v, int depth)
{
    if (depth > DEEPEST)
        return false;
    switch (v->kind) {
    case RH_UNDEF:
    case RH_BOOLEAN:
    case RH_INTEGER:
        return true;
    case RH_STRING:
        return v->count <= LARGEST && rh_utf8_valid(v->u.string, v->count)
               && !memchr(v->u.string, '\0', v->count);
    case RH_ARRAY:
        for (size_t i = 0; i < v->count; i++)
            if (!is_plain(rh_value_at(v, i), depth + 1))
                return false;
        return true;
    case RH_HASH:
        for (size_t i = 0; i < v->count; i++)
            if (!is_plain(rh_value_entry(v, i)->value, depth + 1))
                return false;
        return true;
    default:
        return false;
    }
}

static struct rh_value *
digest(struct rh_arena *a, const struct rh_buf *bytes)
{
    struct rh_value *observed = rh_value_new(a, RH_HASH);
    struct rhost_sha256 sum;
    char hex[65];

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, rh_buf_text(bytes), bytes->n);
    rhost_sha256_hex(&sum, hex);
    rh_value_put(observed, "sha256", rh_value_string(a, hex));
    rh_value_put(observed, "bytes", rh_value_integer(a, (int64_t)bytes->n));
    return observed;
}

static struct rh_value *
salted(struct rh_arena *a, const char *salt, const char *name, const struct rh_buf *bytes)
{
    struct rh_value *observed = rh_value_new(a, RH_HASH);
    struct rhost_sha256 sum;
    char hex[65];

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, salt, strlen(salt) + 1);
    rhost_sha256_add(&sum, name, strlen(name) + 1);
    rhost_sha256_add(&sum, rh_buf_text(bytes), bytes->n);
    rhost_sha256_hex(&sum, hex);
    for (int i = 0; i < ROUNDS; i++) {
        rhost_sha256_init(&sum);
        rhost_sha256_add(&sum, salt, strlen(salt));
        rhost_sha256_add(&sum, hex, sizeof hex - 1);
        rhost_sha256_hex(&sum, hex);
    }
    rh_value_put(observed, "hash", rh_value_string(a, hex));
    rh_value_put(observed, "salt", rh_value_string(a, salt));
    return observed;
}

struct rh_value *
rh_observed_new(struct rh_arena *a, const char *attribute, const struct rh_value *v, const char *salt)
{
    rh_autobuf struct rh_buf bytes = { 0 };
    struct rh_value *observed;

    if (!v)
        return rh_value_new(a, RH_HASH);
    bytes_of(&bytes, v);
    if (salt)
        return salted(a, salt, attribute, &bytes);
    if (bytes.n > LARGEST || !is_plain(v, 0))
        return digest(a, &bytes);
    observed = rh_value_new(a, RH_HASH);
    rh_value_put(observed, "value", rh_value_copy(a, v));
    return observed;
}

bool
rh_observed_is_simple(const struct rh_value *v)
{
    return v->kind == RH_STRING || v->kind == RH_INTEGER || v->kind == RH_BOOLEAN;
}

void
rh_observed_to_json(struct rh_buf *b, const struct rh_value *v)
{
    struct rhost_sha256 sum;
    char hex[65];

    rh_buf_addc(b, '{');
    if (is_plain(v, 0)) {
        rh_json_key(b, "value");
        rh_value_to_json(b, v, true);
    } else {
        rhost_sha256_init(&sum);
        rhost_sha256_add(&sum, v->u.string, v->count);
        rhost_sha256_hex(&sum, hex);
        rh_json_text(b, "sha256", hex);
        rh_json_number(b, "bytes", (int64_t)v->count);
    }
    rh_buf_addc(b, '}');
}

bool
rh_observed_is_secret(const struct rh_value *observed)
{
    return rh_value_get(observed, "hash");
}

const char *
rh_observed_salt(const struct rh_value *observed)
{
    return rh_value_get_str(observed, "salt", NULL);
}

const struct rh_value *
rh_observed_show(struct rh_arena *a, const struct rh_value *observed)
{
    const struct rh_value *v = rh_value_get(observed, "value");
    const struct rh_value *bytes = rh_value_get(observed, "bytes");
    const char *sum = rh_value_get_str(observed, "sha256", NULL);
    struct rh_value *secret;

    if (v)
        return v;
    if (sum && rh_value_is(bytes, RH_INTEGER))
        return rh_value_string(
            a, rh_arena_printf(a, "%lld bytes, {sha256}%.16s", (long long)bytes->u.integer, sum));
    if (!rh_observed_is_secret(observed))
        return NULL;
    secret = rh_value_string(a, "");
    secret->marks |= RH_SENSITIVE;
    return secret;
}

/* NULL: it is not known. */
static const struct rh_value *
desired_of(struct rh_arena *a, const struct rh_attr *attr, const struct rh_value *record)
{
    const struct rh_value *v = rh_value_get(record, "value");

    if (v || !attr || !rh_value_get(record, "sha256"))
        return v;
    return strstr(attr->type_text, "Hash") || strstr(attr->type_text, "Struct") ? rh_value_new(a, RH_HASH)
                                                                                : NULL;
}

const struct rh_value *
rh_observed_desired(struct rh_arena *a, const struct rh_type *type, const struct rh_value *records)
{
    struct rh_value *desired = rh_value_hash(a, rh_value_count(records));

    for (size_t i = 0; i < rh_value_count(records); i++) {
        const struct rh_entry *e = rh_value_entry(records, i);
        const struct rh_value *v = desired_of(a, rh_type_attr(type, e->key), e->value);

        if (v)
            rh_value_put_ref(desired, e->key, v);
    }
    return desired;
}

bool
rh_observed_equal(const struct rh_value *one, const struct rh_value *other)
{
    static const char *const keys[] = { "value", "sha256", "hash" };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct rh_value *a = rh_value_get(one, keys[i]), *b = rh_value_get(other, keys[i]);

        if (!a != !b || (a && !rh_value_equal(a, b)))
            return false;
    }
    return true;
}
