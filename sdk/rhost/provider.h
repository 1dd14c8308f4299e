/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/provider.h - the pleasant layer over <rhost/abi.h>. All of it is inline: there is nothing
 * to link with. The contract, and when each callback is called, stand in abi.h. */
#ifndef RHOST_PROVIDER_H
#define RHOST_PROVIDER_H

#include <rhost/abi.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RHOST_PRINTF(f, a) __attribute__((format(printf, f, a), unused))
#define RHOST_UNUSED __attribute__((unused))
#define RHOST_EXPORT __attribute__((visibility("default")))
#else
#define RHOST_PRINTF(f, a)
#define RHOST_UNUSED
#define RHOST_EXPORT
#endif

#ifdef __cplusplus
#define RHOST_ENTRY extern "C" RHOST_EXPORT
#else
#define RHOST_ENTRY RHOST_EXPORT
#endif

enum { RHOST_MESSAGE_MAX = 4096 }; /* longer messages are cut */

/* Whether the host has a function that was appended to the table: RHOST_HAS(ctx, wants). */
#define RHOST_HAS(handle, member)                                                                  \
    ((handle)->host->struct_size                                                                   \
         >= offsetof(struct rhost_host, member) + sizeof((handle)->host->member)                   \
     && (handle)->host->member)

/* --- Reading: of a hash by key, with what to take when it is not there. -------------------- */

RHOST_UNUSED static inline const rhost_value *
rhost_get(const rhost_value *hash, const char *key)
{
    return hash ? hash->host->get(hash, key) : NULL;
}

RHOST_UNUSED static inline int32_t
rhost_has(const rhost_value *hash, const char *key)
{
    const rhost_value *v = rhost_get(hash, key);

    return v && v->host->kind(v) != RHOST_UNDEF;
}

RHOST_UNUSED static inline const char *
rhost_bytes(const rhost_value *hash, const char *key, size_t *len)
{
    const rhost_value *v = rhost_get(hash, key);

    return v ? v->host->string(v, len) : NULL;
}

RHOST_UNUSED static inline const char *
rhost_str(const rhost_value *hash, const char *key)
{
    return rhost_bytes(hash, key, NULL);
}

RHOST_UNUSED static inline const char *
rhost_str_or(const rhost_value *hash, const char *key, const char *fallback)
{
    const char *s = rhost_str(hash, key);

    return s ? s : fallback;
}

RHOST_UNUSED static inline int64_t
rhost_int(const rhost_value *hash, const char *key, int64_t fallback)
{
    const rhost_value *v = rhost_get(hash, key);

    return v ? v->host->integer(v, fallback) : fallback;
}

RHOST_UNUSED static inline double
rhost_real(const rhost_value *hash, const char *key, double fallback)
{
    const rhost_value *v = rhost_get(hash, key);

    return v ? v->host->real(v, fallback) : fallback;
}

RHOST_UNUSED static inline int32_t
rhost_bool(const rhost_value *hash, const char *key, int32_t fallback)
{
    const rhost_value *v = rhost_get(hash, key);

    return v ? v->host->boolean(v, fallback) : fallback;
}

RHOST_UNUSED static inline size_t
rhost_count(const rhost_value *v)
{
    return v ? v->host->count(v) : 0;
}

/* Element i of an array as text; NULL when it is none. */
RHOST_UNUSED static inline const char *
rhost_str_at(const rhost_value *array, size_t i)
{
    const rhost_value *v = array ? array->host->at(array, i, NULL) : NULL;

    return v ? v->host->string(v, NULL) : NULL;
}

/* Entry or element i; `key` may be NULL. */
RHOST_UNUSED static inline const rhost_value *
rhost_at(const rhost_value *v, size_t i, const char **key)
{
    return v ? v->host->at(v, i, key) : NULL;
}

/* What an attribute is to be once this change is made: what is wanted, or else what is there, since
 * what nobody asked for is left alone. Defaults stand in what is wanted already: default_value
 * always, `initial` while the resource is created. NULL: there is nothing to go by.
 * change->should and change->is keep the two apart. */
RHOST_UNUSED static inline const rhost_value *
rhost_value_of(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *v = rhost_get(change->should, attribute);

    return v && v->host->kind(v) != RHOST_UNDEF ? v : rhost_get(change->is, attribute);
}

RHOST_UNUSED static inline const char *
rhost_str_of(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *v = rhost_value_of(change, attribute);

    return v ? v->host->string(v, NULL) : NULL;
}

