/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-host.h - a host for unit tests: it calls a provider's callbacks without rhost, and keeps
 * what they say. All of it is inline; include it in the test, after the provider's source: when that uses
 * <rhost/path.h>, the fake host opens paths as the C library does (rhost/fake-path.h). Likewise it has what
 * <rhost/private.h> and <rhost/overlap.h> need.
 *
 *   struct rhost_fake fake;
 *   rhost_value *name, *current;
 *
 *   rhost_fake_init(&fake);
 *   name = rhost_fake_hash(&fake);
 *   rhost_put_str(name, "path", "/tmp/current");
 *   current = rhost_fake_hash(&fake);
 *   assert(link_load(&fake.ctx, name, NULL, current) == 0);
 *   assert(strcmp(rhost_str(current, "target"), "releases/7") == 0);
 *   assert(fake.failures == 0);
 *   rhost_fake_clear(&fake);
 *
 * It takes what a provider says at its word, and checks no types: `rhost check` does. Misuse of the
 * values, such as a key in an array, ends the test by abort(). */
#ifndef RHOST_FAKE_HOST_H
#define RHOST_FAKE_HOST_H

#include <rhost/fake-value.h>
#include <rhost/keep.h>
#include <rhost/provider.h>

#ifdef RHOST_PATH_H
#include <rhost/fake-path.h>
#endif
#ifdef RHOST_OVERLAP_H
#include <rhost/fake-overlap.h>
#endif
#ifdef RHOST_PRIVATE_H
#include <rhost/fake-private.h>
#endif

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

RHOST_UNUSED static inline int32_t
rhost_fake_emit(rhost_ctx *ctx, const rhost_value *resource)
{
    rhost_fake_put_copy(rhost_fake_from(ctx)->emitted, NULL, resource);
    return 0;
}

/* Compares what is wanted with what is there; of no attributes named, all that are wanted and that
 * were read. */
RHOST_UNUSED static inline int32_t
rhost_fake_changed(rhost_ctx *ctx, const struct rhost_change *change, const char *const *attributes,
                   size_t n)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    int32_t differs = !change->is != (rhost_gone(change) != 0);

    for (size_t i = 0; change->is && !rhost_gone(change) && i < (n ? n : rhost_count(change->should)); i++) {
        const char *key = n ? attributes[i] : NULL;

        if (!n)
            (void)rhost_at(change->should, i, &key);
        if (rhost_has(change->should, key) && (n || rhost_get(change->is, key))
            && !rhost_fake_equal(rhost_get(change->is, key), rhost_get(change->should, key))) {
            rhost_fake_say(f, "changed %s %s", change->title, key);
            differs = 1;
        }
    }
    return differs && !f->noop;
}

RHOST_UNUSED static inline int32_t
rhost_fake_explain(rhost_ctx *ctx, const char *message)
{
    rhost_fake_say(rhost_fake_from(ctx), "explain: %s", message);
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    f->failures++;
    rhost_fake_say(f, "fail%s%s: %s%s%s", attribute ? " " : "", attribute ? attribute : "", message,
                   number > 0 ? ": " : "", number > 0 ? strerror(number) : "");
    return -1;
}

RHOST_UNUSED static inline const rhost_value *
rhost_fake_asked(rhost_ctx *ctx)
{
    return rhost_fake_from(ctx)->asked;
}

RHOST_UNUSED static inline int32_t
rhost_fake_fail_name(rhost_ctx *ctx, const rhost_value *name, int32_t number, const char *attribute,
                     const char *message)
{
    rhost_fake_put_copy(rhost_fake_from(ctx)->unread, NULL, name);
    return rhost_fake_fail(ctx, number, attribute, message);
}

RHOST_UNUSED static inline void
rhost_fake_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n, const char *message)
{
    static const char *const words[] = { "debug", "info", "notice", "warning", "err" };

    rhost_fake_say(rhost_fake_from(ctx), "log %s%s%s: %s",
                   level >= 0 && level <= RHOST_ERR ? words[level] : "at no level", n ? " " : "",
                   n ? titles[0] : "", message);
}

RHOST_UNUSED static inline uint64_t
rhost_fake_scope_begin(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                       const rhost_value *is, const rhost_value *should, const char *message)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    const char *title = n ? titles[0] : "";

    (void)is;
    (void)should;
    if (f->n_scopes == sizeof f->scopes / sizeof f->scopes[0])
        abort();
    rhost_fake_say(f, "begin %s %s%s%s", rhost_fake_doing(doing), title, message ? ": " : "",
                   message ? message : "");
    f->scopes[f->n_scopes].number = ++f->last_scope;
    f->scopes[f->n_scopes].doing = doing;
    f->scopes[f->n_scopes++].title = rhost_fake_copy(title, strlen(title));
    return f->last_scope;
}

