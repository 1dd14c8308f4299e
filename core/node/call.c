/* SPDX-License-Identifier: Apache-2.0 */
/* call - one operation under way: its arguments, what it changes, and its refusal. */
#include "config.h"

#include "node/operation.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "node/cell.h"
#include "node/node-parts.h"

#include <stdarg.h>
#include <string.h>

enum rh_node_fault
rh_node_call_refuse(struct rh_node_call *c, enum rh_node_fault fault, const char *fmt, ...)
{
    rh_autofree char *s = NULL;
    va_list ap;

    va_start(ap, fmt);
    s = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_buf_clear(&c->node->message);
    rh_buf_add_safe(&c->node->message, s, strlen(s), false);
    c->result->fault = fault;
    c->result->message = rh_buf_text(&c->node->message);
    c->result->format = fmt;
    c->result->hint = NULL;
    c->result->returns = NULL;
    return fault;
}

void
rh_node_call_suggest(struct rh_node_call *c, const char *best)
{
    rh_autofree char *hint = rh_did_you_mean(best, NULL);

    if (hint)
        c->result->hint = rh_arena_strdup(c->node->arena, hint);
}

char *
rh_node_call_path(struct rh_node_call *c, size_t n)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_path_show(&b, c->path, n);
    return rh_arena_strdup(c->node->arena, n ? rh_buf_text(&b) : "(everything)");
}

struct rh_value *
rh_node_call_value(struct rh_node_call *c)
{
    if (!c->adopted && c->value)
        c->adopted = rh_cell_adopt(c->node->arena, c->value);
    return c->adopted;
}

void
rh_node_call_change(struct rh_node_call *c, enum rh_node_change_kind kind, int level, struct rh_path path,
                    struct rh_value *value)
{
    struct rh_change change = { .kind = kind, .level = (enum rh_node_level)level, .value = value };

    if (!c->step) {
        struct rh_step step = { .op = rh_arena_strdup(c->node->arena, c->name),
                                .level = c->level,
                                .path = rh_path_copy(c->node->arena, c->path),
                                .value = rh_node_call_value(c),
                                .place = c->place };

        c->step = rh_history_add(&c->node->history, &step);
    }
    change.step = c->step;
    change.path = rh_path_copy(c->node->arena, path);
    rh_node_change(c->node, &change);
}