RHOST_UNUSED static inline int64_t
rhost_int_of(const struct rhost_change *change, const char *attribute, int64_t fallback)
{
    const rhost_value *v = rhost_value_of(change, attribute);

    return v ? v->host->integer(v, fallback) : fallback;
}

RHOST_UNUSED static inline int32_t
rhost_bool_of(const struct rhost_change *change, const char *attribute, int32_t fallback)
{
    const rhost_value *v = rhost_value_of(change, attribute);

    return v ? v->host->boolean(v, fallback) : fallback;
}

/* Whether these desired values say "ensure: absent". False for NULL: nothing is desired then. */
RHOST_UNUSED static inline int32_t
rhost_wants_absence(const rhost_value *should)
{
    return should && strcmp(rhost_str_or(should, "ensure", ""), "absent") == 0;
}

/* Whether the resource of this change is wanted to be gone. */
RHOST_UNUSED static inline int32_t
rhost_gone(const struct rhost_change *change)
{
    return !change->should || rhost_wants_absence(change->should);
}

/* --- Building: into a hash by key; NULL as key appends to an array. ------------------------ */

RHOST_UNUSED static inline void
rhost_put_str(rhost_value *in, const char *key, const char *s)
{
    in->host->put_string(in, key, s, RHOST_NUL);
}

RHOST_UNUSED static inline void
rhost_put_bytes(rhost_value *in, const char *key, const void *p, size_t len)
{
    in->host->put_string(in, key, (const char *)p, len);
}

RHOST_UNUSED static inline void
rhost_put_int(rhost_value *in, const char *key, int64_t i)
{
    in->host->put_integer(in, key, i);
}

RHOST_UNUSED static inline void
rhost_put_real(rhost_value *in, const char *key, double d)
{
    in->host->put_real(in, key, d);
}

RHOST_UNUSED static inline void
rhost_put_bool(rhost_value *in, const char *key, int32_t b)
{
    in->host->put_boolean(in, key, b);
}

RHOST_UNUSED static inline void RHOST_PRINTF(3, 4)
rhost_put_fmt(rhost_value *in, const char *key, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    in->host->put_string(in, key, text, RHOST_NUL);
}

RHOST_UNUSED static inline void
rhost_put_copy(rhost_value *in, const char *key, const rhost_value *v)
{
    if (v)
        in->host->put_copy(in, key, v);
}

/* get(): what is wanted of the i-th name, or only the name; NULL: nothing is known of it. */
RHOST_UNUSED static inline const rhost_value *
rhost_asked(rhost_ctx *ctx, size_t i)
{
    const rhost_value *all = RHOST_HAS(ctx, asked) ? ctx->host->asked(ctx) : NULL;

    return all ? ctx->host->at(all, i, NULL) : NULL;
}

/* --- Saying why not. Each returns -1: `return rhost_fail(ctx, ...)`. ------------------------ */

RHOST_UNUSED static inline int RHOST_PRINTF(2, 3)
rhost_fail(rhost_ctx *ctx, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ctx->host->fail(ctx, 0, NULL, text);
}

/* get(): the resource of this name fails, and get() goes on. An older host makes the provider fail. */
RHOST_UNUSED static inline int RHOST_PRINTF(3, 4)
rhost_fail_name(rhost_ctx *ctx, const rhost_value *name, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return RHOST_HAS(ctx, fail_name) ? ctx->host->fail_name(ctx, name, 0, NULL, text)
                                     : ctx->host->fail(ctx, 0, NULL, text);
}

/* Names the attribute at fault. */
RHOST_UNUSED static inline int RHOST_PRINTF(3, 4)
rhost_fail_attr(rhost_ctx *ctx, const char *attribute, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ctx->host->fail(ctx, 0, attribute, text);
}

/* Appends the system's reason (errno). */
RHOST_UNUSED static inline int RHOST_PRINTF(2, 3)
rhost_fail_errno(rhost_ctx *ctx, const char *fmt, ...)
{
    int number = errno;
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ctx->host->fail(ctx, number, NULL, text);
}

/* --- Telling. ------------------------------------------------------------------------------ */

RHOST_UNUSED static inline void RHOST_PRINTF(3, 4)
rhost_log(rhost_ctx *ctx, int32_t level, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ctx->host->log(ctx, level, NULL, 0, text);
}

