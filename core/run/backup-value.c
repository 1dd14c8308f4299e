/* SPDX-License-Identifier: Apache-2.0 */
/* backup-value - a value before a change, as the journal has it: a small one in the journal, a large one and
 * a sensitive one as a content. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "run/backup-parts.h"
#include "run/backup.h"
#include "run/content.h"
#include "run/seal.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum {
    INLINE = 512, /* bytes of a value that stand in the journal; what is larger is a content */
    DEEPEST = 16,
};

static bool
is_plain(const struct rh_value *v, int depth)
{
    switch (v->kind) {
    case RH_UNDEF:
    case RH_BOOLEAN:
    case RH_INTEGER:
        return true;
    case RH_STRING:
        return rh_utf8_valid(v->u.string, v->count) && !memchr(v->u.string, '\0', v->count);
    case RH_ARRAY:
    case RH_HASH:
        for (size_t i = 0; i < v->count; i++)
            if (depth == DEEPEST || !is_plain(rh_value_part(v, i), depth + 1))
                return false;
        return true;
    default:
        return false;
    }
}

bool
rh_backups_is_plain(const struct rh_value *v)
{
    return is_plain(v, 0);
}

static struct rh_value *
withheld(struct rh_arena *a, const char *why)
{
    struct rh_value *v = rh_value_hash(a, 1);

    rh_value_put(v, "withheld", rh_value_string(a, why));
    return v;
}

static struct rh_value *
fail(struct rh_backups *b, struct rh_arena *a, const struct rh_error *err)
{
    if (!b->trouble)
        b->trouble = rh_xstrdup(err->message);
    return withheld(a, err->message);
}

/* {KEY, bytes, form}. */
static struct rh_value *
keep_bytes(struct rh_backups *b, struct rh_arena *a, const char *key, const char *form, const void *p,
           size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    char digest[RH_CONTENT_DIGEST];
    struct rh_value *v;

    if (rh_contents_add(b->contents, p, n, digest, &err) < 0)
        return fail(b, a, &err);
    v = rh_value_hash(a, 3);
    rh_value_put(v, key, rh_value_string(a, digest));
    rh_value_put(v, "bytes", rh_value_integer(a, (int64_t)n));
    rh_value_put(v, "form", rh_value_string(a, form));
    return v;
}

char *
rh_backup_about(const char *run, const char *type, const char *title, const char *attribute)
{
    return rh_printf("%s\n%s[%s]\n%s", run, type, title, attribute);
}

/* Of a sensitive value. */
struct secret {
    struct rh_backups *b;
    struct rh_arena *a;
    const struct rh_resource *r;
    const char *attribute;
};

static struct rh_value *
keep_encrypted(const struct secret *s, const char *form, const void *p, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *about = rh_backup_about(s->b->run, s->r->type->type, s->r->title, s->attribute);
    size_t length = 0;
    rh_autofree char *bytes = rh_seal_encrypt(s->b->seal, about, p, n, &length, &err);

    return bytes ? keep_bytes(s->b, s->a, "sealed", form, bytes, length) : fail(s->b, s->a, &err);
}

static struct rh_value *
keep_secret(const struct secret *s, const struct rh_value *v)
{
    rh_autobuf struct rh_buf json = { 0 };
    bool plain = is_plain(v, 0);
    struct rh_value *kept;

    if (v->kind == RH_STRING)
        return keep_encrypted(s, plain ? "text" : "bytes", v->u.string, v->count);
    if (v->kind == RH_BINARY)
        return keep_encrypted(s, "binary", v->u.string, v->count);
    if (!plain)
        return withheld(s->a, "it cannot be recorded");
    rh_value_to_json(&json, v, true);
    kept = keep_encrypted(s, "json", rh_buf_text(&json), json.n);
    explicit_bzero(json.s, json.n);
    return kept;
}

struct rh_value *
rh_backups_value(struct rh_backups *b, struct rh_arena *a, const struct rh_resource *r, bool sealed,
                 const char *attribute, const struct rh_value *v)
{
    rh_autobuf struct rh_buf json = { 0 };
    struct rh_value *kept;
    bool plain;

    if (rh_value_sensitive(v) && sealed)
        return keep_secret(&(struct secret){ b, a, r, attribute }, v);
    if (rh_value_sensitive(v))
        return withheld(a, "it is sensitive");
    if (v->kind == RH_UNKNOWN)
        return withheld(a, "it is too large");
    plain = is_plain(v, 0);
    if (v->kind == RH_STRING && (v->count > INLINE || !plain))
        return keep_bytes(b, a, "content", plain ? "text" : "bytes", v->u.string, v->count);
    if (v->kind == RH_BINARY)
        return keep_bytes(b, a, "content", "binary", v->u.string, v->count);
    if (!plain)
        return withheld(a, "it cannot be recorded");
    if (v->kind == RH_ARRAY || v->kind == RH_HASH)
        rh_value_to_json(&json, v, false);
    if (json.n > INLINE)
        return keep_bytes(b, a, "content", "json", rh_buf_text(&json), json.n);
    kept = rh_value_hash(a, 1);
    rh_value_put_ref(kept, "value", v);
    return kept;
}
