/* SPDX-License-Identifier: Apache-2.0 */
/* node-attributes - holds attributes against what Chef does, and against the text of RFC 23.
 *
 * Each vector is a list of operations, what they return, and what can be seen then. It passes, or
 * differs on purpose for a reason of the table below, or fails. A reason is about what is in the
 * vector: either it says itself what the clean reading would be, and that is what we do; or a model
 * that has Chef's rule instead of ours gives what the vector says. Vectors are looked for beside
 * the sources, or in the directory that is given. */
#include "config.h"

#include "node-model.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "node/level.h"
#include "node/merge.h"
#include "node/node.h"
#include "node/same.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    size_t passed, differs, failed;
} count;

/* What is wrong first; empty when nothing is. */
struct verdict {
    struct rh_buf wrong;
};

static void
complain(struct verdict *v, const char *what, const struct rh_value *expected, const struct rh_value *got)
{
    if (v->wrong.n)
        return;
    rh_buf_addf(&v->wrong, "%s: expected ", what);
    rh_value_to_json(&v->wrong, expected, true);
    rh_buf_add(&v->wrong, ", got ");
    rh_value_to_json(&v->wrong, got, true);
}

/* Keys of tables in the same order, too: the vectors have what Chef printed. */
static bool
same_order(const struct rh_value *a, const struct rh_value *b)
{
    for (size_t i = 0; rh_value_is(a, RH_HASH) && i < a->count; i++)
        if (strcmp(rh_value_entry(a, i)->key, rh_value_entry(b, i)->key) != 0
            || !same_order(rh_value_entry(a, i)->value, rh_value_entry(b, i)->value))
            return false;
    for (size_t i = 0; rh_value_is(a, RH_ARRAY) && i < a->count; i++)
        if (!same_order(rh_value_at(a, i), rh_value_at(b, i)))
            return false;
    return true;
}

/* Down a value by a path, as somebody would who has the views as JSON. */
static const struct rh_value *
walk(const struct rh_value *v, const struct rh_value *path)
{
    for (size_t i = 0; v && i < rh_value_count(path); i++) {
        const struct rh_value *key = rh_value_at(path, i);
        rh_autofree char *digits =
            key->kind == RH_INTEGER ? rh_printf("%lld", (long long)key->u.integer) : NULL;

        if (v->kind == RH_ARRAY)
            v = key->kind == RH_INTEGER ? rh_value_at(v, (size_t)key->u.integer) : NULL;
        else
            v = rh_value_get(v, digits ? digits : rh_value_str(key, ""));
    }
    return v;
}

static bool
truth(const struct rh_value *v)
{
    return rh_value_is(v, RH_BOOLEAN) && v->u.integer;
}

static void
hold_expectation(struct verdict *v, struct rh_node *node, struct rh_arena *a, const struct rh_value *e)
{
    const char *name = rh_value_get_str(e, "view", "");
    const struct rh_value *got =
        walk(rh_value_for_json(a, rh_node_view(node, name)), rh_value_get(e, "path"));
    const struct rh_value *expected = rh_value_get(e, "value");

    if (truth(rh_value_get(e, "absent"))) {
        if (got)
            complain(v, name, NULL, got);
    } else if (!got || !rh_value_same(expected, got)) {
        complain(v, name, expected, got);
    } else if (!same_order(expected, got)) {
        complain(v, "the order of keys", expected, got);
    }
}

static void
hold_operation(struct verdict *v, struct rh_node *node, struct rh_arena *a, const struct rh_value *op)
{
    const char *raises = rh_value_get_str(op, "raises", NULL);
    const char *words = rh_value_get_str(op, "message_mentions", "");
    struct rh_node_result result;
    int rc = rh_node_operate(node, op, (struct rh_place){ 0 }, &result);
    const struct rh_value *nil = rh_value_new(a, RH_UNDEF), *got;
    const char *fault = rh_node_fault_name(result.fault);

    if (rc < 0 || raises) {
        if (!raises || strcmp(raises, fault) != 0 || !strstr(result.message, words))
            complain(v, rh_value_get_str(op, "op", ""), rh_value_get(op, "raises"),
                     rh_value_string(a, result.message ? result.message : fault));
        return;
    }
    got = result.returns ? rh_value_for_json(a, result.returns) : nil;
    if (rh_value_get(op, "returns") && !rh_value_same(rh_value_get(op, "returns"), got))
        complain(v, rh_value_get_str(op, "op", ""), rh_value_get(op, "returns"), got);
}