RHOST_UNUSED static inline void
rhost_fake_scope_end(rhost_ctx *ctx, uint64_t scope)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    if (!f->n_scopes || f->scopes[f->n_scopes - 1].number != scope)
        abort(); /* the innermost is the one to end */
    f->n_scopes--;
    rhost_fake_say(f, "end %s %s", rhost_fake_doing(f->scopes[f->n_scopes].doing),
                   f->scopes[f->n_scopes].title);
    free(f->scopes[f->n_scopes].title);
}

RHOST_UNUSED static inline int32_t
rhost_fake_did(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
               const rhost_value *is, const rhost_value *should, const char *message)
{
    (void)is;
    (void)should;
    for (size_t i = 0; i < n; i++)
        rhost_fake_say(rhost_fake_from(ctx), "did %s %s%s%s", rhost_fake_doing(doing), titles[i],
                       message ? ": " : "", message ? message : "");
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_unchanged(rhost_ctx *ctx, const char *title, const char *message)
{
    rhost_fake_say(rhost_fake_from(ctx), "unchanged %s%s%s", title, message ? ": " : "",
                   message ? message : "");
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_attribute_changed(rhost_ctx *ctx, const char *title, const char *attribute,
                             const rhost_value *is, const rhost_value *should, const char *message)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    (void)is;
    (void)should;
    if (!title)
        title = f->n_scopes ? f->scopes[f->n_scopes - 1].title : "";
    rhost_fake_say(f, "changed %s %s%s%s", title, attribute, message ? ": " : "",
                   message ? message : "");
    return 0;
}

RHOST_UNUSED static inline int32_t
rhost_fake_noop(rhost_ctx *ctx)
{
    return rhost_fake_from(ctx)->noop;
}

RHOST_UNUSED static inline int32_t
rhost_fake_wants(rhost_ctx *ctx, const char *attribute)
{
    const char *const *wanted = rhost_fake_from(ctx)->wanted;

    if (!wanted)
        return 1;
    while (*wanted && strcmp(*wanted, attribute) != 0)
        wanted++;
    return *wanted != NULL;
}

RHOST_UNUSED static inline void **
rhost_fake_state(rhost_ctx *ctx)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    return f->in_transport ? &f->transport_state : &f->state;
}

RHOST_UNUSED static inline void *
rhost_fake_alloc(rhost_ctx *ctx, size_t n)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    struct rhost_fake_block *block = (struct rhost_fake_block *)rhost_fake_memory(NULL, offsetof(struct rhost_fake_block, bytes) + n);

    block->next = f->blocks;
    f->blocks = block;
    memset(block->bytes, 0, n);
    return block->bytes;
}

RHOST_UNUSED static inline const void *
rhost_fake_transport(rhost_ctx *ctx, const char *id)
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    const void *api = NULL;

    if (f->api)
        return f->api(id);
    if (!f->transport || !f->transport->api)
        return NULL;
    f->in_transport = 1;
    api = f->transport->api(ctx, id);
    f->in_transport = 0;
    return api;
}

RHOST_UNUSED static inline void **
rhost_fake_word(rhost_ctx *ctx, const char *name, void (*release)(void *kept))
{
    struct rhost_fake *f = rhost_fake_from(ctx);
    size_t i = 0;

    while (i < sizeof f->words / sizeof *f->words && f->words[i].name && strcmp(f->words[i].name, name) != 0)
        i++;
    if (i == sizeof f->words / sizeof *f->words)
        abort();
    f->words[i].name = name;
    f->words[i].release = release;
    return &f->words[i].word;
}

RHOST_UNUSED static inline const void *
rhost_fake_extension(rhost_ctx *ctx, const char *id)
{
    static struct rhost_keep keep;
    const struct rhost_fake *f = rhost_fake_from(ctx);
    const void *found = f->find ? f->find(id) : NULL;

    keep.struct_size = sizeof keep;
    keep.word = rhost_fake_word;
    keep.shared = rhost_fake_word;
    if (!found && strcmp(id, RHOST_KEEP_ID) == 0)
        found = &keep;
#ifdef RHOST_PATH_H
    if (!found && strcmp(id, RHOST_PATH_ID) == 0)
        found = rhost_fake_path();
#endif
#ifdef RHOST_OVERLAP_H
    if (!found && strcmp(id, RHOST_OVERLAP_ID) == 0)
        found = rhost_fake_overlap();
#endif
#ifdef RHOST_PRIVATE_H
    if (!found && strcmp(id, RHOST_PRIVATE_ID) == 0)
        found = rhost_fake_private();
#endif
    return found;
}

