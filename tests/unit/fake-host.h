/* SPDX-License-Identifier: Apache-2.0 */
/* fake-host - a host of a few lines, for trying callbacks and extensions without a runtime.
 *
 * It keeps what fail() and log() were told, and has the two extensions that ship. A value is ours,
 * from base/value.h, seen from outside. */
#ifndef TEST_FAKE_HOST_H
#define TEST_FAKE_HOST_H

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/extensions.h"

#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/path.h>

#include <stdbool.h>
#include <string.h>

struct fake {
    rhost_ctx ctx; /* first: a callback gets a pointer to this */
    struct rh_arena *arena;
    struct rh_buf failure, log, emitted;
    char *attribute; /* that fail() named */
    bool noop;
    void *state;
};

static inline struct fake *
fake_of(rhost_ctx *ctx)
{
    return (struct fake *)(void *)ctx;
}

static inline const struct rh_value *
fake_in(const rhost_value *v)
{
    return (const struct rh_value *)(const void *)v;
}

static inline rhost_value *
fake_out(struct rh_value *v)
{
    return (rhost_value *)(void *)v;
}

static int32_t
fake_kind(const rhost_value *v)
{
    return v ? fake_in(v)->kind : RHOST_UNDEF;
}

static int32_t
fake_sensitive(const rhost_value *v)
{
    return v && fake_in(v)->marks & RH_SENSITIVE;
}

static int32_t
fake_boolean(const rhost_value *v, int32_t fallback)
{
    return rh_value_is(fake_in(v), RH_BOOLEAN) ? fake_in(v)->u.integer != 0 : fallback;
}

static int64_t
fake_integer(const rhost_value *v, int64_t fallback)
{
    return rh_value_is(fake_in(v), RH_INTEGER) ? fake_in(v)->u.integer : fallback;
}

static const char *
fake_string(const rhost_value *v, size_t *len)
{
    const struct rh_value *in = fake_in(v);

    if (!rh_value_is(in, RH_STRING) && !rh_value_is(in, RH_BINARY))
        return NULL;
    if (len)
        *len = in->count;
    return in->u.string;
}

static size_t
fake_count(const rhost_value *v)
{
    return rh_value_is(fake_in(v), RH_ARRAY) || rh_value_is(fake_in(v), RH_HASH) ? fake_in(v)->count : 0;
}

static const rhost_value *
fake_at(const rhost_value *v, size_t i, const char **key)
{
    if (rh_value_is(fake_in(v), RH_HASH)) {
        const struct rh_entry *e = rh_value_entry(fake_in(v), i);

        if (key)
            *key = e->key;
        return (const rhost_value *)(const void *)e->value;
    }
    return (const rhost_value *)(const void *)rh_value_at(fake_in(v), i);
}

static const rhost_value *
fake_get(const rhost_value *hash, const char *key)
{
    return (const rhost_value *)(const void *)rh_value_get(fake_in(hash), key);
}

static int32_t
fake_equal(const rhost_value *a, const rhost_value *b)
{
    return rh_value_equal(fake_in(a), fake_in(b));
}

static rhost_value *
fake_put(rhost_value *in, const char *key, struct rh_value *v)
{
    struct rh_value *into = (struct rh_value *)(void *)in;

    if (key)
        rh_value_put(into, key, v);
    else
        rh_value_append(into, v);
    return fake_out(v);
}

static struct rh_arena *
fake_arena(rhost_value *in)
{
    return rh_value_arena(fake_in(in));
}

static rhost_value *
fake_new_hash(rhost_ctx *ctx)
{
    return fake_out(rh_value_new(fake_of(ctx)->arena, RH_HASH));
}

static rhost_value *
fake_put_array(rhost_value *in, const char *key)
{
    return fake_put(in, key, rh_value_new(fake_arena(in), RH_ARRAY));
}

static void
fake_put_boolean(rhost_value *in, const char *key, int32_t b)
{
    (void)fake_put(in, key, rh_value_boolean(fake_arena(in), b));
}

static void
fake_put_string(rhost_value *in, const char *key, const char *s, size_t len)
{
    (void)fake_put(in, key, rh_value_stringn(fake_arena(in), s, len == RHOST_NUL ? strlen(s) : len));
}