static bool
holds(const struct rh_value *ops, const struct rh_value *expect, struct verdict *v)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_node *node = rh_node_new();

    for (size_t i = 0; i < rh_value_count(ops); i++)
        hold_operation(v, node, a, rh_value_at(ops, i));
    for (size_t i = 0; i < rh_value_count(expect); i++)
        hold_expectation(v, node, a, rh_value_at(expect, i));
    rh_node_free(node);
    return !v->wrong.n;
}

/* Whether the model gives all that the vector says. */
static bool
model_holds(const struct rh_value *row, bool parent_must_show)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *ops = rh_value_get(row, "ops"), *expect = rh_value_get(row, "expect");
    const struct rh_value *returns, *nil = rh_value_new(a, RH_UNDEF);
    struct node_model m;

    model_init(&m, a);
    m.parent_must_show = parent_must_show;
    for (size_t i = 0; i < rh_value_count(ops); i++) {
        const struct rh_value *op = rh_value_at(ops, i), *wanted = rh_value_get(op, "returns");
        const char *raises = rh_value_get_str(op, "raises", NULL);
        enum rh_node_fault fault;

        if (!model_operate(&m, op, &fault, &returns))
            return false;
        if (raises ? strcmp(raises, rh_node_fault_name(fault)) != 0 : fault != RH_NODE_OK)
            return false;
        if (!raises && wanted && !rh_value_same(wanted, returns ? returns : nil))
            return false;
    }
    for (size_t i = 0; i < rh_value_count(expect); i++) {
        const struct rh_value *e = rh_value_at(expect, i);
        const struct rh_value *got = model_read(&m, rh_value_get_str(e, "view", ""), rh_value_get(e, "path"));

        if (truth(rh_value_get(e, "absent")) ? got != NULL
                                             : !got || !rh_value_same(rh_value_get(e, "value"), got))
            return false;
    }
    return true;
}

static bool
says_what_is_clean(const struct rh_value *row)
{
    const struct rh_value *clean = rh_value_get(row, "clean");
    struct verdict v = { 0 };
    bool ok = clean && holds(rh_value_get(clean, "ops"), rh_value_get(clean, "expect"), &v);

    rh_buf_clear(&v.wrong);
    return ok;
}

static bool
hides_what_is_removed(const struct rh_value *row)
{
    return model_holds(row, true) && !model_holds(row, false);
}

static struct rule {
    const char *reason;
    bool (*applies)(const struct rh_value *row);
    size_t rows;
} rules[] = {
    { "the vector calls what Chef does an accident, and the clean reading holds", says_what_is_clean, 0 },
    { "rm and full assignment remove the path wherever it is, also where its parent is hidden by "
      "something that is no table",
      hides_what_is_removed, 0 },
};

static void
hold(const struct rh_value *row)
{
    struct verdict v = { 0 };

    if (holds(rh_value_get(row, "ops"), rh_value_get(row, "expect"), &v)) {
        count.passed++;
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].applies(row)) {
            rules[i].rows++;
            count.differs++;
            rh_buf_clear(&v.wrong);
            return;
        }
    count.failed++;
    printf("FAILED %s\n  %s\n", rh_value_get_str(row, "id", "?"), rh_buf_text(&v.wrong));
    rh_buf_clear(&v.wrong);
}

static int
hold_file(const char *directory, const char *file)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *path = rh_printf("%s/%s", directory, file), *text = NULL;
    struct rh_value *rows = NULL;
    size_t n;

    count.passed = count.differs = count.failed = 0;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        rules[i].rows = 0;
    text = rh_read_file(path, 0, &n, &err);
    if (text)
        rows = rh_value_from_json(a, text, n, &err);
    if (!rh_value_count(rows)) {
        printf("FAILED: no vectors in %s: %s\n", path, err.message ? err.message : "it is empty");
        return -1;
    }
    for (size_t i = 0; i < rh_value_count(rows); i++)
        hold(rh_value_at(rows, i));
    printf("%s: %zu passed, %zu differ on purpose, %zu failed\n", file, count.passed, count.differs,
           count.failed);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].rows)
            printf("  %zu: %s\n", rules[i].rows, rules[i].reason);
    return count.failed ? -1 : 0;
}

int
main(int argc, char **argv)
{
    const char *sources = getenv("srcdir");
    rh_autofree char *beside = rh_printf("%s/tests/conformance/vectors", sources ? sources : ".");
    const char *directory = argc > 1 ? argv[1] : beside;
    int rc = hold_file(directory, "node-attributes.json");

    return hold_file(directory, "node-attributes-random.json") < 0 || rc < 0 ? 1 : 0;
}