#define rhost_debug(ctx, ...) rhost_log(ctx, RHOST_DEBUG, __VA_ARGS__)
#define rhost_info(ctx, ...) rhost_log(ctx, RHOST_INFO, __VA_ARGS__)
#define rhost_notice(ctx, ...) rhost_log(ctx, RHOST_NOTICE, __VA_ARGS__)
#define rhost_warning(ctx, ...) rhost_log(ctx, RHOST_WARNING, __VA_ARGS__)
#define rhost_err(ctx, ...) rhost_log(ctx, RHOST_ERR, __VA_ARGS__)

/* A block around work on one resource, in set(); see scope_begin() in abi.h. */
RHOST_UNUSED static inline uint64_t
rhost_begin(rhost_ctx *ctx, int32_t doing, const char *title)
{
    return ctx->host->scope_begin(ctx, doing, &title, 1, NULL, NULL, NULL);
}

RHOST_UNUSED static inline void
rhost_end(rhost_ctx *ctx, uint64_t scope)
{
    ctx->host->scope_end(ctx, scope);
}

/* insync(): differs, because; returns RHOST_DIFFERS. */
RHOST_UNUSED static inline int RHOST_PRINTF(2, 3)
rhost_differs(rhost_ctx *ctx, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ctx->host->explain(ctx, text);
    return RHOST_DIFFERS;
}

/* converge(): is any of these to be changed? rhost_changed(ctx, change, "mode", "owner") */
#define rhost_changed(ctx, change, ...)                                                            \
    ((ctx)->host->changed((ctx), (change), (const char *const[]){ __VA_ARGS__ },                   \
                          sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)))
#define rhost_changed_any(ctx, change) ((ctx)->host->changed((ctx), (change), NULL, 0))

/* --- Surroundings. ------------------------------------------------------------------------- */

RHOST_UNUSED static inline int
rhost_noop(rhost_ctx *ctx)
{
    return ctx->host->noop(ctx) != 0;
}

RHOST_UNUSED static inline int
rhost_wants(rhost_ctx *ctx, const char *attribute)
{
    return ctx->host->wants(ctx, attribute) != 0;
}

/* Before work that is silent for so long; see busy() in abi.h. */
RHOST_UNUSED static inline void RHOST_PRINTF(3, 4)
rhost_busy(rhost_ctx *ctx, double seconds, const char *fmt, ...)
{
    char text[RHOST_MESSAGE_MAX];
    va_list ap;

    if (!RHOST_HAS(ctx, busy))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ctx->host->busy(ctx, seconds, text);
}

/* So much of it is done: rhost_progress(ctx, NULL, copied, size, "bytes"). */
RHOST_UNUSED static inline void
rhost_progress(rhost_ctx *ctx, const char *title, uint64_t done, uint64_t total, const char *unit)
{
    if (RHOST_HAS(ctx, progress))
        ctx->host->progress(ctx, title, done, total, unit);
}

/* Whether the run is to end: finish what can't be left, and return. */
RHOST_UNUSED static inline int
rhost_stopping(rhost_ctx *ctx)
{
    return RHOST_HAS(ctx, stopping) && ctx->host->stopping(ctx) != 0;
}

/* Seconds that the host still waits for a sign of life; 1e9: it doesn't say. */
RHOST_UNUSED static inline double
rhost_deadline(rhost_ctx *ctx)
{
    return RHOST_HAS(ctx, deadline) ? ctx->host->deadline(ctx) : 1e9;
}

RHOST_UNUSED static inline void *
rhost_alloc(rhost_ctx *ctx, size_t n)
{
    return ctx->host->alloc(ctx, n);
}

