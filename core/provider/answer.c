/* SPDX-License-Identifier: Apache-2.0 */
/* answer - what a plugin answers to the call it is in, and asks about it. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/extensions.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <rhost/bridge.h>
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/ids.h>
#include <rhost/keep.h>
#include <rhost/overlap.h>
#include <rhost/path.h>
#include <rhost/private.h>
#include <rhost/program.h>
#include <rhost/progress.h>
#include <stdarg.h>
#include <string.h>

int32_t
rh_table_emit(rhost_ctx *ctx, const rhost_value *resource)
{
    struct rh_call *call = rh_call_of(ctx);
    const struct rh_value *v = (const struct rh_value *)(const void *)resource;

    if (call->facts && rh_value_is(v, RH_HASH)) {
        rh_outgoing_item(call->rt, rh_value_copy(call->arena, v));
        return 0;
    }
    if (!call->may_emit && (!call->n_jobs || !rh_call_changes(call)))
        rh_call_break(call, NULL, "it called emit() outside of get()");
    else if (!rh_value_is(v, RH_HASH))
        rh_call_break(call, NULL, "it emitted a value that is not a hash");
    else
        return call->may_emit ? rh_read_emit(call, v) : rh_result_emit(call, v);
    return -1;
}

const rhost_value *
rh_table_asked(rhost_ctx *ctx)
{
    return rh_outside(rh_call_of(ctx)->asked);
}

int32_t
rh_table_fail_name(rhost_ctx *ctx, const rhost_value *name, int32_t number, const char *attribute,
                   const char *message)
{
    struct rh_call *call = rh_call_of(ctx);
    const struct rh_type *t = call->rt->type;
    const struct rh_attr *attr = attribute ? rh_type_attr(t, attribute) : NULL;
    const struct rh_value *v = (const struct rh_value *)(const void *)name;

    if (!call->may_emit) {
        rh_call_break(call, NULL, "it called fail_name() outside of get()");
        return -1;
    }
    for (size_t i = 0; i < t->n_namevars; i++)
        if (!rh_value_is(v, RH_HASH) || !rh_value_get(v, t->namevars[i]->name)) {
            rh_call_break(call, NULL, "it called fail_name() without the namevar '%s'", t->namevars[i]->name);
            return -1;
        }
    rh_read_fail(call, v, attr ? attr->name : NULL,
                 rh_call_failure_text(call, number, attr ? attr->name : NULL, message));
    return -1;
}

int32_t
rh_table_changed(rhost_ctx *ctx, const struct rhost_change *change, const char *const *attributes, size_t n)
{
    struct rh_call *call = rh_call_of(ctx);

    for (size_t i = 0; i < call->n_jobs; i++)
        if (&call->jobs[i]->change == change)
            return rh_write_changed(call, call->jobs[i], attributes, n);
    rh_call_break(call, NULL, "it called changed() for a change that is not part of this call");
    return 0;
}

int32_t
rh_table_noop(rhost_ctx *ctx)
{
    return rh_call_of(ctx)->noop;
}

int32_t
rh_table_wants(rhost_ctx *ctx, const char *attribute)
{
    const struct rh_call *call = rh_call_of(ctx);

    if (!attribute)
        return 0;
    return !call->wanted || rh_value_get(call->wanted, attribute) != NULL;
}

void **
rh_table_state(rhost_ctx *ctx)
{
    return rh_call_of(ctx)->state;
}

void *
rh_table_alloc(rhost_ctx *ctx, size_t n)
{
    return rh_arena_alloc(rh_call_of(ctx)->arena, n);
}

const void *
rh_table_transport(rhost_ctx *ctx, const char *id)
{
    struct rh_call *call = rh_call_of(ctx);

    return rh_remote_api(call->rt, call->arena, id);
}

static void
still_alive(rhost_ctx *ctx)
{
    rh_runtime_alive(rh_call_of(ctx)->rt);
}

/* A command may take its time: says so, or whoever watches would call it a hang. */
static int32_t
run_and_report(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output)
{
    struct rh_runtime *rt = rh_call_of(ctx)->rt;
    const struct rh_exec_watch watch = {
        .alive = still_alive,
        .line = rt->options.tail ? rh_call_show_output : NULL,
    };
    bool stopped = false;
    int32_t result;

    rt->last_alive = 0;
    result = (rt->options.exec ? rt->options.exec : rh_exec_run)(ctx, command, output, &watch, &stopped);
    rt->stopped |= stopped;
    rh_ext_ids_forget(); /* it may have been useradd(8) */
    return result;
}

/* What the plugin gave to the host, of which this call is for one callback. */
static const void *
served(const struct rh_call *call)
{
    if (call->served)
        return call->served;
    return call->state == &call->rt->transport_state ? (const void *)call->rt->route : call->rt->served;
}

/* Files and paths are asked for with each step, so that a loop of many steps is seen to go on. */
const void *
rh_table_extension(rhost_ctx *ctx, const char *id)
{
    static const struct rhost_exec exec = { .struct_size = sizeof exec, .run = run_and_report };
    static const struct rhost_progress progress = { .struct_size = sizeof progress, .alive = still_alive };

    rh_call_of(ctx)->rt->asked_extension = true;
    if (id && strcmp(id, RHOST_CATALOG_ID) == 0)
        return rh_ext_catalog(ctx);
    if (id && strcmp(id, RHOST_EXEC_ID) == 0)
        return &exec;
    if (id && strcmp(id, RHOST_FILE_ID) == 0) {
        rh_runtime_moved(rh_call_of(ctx)->rt);
        return rh_call_file();
    }
    if (id && strcmp(id, RHOST_IDS_ID) == 0)
        return rh_ext_ids();
    if (id && strcmp(id, RHOST_KEEP_ID) == 0)
        return rh_ext_keep();
    if (id && strcmp(id, RHOST_OVERLAP_ID) == 0)
        return rh_ext_overlap();
    if (id && strcmp(id, RHOST_PATH_ID) == 0) {
        rh_runtime_moved(rh_call_of(ctx)->rt);
        return rh_ext_path();
    }
    if (id && strcmp(id, RHOST_PRIVATE_ID) == 0)
        return rh_ext_private();
    if (id && strcmp(id, RHOST_PROGRAM_ID) == 0)
        return rh_ext_program();
    if (id && strcmp(id, RHOST_PROGRESS_ID) == 0)
        return &progress;
    if (id && strcmp(id, RHOST_RUN_ID) == 0)
        return &rh_call_of(ctx)->rt->run;
    if (id && strcmp(id, RHOST_SERVED_ID) == 0)
        return served(rh_call_of(ctx));
    if (id && strcmp(id, RHOST_UPCOMING_ID) == 0)
        return rh_ext_upcoming();
    return NULL;
}
