/* SPDX-License-Identifier: Apache-2.0 */
/* couple - two types of one plugin that share a connection: RHOST_ONE_WORKER and rhost_keep_shared(). The
 * connection is a log in the directory FAULT_COUPLE, which says who connected, and what was done through it.
 * A resource is a file beside it; writing one called 'crash' or 'hang' does that. */
#include <rhost/keep.h>
#include <rhost/provider.h>

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct connection {
    FILE *log;
};

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1, 50]", .behaviour = RHOST_NAMEVAR, .desc = "What it is called." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"", .desc = "Whether." },
    { .name = "value", .type = "Optional[String[0, 2000000]]", .desc = "A text." },
};

static const char *
directory(void)
{
    const char *dir = getenv("FAULT_COUPLE");

    return dir ? dir : "/nonexistent";
}

static void
disconnect(void *kept)
{
    struct connection *c = kept;

    (void)fprintf(c->log, "disconnect %d\n", (int)getpid());
    (void)fclose(c->log);
    free(c);
}

/* The connection of both, which the first one opens. NULL after a failure. */
static struct connection *
connection(rhost_ctx *ctx)
{
    void **word = rhost_keep_shared(ctx, "couple", disconnect);
    struct connection *c = word ? *word : NULL;

    if (c || !word)
        return c;
    c = calloc(1, sizeof *c);
    if (c)
        c->log = fopen(rhost_fmt(ctx, "%s/log", directory()), "ae");
    if (!c || !c->log) {
        free(c);
        rhost_fail_errno(ctx, "cannot connect");
        return NULL;
    }
    setvbuf(c->log, NULL, _IOLBF, 0);
    (void)fprintf(c->log, "connect %d\n", (int)getpid());
    *word = c;
    return c;
}

static const char *
path_of(rhost_ctx *ctx, const char *type, const rhost_value *name)
{
    return rhost_fmt(ctx, "%s/%s-%s", directory(), type, rhost_str(name, "name"));
}

static int32_t
load(rhost_ctx *ctx, const char *type, const rhost_value *name, rhost_value *current)
{
    struct connection *c = connection(ctx);
    char text[100];
    FILE *f;
    size_t n;

    if (!c)
        return -1;
    (void)fprintf(c->log, "load %s[%s] %d\n", type, rhost_str(name, "name"), (int)getpid());
    f = fopen(path_of(ctx, type, name), "re");
    if (!f)
        return errno == ENOENT ? RHOST_ABSENT : rhost_fail_errno(ctx, "cannot read it");
    n = fread(text, 1, sizeof text, f);
    (void)fclose(f);
    rhost_put_str(current, "value", n == sizeof text ? "too long to be kept" : rhost_copy(ctx, text, n));
    return 0;
}

static int32_t
write_it(rhost_ctx *ctx, const char *type, const struct rhost_change *change)
{
    struct connection *c = connection(ctx);
    const char *name = rhost_str(change->name, "name");
    FILE *f;

    if (!c)
        return -1;
    (void)fprintf(c->log, "write %s[%s] %d\n", type, name, (int)getpid());
    if (strcmp(name, "crash") == 0)
        abort();
    for (struct timespec tick = { .tv_nsec = 100000000 }; strcmp(name, "hang") == 0;)
        (void)nanosleep(&tick, NULL);
    f = fopen(path_of(ctx, type, change->name), "we");
    if (!f)
        return rhost_fail_errno(ctx, "cannot write it");
    (void)fprintf(f, "%s", rhost_str_or(change->should, "value", ""));
    (void)fclose(f);
    return 0;
}

static int32_t
remove_it(rhost_ctx *ctx, const char *type, const struct rhost_change *change)
{
    return unlink(path_of(ctx, type, change->name)) == 0 ? 0 : rhost_fail_errno(ctx, "cannot remove it");
}

#define HALF(half)                                                                                           \
    static int32_t half##_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,           \
                               rhost_value *current)                                                         \
    {                                                                                                        \
        (void)should;                                                                                        \
        return load(ctx, #half, name, current);                                                              \
    }                                                                                                        \
    static int32_t half##_write(rhost_ctx *ctx, const struct rhost_change *change)                           \
    {                                                                                                        \
        return write_it(ctx, #half, change);                                                                 \
    }                                                                                                        \
    static int32_t half##_remove(rhost_ctx *ctx, const struct rhost_change *change)                          \
    {                                                                                                        \
        return remove_it(ctx, #half, change);                                                                \
    }                                                                                                        \
    static const struct rhost_provider half = {                                                              \
        RHOST_PROVIDER(#half, "One of two types with one connection."),                                      \
        RHOST_ATTRS(attrs),                                                                                  \
        .load = half##_load,                                                                                 \
        .create = half##_write,                                                                              \
        .update = half##_write,                                                                              \
        .remove = half##_remove,                                                                             \
    };

HALF(couple_left)
HALF(couple_right)

RHOST_PLUGIN_WITH_ONE_WORKER(couple, "1.0", &couple_left, &couple_right)