/* `len` bytes of a text (NULL: there are none), with a NUL behind them, in memory of the call. */
RHOST_UNUSED static inline char *
rhost_copy(rhost_ctx *ctx, const char *text, size_t len)
{
    char *copy = (char *)rhost_alloc(ctx, len + 1);

    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

/* NULL stays NULL. */
RHOST_UNUSED static inline char *
rhost_strdup(rhost_ctx *ctx, const char *text)
{
    return text ? rhost_copy(ctx, text, strlen(text)) : NULL;
}

/* A text as printf() makes it, however long, in memory of the call. */
RHOST_UNUSED static inline char * RHOST_PRINTF(2, 3)
rhost_fmt(rhost_ctx *ctx, const char *fmt, ...)
{
    va_list ap;
    char *text;
    int len;

    va_start(ap, fmt);
    len = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (len < 0)
        return rhost_copy(ctx, "", 0);
    text = (char *)rhost_alloc(ctx, (size_t)len + 1);
    va_start(ap, fmt);
    (void)vsnprintf(text, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return text;
}

/* --- Describing: data first, then this. ---------------------------------------------------- */

/* Opens a provider's initialiser; type and provider have one name, which is the usual case. */
#define RHOST_PROVIDER(type_name, description)                                                     \
    .struct_size = sizeof(struct rhost_provider), .type = (type_name), .name = (type_name),        \
    .desc = (description)

/* The same for one of several providers of a type. */
#define RHOST_PROVIDER_OF(type_name, provider_name, description)                                   \
    .struct_size = sizeof(struct rhost_provider), .type = (type_name), .name = (provider_name),    \
    .desc = (description)

#define RHOST_ATTRS(array)                                                                         \
    .attr_stride = sizeof(struct rhost_attr), .n_attrs = sizeof(array) / sizeof((array)[0]),       \
    .attrs = (array)

#define RHOST_ACTIONS(array)                                                                       \
    .action_stride = sizeof(struct rhost_action), .n_actions = sizeof(array) / sizeof((array)[0]), \
    .actions = (array)

/* The fields of a transport that each of them has; RHOST_ATTRS is its connection info. */
#define RHOST_TRANSPORT(transport_name, description)                                               \
    .struct_size = sizeof(struct rhost_transport), .name = (transport_name), .desc = (description)

/* Opens the initialiser of a lookup or a fact; see struct rhost_lookup in abi.h. */
#define RHOST_LOOKUP(lookup_name, description)                                                     \
    .struct_size = sizeof(struct rhost_lookup), .name = (lookup_name), .desc = (description)

#define RHOST_FACT(fact_name, description)                                                         \
    .struct_size = sizeof(struct rhost_fact), .name = (fact_name), .desc = (description)

/* Exports a plugin: its name as a text, its version, its flags (RHOST_ONE_WORKER, or 0), and NULL-terminated arrays
 * of pointers to what it has, each of which may be NULL. Also for C++. The macros behind it are shorter. */
#define RHOST_PLUGIN_OF(plugin_name, plugin_version, plugin_flags, provider_list, transport_list, lookup_list,      \
                        fact_list)                                                                 \
    RHOST_ENTRY const struct rhost_plugin *rhost_plugin_v1(void);                                  \
    const struct rhost_plugin *rhost_plugin_v1(void)                                               \
    {                                                                                              \
        static const struct rhost_plugin plugin = { sizeof plugin,  plugin_name, plugin_version,    \
                                                    provider_list,  transport_list, NULL,          \
                                                    lookup_list,    fact_list,   RHOST_SDK_VERSION, \
                                                    plugin_flags };                                \
                                                                                                   \
        return &plugin;                                                                            \
    }

/* Exports a plugin with these providers: RHOST_PLUGIN(symlink, "1.0", &symlink_provider) */
#define RHOST_PLUGIN(plugin_name, plugin_version, ...)                                             \
    static const struct rhost_provider *const rhost_plugin_providers[] = { __VA_ARGS__, NULL };    \
    RHOST_PLUGIN_OF(#plugin_name, plugin_version, 0, rhost_plugin_providers, NULL, NULL, NULL)

/* The same with one process for all of them: see RHOST_ONE_WORKER. */
#define RHOST_PLUGIN_WITH_ONE_WORKER(plugin_name, plugin_version, ...)                             \
    static const struct rhost_provider *const rhost_plugin_providers[] = { __VA_ARGS__, NULL };    \
    RHOST_PLUGIN_OF(#plugin_name, plugin_version, RHOST_ONE_WORKER, rhost_plugin_providers, NULL, NULL, NULL)

/* Exports a plugin with transports. The last two are NULL-terminated arrays of pointers:
 * RHOST_PLUGIN_WITH_TRANSPORTS(api, "1.0", providers, transports) */
#define RHOST_PLUGIN_WITH_TRANSPORTS(plugin_name, plugin_version, provider_list, transport_list)   \
    RHOST_PLUGIN_OF(#plugin_name, plugin_version, 0, provider_list, transport_list, NULL, NULL)

/* Exports a plugin with lookups and facts. The last three are NULL-terminated arrays of pointers, or NULL. */
#define RHOST_PLUGIN_WITH_LOOKUPS(plugin_name, plugin_version, provider_list, lookup_list, fact_list) \
    RHOST_PLUGIN_OF(#plugin_name, plugin_version, 0, provider_list, NULL, lookup_list, fact_list)

#ifdef __cplusplus
}
#endif

#endif
