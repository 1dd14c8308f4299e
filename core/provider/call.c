/* SPDX-License-Identifier: Apache-2.0 */
/* call - the call that a plugin is in: its begin, its failure, and its end. */
#include "config.h"

#include "provider/call.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/message-code.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <errno.h>
#include <rhost/bridge.h>
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/ids.h>
#include <rhost/keep.h>
#include <rhost/path.h>
#include <rhost/program.h>
#include <rhost/progress.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_MESSAGE = 64 << 10, LONGEST_PATH = 1000, MOST_FAULTS = 100 };

static const char bad_result[] =
    RH_WORDING("provider '%s' %s returned %d from %s, which is not a valid result");
static const char no_message[] =
    RH_WORDING("provider '%s' %s failed in %s without a message: a bug in the provider");

int
rh_call_error(const struct rh_call *call, enum rh_error_kind kind, struct rh_error *err)
{
    return rh_error_set_code(err, kind, call->code, "%s", call->message ? call->message : "no reason given");
}

/* Text from a plugin, made fit to be shown and kept. */
static char *
keep_message(struct rh_call *call, const char *message)
{
    char *text = rh_outgoing_text(call->rt, call->arena, message, LONGEST_MESSAGE, true);

    return strlen(text) < LONGEST_MESSAGE ? text : rh_arena_printf(call->arena, "%s...", text);
}

void
rh_call_begin(struct rh_call *call, struct rh_runtime *rt, struct rh_arena *arena, const char *what,
              struct rh_job **jobs, size_t n_jobs)
{
    *call = (struct rh_call){
        .ctx = rh_handle_open(&rh_host_table, call, what),
        .rt = rt,
        .arena = arena,
        .what = what,
        .jobs = jobs,
        .n_jobs = n_jobs,
        .state = &rt->state,
    };
    for (size_t i = 0; i < n_jobs; i++)
        jobs[i]->logged = jobs[i]->action_logged = false;
}

const struct rhost_plugin *
rh_call_plugin(const struct rh_call *call)
{
    const struct rh_runtime *rt = call->rt;

    return call->state == &rt->transport_state ? rt->options.remote.plugin : rt->origin;
}

/* The largest answer of a callback that means something. */
static int
largest_answer(const char *what)
{
    if (strcmp(what, "load") == 0 || strcmp(what, "lookup") == 0 || strcmp(what, "fact") == 0)
        return RHOST_ABSENT;
    return strcmp(what, "insync") == 0 ? RHOST_DIFFERS : 0;
}

/* How a value was put where it can't be, in the call that goes on; or NULL. */
static const char *misuse;

void
rh_call_misused(const char *how)
{
    misuse = how;
}

bool
rh_call_changes(const struct rh_call *call)
{
    static const char *const writing[] = { "set", "create", "update", "remove", "converge", "act" };

    for (size_t i = 0; i < sizeof writing / sizeof writing[0]; i++)
        if (strcmp(call->what, writing[i]) == 0)
            return true;
    return false;
}

int
rh_call_end(struct rh_call *call, int rc)
{
    const struct rh_type *t = call->rt->type;

    rh_handle_close(call->ctx);
    if (misuse)
        rh_call_break(call, NULL, "%s", misuse);
    misuse = NULL;
    rh_scope_end_all(call);
    rh_map_clear(&call->by_title);
    if (call->broken) {
        call->message = call->broken;
        call->code = call->broken_code;
        return -1;
    }
    if (rc > 0 && rc > largest_answer(call->what)) {
        call->message = rh_arena_printf(call->arena, bad_result, t->provider, t->version, rc, call->what);
        call->code = rh_message_code(bad_result);
        return -1;
    }
    /* Having said that it failed counts, even where `return` was forgotten; suits() says why not. */
    if (call->failed && strcmp(call->what, "suits") != 0)
        return -1;
    if (rc >= 0 || call->failed)
        return rc;
    if (call->scope_failure) { /* a block failed, and it was passed on */
        call->message = rh_arena_strdup(call->arena, call->scope_failure);
        call->code = rh_provider_words_code();
        return -1;
    }
    call->message = rh_arena_printf(call->arena, no_message, t->provider, t->version, call->what);
    call->code = rh_message_code(no_message);
    return -1;
}

char *
rh_call_failure_text(struct rh_call *call, int32_t number, const char *attribute, const char *message)
{
    char *text = keep_message(call, message ? message : "");

    if (number > 0)
        text = rh_arena_printf(call->arena, "%s%s%s", text, *text ? ": " : "", strerror(number));
    if (attribute)
        text = rh_arena_printf(call->arena, "%s: %s", attribute, text);
    return text;
}

/* The attribute that a path begins with; *path is NULL where it names all of it. */
static const struct rh_attr *
attr_of(struct rh_call *call, const char *attribute, const char **path)
{
    const struct rh_type *t = call->rt->type;
    const struct rh_attr *attr = rh_type_attr(t, attribute);
    size_t n = strcspn(attribute, ".[");

    *path = NULL;
    if (attr || !attribute[n] || n > LONGEST_PATH)
        return attr;
    attr = rh_type_attr(t, rh_arena_printf(call->arena, "%.*s", (int)n, attribute));
    if (attr)
        *path = rh_outgoing_text(call->rt, call->arena, attribute, LONGEST_PATH, false);
    return attr;
}

/* What validate() finds besides. */
static void
add_fault(struct rh_call *call, const char *path, const char *text)
{
    struct rh_fault *fault = rh_arena_alloc(call->arena, sizeof *fault);

    if (strcmp(call->what, "validate") != 0 || call->n_more++ >= MOST_FAULTS)
        return;
    *fault = (struct rh_fault){ call->more, path, text };
    call->more = fault;
}

int32_t
rh_table_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    const char *path = NULL;
    const struct rh_attr *attr = attribute ? attr_of(call, attribute, &path) : NULL;
    char *text = rh_call_failure_text(call, number, path ? path : attr ? attr->name : NULL, message);

    call->rt->missing = (number == ENOENT || number == RHOST_MISSING) && call->noop && !call->writing;
    call->last_failure = text;
    call->last_number = number;
    call->last_fault = path ? path : attr ? attr->name : NULL;
    if (rh_scope_fail(call, call->last_fault, text))
        return -1;
    if (!call->failed) {
        call->failed = true;
        call->passing |= number != 0;
        call->message = text;
        call->code = rh_provider_words_code();
        call->attribute = attr ? attr->name : NULL;
        call->path = path;
    } else {
        add_fault(call, path ? path : attr ? attr->name : NULL, text);
    }
    return -1;
}

const char *
rh_call_fault(const struct rh_call *call)
{
    return call->path ? call->path : call->attribute;
}

int
rh_call_agree(const struct rh_call *call, int rc)
{
    if (RH_GUARDED && call->last_failure && !call->unseen && rc >= 0)
        abort();
    return rc;
}

int32_t
rh_table_explain(rhost_ctx *ctx, const char *message)
{
    struct rh_call *call = rh_call_of(ctx);

    call->words = keep_message(call, message ? message : "");
    return 0;
}
