/* SPDX-License-Identifier: Apache-2.0 */
/* fault - a plugin that does what a plugin must not, and otherwise works: three types, one for each
 * way of writing. Nothing that it manages exists: a resource is there unless its name begins with
 * "new", and its value is "old". */
#include "fault.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"" },
    { .name = "value", .type = "Optional[String]" },
    { .name = "number", .type = "Optional[Integer]" },
    { .name = "data", .type = "Any" },
    { .name = "secret", .type = "Optional[Sensitive[String]]" },
    { .name = "hint", .type = "Optional[String]", .behaviour = RHOST_PARAMETER },
};

static const struct rhost_action actions[] = {
    { .name = "poke", .desc = "Does what converging does not." },
};

static const char *
name_of(const struct rhost_change *change)
{
    return rhost_str_or(change->name, "name", "");
}

/* Strikes if it is for this one. */
static int32_t
strike(rhost_ctx *ctx, const char *at, const char *name)
{
    return fault_meant(name) ? fault_strike(ctx, at) : FAULT_NONE;
}

/* A connection, which needs descriptors and a child from open() to close(). */
static struct {
    int fds[3];
    pid_t child;
} connection;

static int32_t
connect_it(rhost_ctx *ctx)
{
    for (int i = 0; i < 3; i++)
        connection.fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    connection.child = fork();
    if (connection.child == 0) {
        (void)sleep(60);
        _exit(0);
    }
    return connection.child < 0 || connection.fds[2] < 0 ? rhost_fail_errno(ctx, "cannot connect")
                                                         : FAULT_NONE;
}

static void
disconnect_it(void)
{
    for (int i = 0; i < 3; i++)
        (void)close(connection.fds[i]);
    (void)kill(connection.child, SIGKILL);
    (void)waitpid(connection.child, NULL, 0);
}

/* What open() leaves for the rest: how often something was written. */
static int32_t
fault_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(int));
    if (!*state)
        return rhost_fail_errno(ctx, "cannot remember anything");
    if (fault_is("open", "connection"))
        return connect_it(ctx);
    return fault_strike(ctx, "open");
}

static void
count_write(rhost_ctx *ctx)
{
    ++*(int *)*ctx->host->state(ctx);
}

static void
fault_close(rhost_ctx *ctx)
{
    const char *path = getenv("FAULT_STATE");
    int *written = (int *)*ctx->host->state(ctx);
    FILE *f = path ? fopen(path, "we") : NULL;

    if (f) {
        (void)fprintf(f, "%d written between open and close\n", *written);
        (void)fclose(f);
    }
    free(written);
    if (fault_is("open", "connection"))
        disconnect_it();
    (void)fault_strike(ctx, "close");
}

/* A value is in lower case. Called for what is wanted, before the run and in it, for what was read, and for
 * names alone when somebody asks for one ("names"). */
static int32_t
fault_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str_or(resource, "name", "");
    const char *value = rhost_str(resource, "value");
    char lower[64];
    int32_t rc = strike(ctx, value ? "canonicalize" : "names", name);
    size_t i;

    if (rc != FAULT_NONE || !value || strlen(value) >= sizeof lower)
        return rc;
    for (i = 0; value[i]; i++)
        lower[i] = value[i] >= 'A' && value[i] <= 'Z' ? (char)(value[i] - 'A' + 'a') : value[i];
    lower[i] = '\0';
    if (strcmp(lower, value) != 0)
        rhost_put_str(resource, "value", lower);
    return 0;
}

static int32_t
fault_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    int32_t rc = strike(ctx, "insync", name_of(change));

    (void)attribute;
    return rc != FAULT_NONE ? rc : RHOST_DEFAULT_COMPARISON;
}

static int32_t
fault_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *title = rhost_str_or(name, "name", "");
    int32_t rc = strike(ctx, "load", title);

    (void)should;
    if (rc != FAULT_NONE)
        return rc;
    if (strncmp(title, "new", 3) == 0)
        return RHOST_ABSENT;
    fault_describe(ctx, "load", current);
    if (fault_meant(title) && fault_is("load", "fail name"))
        (void)ctx->host->fail_name(ctx, name, 0, NULL, "too late");
    if (fault_meant(title) && fault_is("load", "emit"))
        (void)ctx->host->emit(ctx, current);
    return 0;
}

