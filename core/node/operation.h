/* SPDX-License-Identifier: Apache-2.0 */
/* operation - one operation on a node, being carried out. */
#ifndef RH_NODE_OPERATION_H
#define RH_NODE_OPERATION_H

#include "base/value.h"
#include "node/history.h"
#include "node/node.h"

struct rh_node_call {
    struct rh_node *node;
    const char *name;             /* as it was written */
    int level;                    /* -1: none */
    unsigned bits;                /* of the level, or of the view that was named */
    struct rh_path path;          /* the caller's texts */
    const struct rh_value *value; /* as it came; NULL: none */
    struct rh_value *adopted;     /* its copy, once somebody needs it */
    const struct rh_value *op;    /* all of it */
    struct rh_key key;            /* what `key` says */
    struct rh_place place;
    struct rh_node_result *result;
    uint32_t step; /* 0 until something was done */
};

typedef enum rh_node_fault (*rh_operation)(struct rh_node_call *c);

/* Refuses: returns `fault`, having said why. */
enum rh_node_fault rh_node_call_refuse(struct rh_node_call *c, enum rh_node_fault fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The hint "did you mean 'BEST'?" for what was refused last; none where `best` is NULL. */
void rh_node_call_suggest(struct rh_node_call *c, const char *best);

/* The first `n` keys of the path, for messages; the node's, like the message. "the top" when 0. */
char *rh_node_call_path(struct rh_node_call *c, size_t n);

/* Does something; `value` is adopted. What the caller's path says is copied. */
void rh_node_call_change(struct rh_node_call *c, enum rh_node_change_kind kind, int level,
                         struct rh_path path, struct rh_value *value);

/* The value, adopted, once. */
struct rh_value *rh_node_call_value(struct rh_node_call *c);

/* Writing. */
enum rh_node_fault rh_op_set(struct rh_node_call *c);
enum rh_node_fault rh_op_set_fully(struct rh_node_call *c);
enum rh_node_fault rh_op_set_level(struct rh_node_call *c);
enum rh_node_fault rh_op_set_unless(struct rh_node_call *c);
enum rh_node_fault rh_op_write(struct rh_node_call *c);
enum rh_node_fault rh_op_write_strictly(struct rh_node_call *c);
enum rh_node_fault rh_op_append(struct rh_node_call *c);
enum rh_node_fault rh_op_merge(struct rh_node_call *c);
enum rh_node_fault rh_op_consume_json(struct rh_node_call *c);
enum rh_node_fault rh_op_reset(struct rh_node_call *c);
enum rh_node_fault rh_op_vivify(struct rh_node_call *c);

/* Removing. */
enum rh_node_fault rh_op_rm(struct rh_node_call *c);
enum rh_node_fault rh_op_rm_level(struct rh_node_call *c);
enum rh_node_fault rh_op_unlink(struct rh_node_call *c);
enum rh_node_fault rh_op_unlink_strictly(struct rh_node_call *c);
enum rh_node_fault rh_op_delete_key(struct rh_node_call *c);

/* Removes the key wherever tables have it, on these components. */
void rh_node_call_remove(struct rh_node_call *c, unsigned bits, struct rh_path path);

/* Writing through what is merged, which nobody may. */
enum rh_node_fault rh_op_set_merged(struct rh_node_call *c);
enum rh_node_fault rh_op_append_merged(struct rh_node_call *c);
enum rh_node_fault rh_op_delete_merged(struct rh_node_call *c);

/* Reading. */
enum rh_node_fault rh_op_read(struct rh_node_call *c);
enum rh_node_fault rh_op_read_strictly(struct rh_node_call *c);
enum rh_node_fault rh_op_exist(struct rh_node_call *c);
enum rh_node_fault rh_op_has_key(struct rh_node_call *c);
enum rh_node_fault rh_op_read_fully(struct rh_node_call *c);
enum rh_node_fault rh_op_debug(struct rh_node_call *c);
enum rh_node_fault rh_op_explain(struct rh_node_call *c);
enum rh_node_fault rh_op_keep(struct rh_node_call *c);
enum rh_node_fault rh_op_kept(struct rh_node_call *c);
enum rh_node_fault rh_op_check(struct rh_node_call *c);

#endif