RHOST_UNUSED static inline void
rhost_fake_busy(rhost_ctx *ctx, double seconds, const char *text)
{
    rhost_fake_say(rhost_fake_from(ctx), "busy %g%s%s", seconds, text ? ": " : "", text ? text : "");
}

RHOST_UNUSED static inline void
rhost_fake_progress(rhost_ctx *ctx, const char *title, uint64_t done, uint64_t total, const char *unit)
{
    struct rhost_fake *f = rhost_fake_from(ctx);

    if (!title)
        title = f->n_scopes ? f->scopes[f->n_scopes - 1].title : "";
    rhost_fake_say(f, "progress %s%s%llu/%llu%s%s", title, *title ? " " : "", (unsigned long long)done,
                   (unsigned long long)total, unit ? " " : "", unit ? unit : "");
}

RHOST_UNUSED static inline int32_t
rhost_fake_stopping(rhost_ctx *ctx)
{
    return rhost_fake_from(ctx)->stopping;
}

RHOST_UNUSED static inline double
rhost_fake_deadline(rhost_ctx *ctx)
{
    double left = rhost_fake_from(ctx)->deadline;

    return left > 0 ? left : 1e9;
}

/* --- For the test. ------------------------------------------------------------------------- */

RHOST_UNUSED static inline void
rhost_fake_init(struct rhost_fake *f)
{
    /* In the order of the table. */
    const struct rhost_host host = {
        sizeof host, "0.0.0", rhost_fake_kind, rhost_fake_sensitive, rhost_fake_boolean,
        rhost_fake_integer, rhost_fake_real, rhost_fake_string, rhost_fake_count, rhost_fake_at,
        rhost_fake_get, rhost_fake_equal, rhost_fake_new_hash, rhost_fake_put_hash,
        rhost_fake_put_array, rhost_fake_put_undef, rhost_fake_put_boolean, rhost_fake_put_integer,
        rhost_fake_put_real, rhost_fake_put_string, rhost_fake_put_binary, rhost_fake_put_copy,
        rhost_fake_mark_sensitive, rhost_fake_emit, rhost_fake_changed, rhost_fake_explain,
        rhost_fake_fail, rhost_fake_log, rhost_fake_scope_begin, rhost_fake_scope_end,
        rhost_fake_did, rhost_fake_unchanged, rhost_fake_attribute_changed, rhost_fake_noop,
        rhost_fake_wants, rhost_fake_state, rhost_fake_alloc, rhost_fake_transport,
        rhost_fake_extension, rhost_fake_asked, rhost_fake_fail_name,
        rhost_fake_busy, rhost_fake_progress, rhost_fake_stopping, rhost_fake_deadline
    };

    memset(f, 0, sizeof *f);
    f->host = host;
    f->ctx.host = &f->host;
    f->emitted = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
    f->unread = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
    f->said = rhost_fake_copy("", 0);
}

/* Frees all that it gave, and releases what was kept. */
RHOST_UNUSED static inline void
rhost_fake_clear(struct rhost_fake *f)
{
    for (size_t i = 0; i < sizeof f->words / sizeof *f->words; i++)
        if (f->words[i].word && f->words[i].release)
            f->words[i].release(f->words[i].word);
    while (f->values) {
        struct rhost_fake_value *v = f->values;

        f->values = v->next;
        for (size_t i = 0; i < v->n; i++)
            free(v->entries[i].key);
        free(v->entries);
        free(v->text);
        free(v);
    }
    while (f->blocks) {
        struct rhost_fake_block *block = f->blocks;

        f->blocks = block->next;
        free(block);
    }
    while (f->n_scopes)
        free(f->scopes[--f->n_scopes].title);
    free(f->said);
    memset(f, 0, sizeof *f);
}

/* A hash to be filled by rhost_put_str() and its like. */
RHOST_UNUSED static inline rhost_value *
rhost_fake_hash(struct rhost_fake *f)
{
    return rhost_fake_new_hash(&f->ctx);
}

/* Forgets what was said, emitted and failed. */
RHOST_UNUSED static inline void
rhost_fake_forget(struct rhost_fake *f)
{
    f->failures = 0;
    f->said_len = 0;
    f->said[0] = '\0';
    f->emitted = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
    f->unread = &rhost_fake_value_new(f, RHOST_ARRAY)->v;
}

/* The provider of a plugin that serves this type; NULL when none does. */
RHOST_UNUSED static inline const struct rhost_provider *
rhost_fake_provider(const struct rhost_plugin *plugin, const char *type)
{
    const struct rhost_provider *const *p = plugin->providers;

    while (p && *p && strcmp((*p)->type, type) != 0)
        p++;
    return p ? *p : NULL;
}

#ifdef __cplusplus
}
#endif

#include <rhost/fake-device.h>

#endif