/* Everything that is asked for exists; and, asked for all, three. */
static int32_t
fault_get(rhost_ctx *ctx, const rhost_value *names)
{
    static const char *const all[] = { "one", "two", "bad" };
    size_t n = names ? rhost_count(names) : 3;
    int32_t rc = fault_strike(ctx, "get");

    if (rc != FAULT_NONE)
        return rc;
    for (size_t i = 0; i < n; i++) {
        const char *name = names ? rhost_str_or(rhost_at(names, i, NULL), "name", "") : all[i];
        rhost_value *resource = ctx->host->new_hash(ctx);

        if (strncmp(name, "new", 3) == 0)
            continue;
        rhost_put_str(resource, "name", name);
        fault_describe(ctx, "get", resource);
        if (fault_meant(name) && names && fault_is("get", "fail name")) {
            (void)rhost_fail_name(ctx, rhost_at(names, i, NULL), "its server cannot be reached");
            continue;
        }
        if (fault_meant(name) && fault_is("get", "fail all names")) {
            rhost_put_str(resource, "name", name);
            (void)ctx->host->fail_name(ctx, resource, EIO, "value", "cannot be read");
            continue;
        }
        if (fault_is("get", "asked"))
            rhost_put_str(resource, "value", rhost_str_or(rhost_asked(ctx, i), "hint", "nothing"));
        if (fault_meant(name) && fault_is("get", "no hash"))
            resource = ctx->host->put_array(resource, "data");
        if (fault_meant(name) && fault_is("get", "nothing"))
            resource = NULL;
        (void)ctx->host->emit(ctx, resource);
    }
    for (int i = 0; i < 200000 && fault_is("get", "very many"); i++) {
        rhost_value *resource = ctx->host->new_hash(ctx);

        rhost_put_fmt(resource, "name", "number %d", i);
        fault_describe(ctx, "get", resource);
        (void)ctx->host->emit(ctx, resource);
    }
    return 0;
}

static int32_t
write_one(rhost_ctx *ctx, const char *at, const struct rhost_change *change)
{
    int32_t rc = strike(ctx, at, name_of(change));

    count_write(ctx);
    if (fault_is("open", "connection") && waitpid(connection.child, NULL, WNOHANG) != 0)
        return rhost_fail(ctx, "the connection is lost");
    if (fault_meant(name_of(change)) && fault_is(at, "secret failure"))
        return rhost_fail(ctx, "the secret %s is no good", rhost_str_or(change->should, "secret", ""));
    return rc;
}

static int32_t
fault_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_one(ctx, "create", change);
}

static int32_t
fault_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_one(ctx, "update", change);
}

static int32_t
fault_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    return write_one(ctx, "remove", change);
}

/* The rules of telling, each broken in its own way. */
static void
tell_badly(rhost_ctx *ctx, const char *title)
{
    const struct rhost_host *host = ctx->host;
    const char *stranger = "stranger";

    if (fault_is("set", "stranger")) {
        host->log(ctx, RHOST_INFO, &stranger, 1, "I know nothing of this one");
    } else if (fault_is("set", "late attribute")) {
        (void)host->did(ctx, RHOST_UPDATING, &title, 1, NULL, NULL, NULL);
        (void)host->attribute_changed(ctx, title, "value", NULL, NULL, "too late");
    } else if (fault_is("set", "done, then failed")) {
        rhost_end(ctx, rhost_begin(ctx, RHOST_UPDATING, title));
        (void)host->did(ctx, RHOST_FAILING, &title, 1, NULL, NULL, "it did not work after all");
    } else if (fault_is("set", "late block")) {
        host->log(ctx, RHOST_INFO, &title, 1, "about to begin");
        host->scope_end(ctx, host->scope_begin(ctx, RHOST_UPDATING, &title, 1, NULL, NULL, NULL));
    } else if (fault_is("set", "open block")) {
        (void)host->scope_begin(ctx, RHOST_UPDATING, &title, 1, NULL, NULL, NULL);
    } else if (fault_is("set", "odd state")) {
        rhost_value *list = host->put_array(host->new_hash(ctx), "list");

        rhost_put_str(list, NULL, "one");
        (void)host->did(ctx, RHOST_PROCESSING, &title, 1, list, list, NULL);
    } else if (fault_is("set", "wrong end")) {
        host->scope_end(ctx, 77);
    } else if (fault_is("set", "no attribute")) {
        (void)host->attribute_changed(ctx, title, "colour", NULL, NULL, "painted");
    } else if (fault_is("set", "failing, then unchanged")) {
        (void)host->did(ctx, RHOST_FAILING, &title, 1, NULL, NULL, "it did not work");
        (void)host->unchanged(ctx, title, "all is well");
    }
}