static void
fake_put_binary(rhost_value *in, const char *key, const void *p, size_t len)
{
    (void)fake_put(in, key, rh_value_binary(fake_arena(in), p, len));
}

static void
fake_put_copy(rhost_value *in, const char *key, const rhost_value *v)
{
    (void)fake_put(in, key, rh_value_copy(fake_arena(in), fake_in(v)));
}

static void
fake_mark_sensitive(rhost_value *in, const char *key)
{
    struct rh_value *v = (struct rh_value *)(void *)fake_get(in, key);

    if (v)
        v->marks |= RH_SENSITIVE;
}

static int32_t
fake_emit(rhost_ctx *ctx, const rhost_value *resource)
{
    rh_value_show(&fake_of(ctx)->emitted, fake_in(resource), 0);
    rh_buf_addc(&fake_of(ctx)->emitted, '\n');
    return 0;
}

static int32_t
fake_explain(rhost_ctx *ctx, const char *message)
{
    rh_buf_addf(&fake_of(ctx)->log, "differs: %s\n", message);
    return 0;
}

static int32_t
fake_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message)
{
    struct fake *f = fake_of(ctx);

    rh_buf_addf(&f->failure, "%s%s%s", message, number ? ": " : "", number ? strerror(number) : "");
    f->attribute = attribute ? rh_arena_strdup(f->arena, attribute) : NULL;
    return -1;
}

static void
fake_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n, const char *message)
{
    (void)titles;
    (void)n;
    rh_buf_addf(&fake_of(ctx)->log, "%d %s\n", (int)level, message);
}

static int32_t
fake_did(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n, const rhost_value *is,
         const rhost_value *should, const char *message)
{
    (void)is;
    (void)should;
    (void)message;
    for (size_t i = 0; i < n; i++)
        rh_buf_addf(&fake_of(ctx)->log, "did %d %s\n", (int)doing, titles[i]);
    return 0;
}

static int32_t
fake_noop(rhost_ctx *ctx)
{
    return fake_of(ctx)->noop;
}

static int32_t
fake_wants(rhost_ctx *ctx, const char *attribute)
{
    (void)ctx;
    (void)attribute;
    return 1;
}

static void **
fake_state(rhost_ctx *ctx)
{
    return &fake_of(ctx)->state;
}

static void *
fake_alloc(rhost_ctx *ctx, size_t n)
{
    return rh_arena_alloc(fake_of(ctx)->arena, n);
}

static const void *
fake_extension(rhost_ctx *ctx, const char *id)
{
    (void)ctx;
    return strcmp(id, RHOST_EXEC_ID) == 0   ? (const void *)rh_ext_exec()
           : strcmp(id, RHOST_FILE_ID) == 0 ? (const void *)rh_ext_file()
           : strcmp(id, RHOST_PATH_ID) == 0 ? (const void *)rh_ext_path()
                                            : NULL;
}

static const struct rhost_host fake_table = {
    .struct_size = sizeof fake_table,
    .version = "fake",
    .kind = fake_kind,
    .sensitive = fake_sensitive,
    .boolean = fake_boolean,
    .integer = fake_integer,
    .string = fake_string,
    .count = fake_count,
    .at = fake_at,
    .get = fake_get,
    .equal = fake_equal,
    .new_hash = fake_new_hash,
    .put_array = fake_put_array,
    .put_boolean = fake_put_boolean,
    .put_string = fake_put_string,
    .put_binary = fake_put_binary,
    .put_copy = fake_put_copy,
    .mark_sensitive = fake_mark_sensitive,
    .emit = fake_emit,
    .explain = fake_explain,
    .fail = fake_fail,
    .log = fake_log,
    .did = fake_did,
    .noop = fake_noop,
    .wants = fake_wants,
    .state = fake_state,
    .alloc = fake_alloc,
    .extension = fake_extension,
};

static inline void
fake_open(struct fake *f)
{
    *f = (struct fake){ .ctx = { &fake_table }, .arena = rh_arena_new(&fake_table) };
}

static inline void
fake_close(struct fake *f)
{
    rh_buf_clear(&f->failure);
    rh_buf_clear(&f->log);
    rh_buf_clear(&f->emitted);
    rh_arena_free(f->arena);
}

#endif
