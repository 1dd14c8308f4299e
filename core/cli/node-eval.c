/* SPDX-License-Identifier: Apache-2.0 */
/* node-eval - operations on attributes, tried out on an empty node. */
#include "config.h"

#include "cli/node-show.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "node/level.h"
#include "node/node.h"
#include "node/same.h"

#include <stdio.h>
#include <string.h>

/* The value in the file: JSON by its own rules, anything else as YAML. NULL after complaining. */
static const struct rh_value *
read_operations(struct rh_arena *a, const char *file, struct rh_complaints *complaints)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    struct rh_value *v;
    size_t n = 0;
    unsigned number;

    text = rh_read_file(file, RH_YAML_LARGEST, &n, &err);
    if (!text) {
        rh_log_error(RH_ERR, &err);
        return NULL;
    }
    v = rh_value_from_json(a, text, n, NULL);
    if (v)
        return v;
    number = rh_sources_add(complaints->sources, strcmp(file, "-") == 0 ? "(standard input)" : file, text, n);
    v = rh_yaml_read(a, text, n, number, complaints);
    if (!v || rh_complaints_count(complaints)) {
        rh_complaints_print(complaints, stderr, false);
        return NULL;
    }
    return rh_scalar_read(a, NULL, v);
}

static void
put(struct rh_value *hash, struct rh_arena *a, const char *key, const struct rh_value *v)
{
    rh_value_put(hash, key, v ? rh_value_for_json(a, v) : rh_value_new(a, RH_UNDEF));
}

static struct rh_value *
operate(struct rh_node *node, struct rh_arena *a, const struct rh_value *op)
{
    struct rh_value *answer = rh_value_new(a, RH_HASH);
    struct rh_node_result result;

    if (rh_node_operate(node, op, rh_value_place(op), &result) == 0) {
        put(answer, a, "returns", result.returns);
    } else {
        rh_value_put(answer, "error", rh_value_string(a, rh_node_fault_name(result.fault)));
        rh_value_put(answer, "message", rh_value_string(a, result.message));
        if (result.hint)
            rh_value_put(answer, "hint", rh_value_string(a, result.hint));
    }
    return answer;
}

static struct rh_value *
evaluate(struct rh_node *node, struct rh_arena *a, const struct rh_value *ops)
{
    struct rh_value *all = rh_value_new(a, RH_HASH), *results = rh_value_new(a, RH_ARRAY);
    struct rh_value *views = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < rh_value_count(ops); i++)
        rh_value_append(results, operate(node, a, rh_value_at(ops, i)));
    for (size_t i = 0; rh_view_name(i); i++)
        put(views, a, rh_view_name(i), rh_node_view(node, rh_view_name(i)));
    rh_value_put(all, "results", results);
    rh_value_put(all, "views", views);
    return all;
}

int
rh_node_eval(const char *file)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    const struct rh_value *ops = read_operations(a, file, &complaints);
    struct rh_node *node = NULL;
    int status = RH_EXIT_REFUSED;

    if (ops && ops->kind != RH_ARRAY) {
        rh_log(RH_ERR,
               "'%s' must be a list of operations, such as [{op: set, level: default, path: [web, port], "
               "value: 80}]",
               file);
    } else if (ops) {
        node = rh_node_new();
        rh_value_to_json_pretty(&text, evaluate(node, a, ops), false);
        (void)puts(rh_buf_text(&text));
        status = RH_EXIT_OK;
    }
    rh_node_free(node);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
    return status;
}