/* What goes wrong when all was reported. */
static int32_t
fault_end_of_set(rhost_ctx *ctx)
{
    if (fault_is("set", "all, then crash"))
        abort();
    while (fault_is("set", "all, then hang"))
        (void)pause();
    return fault_is("set", "all, then fail") ? rhost_fail(ctx, "the whole could not be saved") : 0;
}

static int32_t
fault_set_all(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    const char *fault = getenv("FAULT");
    bool at_end = fault && strncmp(fault, "set all, then", 13) == 0;

    for (size_t i = 0; i < n; i++) {
        const char *title = changes[i]->title;
        int32_t rc;

        if (fault_is("set", "slow") || fault_is("set", "slow in scope")) {
            uint64_t scope = fault_is("set", "slow") ? 0 : rhost_begin(ctx, RHOST_UPDATING, title);

            (void)usleep(400000);
            if (scope)
                rhost_end(ctx, scope);
            else
                (void)ctx->host->did(ctx, RHOST_UPDATING, &title, 1, NULL, NULL, NULL);
            continue;
        }
        if (fault_is("set", "half") && fault_meant(title))
            return rhost_fail(ctx, "it gave up half way");
        if (fault_is("set", "half in scope") && fault_meant(title)) {
            uint64_t scope = rhost_begin(ctx, RHOST_UPDATING, title);

            (void)rhost_fail(ctx, "this one did not work");
            rhost_end(ctx, scope);
            continue;
        }
        if (fault_meant(title) && !at_end) {
            uint64_t scope = fault_is("set", "crash in scope") ? rhost_begin(ctx, RHOST_UPDATING, title) : 0;

            if (scope)
                abort();
            rc = fault_strike(ctx, "set");
            if (rc != FAULT_NONE)
                return rc;
            tell_badly(ctx, title);
        } else {
            rhost_end(ctx, rhost_begin(ctx, RHOST_UPDATING, title));
        }
        count_write(ctx);
    }
    return fault_end_of_set(ctx);
}

static int32_t
fault_converge_one(rhost_ctx *ctx, const struct rhost_change *change)
{
    int32_t rc = strike(ctx, "converge", name_of(change));

    if (rc != FAULT_NONE)
        return rc;
    if (fault_meant(name_of(change)) && fault_is("converge", "foreign change")) {
        struct rhost_change copy = *change;

        (void)rhost_changed_any(ctx, &copy);
    }
    if (rhost_changed(ctx, change, "value", "ensure"))
        count_write(ctx);
    return 0;
}

static int32_t
fault_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    (void)action;
    return strike(ctx, "act", name_of(change));
}

/* Looks at nothing but what is written; of two mistakes, both are said. */
static int32_t
fault_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    int32_t rc = strike(ctx, "validate", rhost_str(resource, "name"));
    const rhost_value *limits = rhost_get(rhost_get(resource, "data"), "limits");

    if (rc != FAULT_NONE)
        return rc;
    if (rhost_int(limits, "low", 0) > rhost_int(limits, "high", INT64_MAX))
        rc = rhost_fail_attr(ctx, "data.limits.low", "low is above high");
    if (rhost_has(resource, "hint") && rhost_has(resource, "number"))
        rc = rhost_fail_attr(ctx, "hint", "a number needs no hint");
    return rc;
}

static const struct rhost_provider fault_simple = {
    RHOST_PROVIDER("fault_simple", "Goes wrong in create, update or remove."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .open = fault_open,
    .close = fault_close,
    .canonicalize = fault_canonicalize,
    .insync = fault_insync,
    .load = fault_load,
    .create = fault_create,
    .update = fault_update,
    .remove = fault_remove,
    .act = fault_act,
    .validate = fault_validate,
};

static const struct rhost_provider fault_set = {
    RHOST_PROVIDER("fault_set", "Goes wrong in get or set."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER,
    .open = fault_open,
    .close = fault_close,
    .canonicalize = fault_canonicalize,
    .get = fault_get,
    .set = fault_set_all,
};

static const struct rhost_provider fault_converge = {
    RHOST_PROVIDER("fault_converge", "Goes wrong in converge."),
    RHOST_ATTRS(attrs),
    .open = fault_open,
    .close = fault_close,
    .load = fault_load,
    .converge = fault_converge_one,
};

static const struct rhost_provider *const providers[] = {
    &fault_simple,
    &fault_set,
    &fault_converge,
    NULL,
};

static const struct rhost_plugin plugin = {
    .struct_size = sizeof plugin,
    .name = "fault",
    .version = "1.5",
    .providers = providers,
};

RHOST_EXPORT const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return fault_strike(NULL, "entry") == FAULT_NONE ? &plugin : NULL;
}
