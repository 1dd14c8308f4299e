/* SPDX-License-Identifier: Apache-2.0 */
/* test-node-random - what is kept of merging never shows: random operations, with looks in between,
 * give what a model gives that merges everything each time. */
#include "config.h"

#include "node-model.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "node/level.h"
#include "node/merge.h"
#include "node/node.h"
#include "node/same.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 1500, STEPS = 40 };

struct world {
    uint64_t seed;
    struct rh_arena *arena;
    struct rh_node *node;
    struct node_model model;
    struct rh_value *ops; /* so far, to be shown */
};

static unsigned
roll(struct world *w, unsigned n)
{
    w->seed = w->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->seed >> 33) % n;
}

static struct rh_value *
random_key(struct world *w)
{
    static const char *const keys[] = { "a", "b", "c", "0" };

    return roll(w, 6) ? rh_value_string(w->arena, keys[roll(w, 4)])
                      : rh_value_integer(w->arena, (int64_t)roll(w, 4) - 1);
}

static struct rh_value *
random_path(struct world *w, unsigned least)
{
    struct rh_value *path = rh_value_new(w->arena, RH_ARRAY);

    for (unsigned n = least + roll(w, 4 - least); n > 0; n--)
        rh_value_append(path, random_key(w));
    return path;
}

static struct rh_value *
random_value(struct world *w, unsigned deep)
{
    struct rh_value *v;
    unsigned kind = roll(w, deep ? 10 : 5);

    switch (kind) {
    case 0:
        return rh_value_new(w->arena, RH_UNDEF);
    case 1:
        return rh_value_boolean(w->arena, roll(w, 2));
    case 2:
        return rh_value_string(w->arena, roll(w, 2) ? "x" : "1");
    case 3:
    case 4:
        return rh_value_integer(w->arena, roll(w, 4));
    case 5:
    case 6:
        v = rh_value_new(w->arena, RH_ARRAY);
        for (unsigned n = roll(w, 4); n > 0; n--)
            rh_value_append(v, random_value(w, deep - 1));
        return v;
    default:
        v = rh_value_new(w->arena, RH_HASH);
        for (unsigned n = roll(w, 4); n > 0; n--) {
            static const char *const keys[] = { "a", "b", "c", "0" };

            rh_value_put(v, keys[roll(w, 4)], random_value(w, deep - 1));
        }
        return v;
    }
}

static struct rh_value *
random_table(struct world *w)
{
    for (;;) {
        struct rh_value *v = random_value(w, 3);

        if (v->kind == RH_HASH)
            return v;
    }
}

static struct rh_value *
random_operation(struct world *w)
{
    static const char *const writes[] = { "set",        "set",    "set!",   "write",  "write!",
                                          "set_unless", "append", "unlink", "unlink!" };
    static const char *const reads[] = { "read", "read!", "exist", "rm" };
    struct rh_value *op = rh_value_new(w->arena, RH_HASH), *path = random_path(w, 1);
    const char *name, *level = rh_node_level_name((enum rh_node_level)roll(w, RH_LEVELS));
    unsigned kind = roll(w, 20);

    if (kind < 12) {
        name = writes[roll(w, sizeof writes / sizeof writes[0])];
        if (name[1] != 'n')
            rh_value_put(op, "value", random_value(w, 3));
    } else if (kind < 16) {
        name = reads[roll(w, 4)];
        level = NULL;
    } else if (kind < 18) {
        static const char *const three[] = { "default", "normal", "override" };

        name = "rm_level";
        level = three[roll(w, 3)];
    } else if (kind < 19) {
        name = roll(w, 2) ? "merge" : "set_level";
        path = NULL;
        rh_value_put(op, "value", random_table(w));
    } else {
        name = roll(w, 2) ? "consume_json" : "reset";
        path = NULL;
        level = NULL;
        if (*name == 'c')
            rh_value_put(op, "value", random_table(w));
    }
    rh_value_put(op, "op", rh_value_string(w->arena, name));
    if (level)
        rh_value_put(op, "level", rh_value_string(w->arena, level));
    if (path)
        rh_value_put(op, "path", path);
    return op;
}

static void
fail_at(struct world *w, uint64_t seed, const char *what, const struct rh_value *expected,
        const struct rh_value *got)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_addf(&b, "seed %llu, %s: expected ", (unsigned long long)seed, what);
    rh_value_to_json(&b, expected, true);
    rh_buf_add(&b, ", got ");
    rh_value_to_json(&b, got, true);
    rh_buf_add(&b, " after ");
    rh_value_to_json(&b, w->ops, true);
    (void)fprintf(stderr, "%s\n", rh_buf_text(&b)); /* the message of a failure is cut */
    fail();
}

/* The same, and tables in the same order. */
static bool
alike(const struct rh_value *a, const struct rh_value *b)
{
    rh_autobuf struct rh_buf x = { 0 }, y = { 0 };

    if (!a || !b)
        return !a && !b;
    rh_value_to_json(&x, a, true);
    rh_value_to_json(&y, b, true);
    return strcmp(rh_buf_text(&x), rh_buf_text(&y)) == 0;
}

static void
look(struct world *w, uint64_t seed, const char *view, const struct rh_value *path)
{
    const struct rh_value *expected = model_read(&w->model, view, path), *got;

    if (strcmp(view, "merged") == 0) {
        got = rh_value_for_json(w->arena, rh_node_read(w->node, path));
    } else {
        struct rh_node_result result;
        struct rh_value *op = rh_value_new(w->arena, RH_HASH);

        rh_value_put(op, "op", rh_value_string(w->arena, "read_level"));
        rh_value_put(op, "level", rh_value_string(w->arena, view));
        rh_value_put(op, "path", (struct rh_value *)(void *)path);
        assert_int_equal(rh_node_operate(w->node, op, (struct rh_place){ 0 }, &result), 0);
        got = rh_value_for_json(w->arena, result.returns);
    }
    if (!alike(expected, got))
        fail_at(w, seed, view, expected, got);
}

static void
step(struct world *w, uint64_t seed)
{
    struct rh_value *op = random_operation(w);
    struct rh_node_result result;
    const struct rh_value *returns = NULL;
    enum rh_node_fault fault = RH_NODE_OK;
    int rc;

    rh_value_append(w->ops, op);
    rc = rh_node_operate(w->node, op, (struct rh_place){ 0 }, &result);
    assert_true(model_operate(&w->model, op, &fault, &returns));
    assert_int_equal(rc, result.fault == RH_NODE_OK ? 0 : -1);
    if (fault != result.fault)
        fail_at(w, seed, "the fault", rh_value_string(w->arena, rh_node_fault_name(fault)),
                rh_value_string(w->arena, result.message ? result.message : "none"));
    if (!alike(returns, rh_value_for_json(w->arena, result.returns)))
        fail_at(w, seed, "what it returns", returns, result.returns);
}

static void
random_operations_give_what_the_model_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct world w = { .seed = seed * 7919, .arena = rh_arena_new(NULL), .node = rh_node_new() };

        w.ops = rh_value_new(w.arena, RH_ARRAY);
        model_init(&w.model, w.arena);
        for (unsigned i = 0; i < STEPS; i++) {
            step(&w, seed);
            for (unsigned n = roll(&w, 4); n > 0; n--)
                look(&w, seed, rh_view_name(roll(&w, 4) ? 0 : roll(&w, 13)), random_path(&w, 0));
        }
        for (size_t i = 0; rh_view_name(i); i++)
            look(&w, seed, rh_view_name(i), rh_value_new(w.arena, RH_ARRAY));
        rh_node_free(w.node);
        rh_arena_free(w.arena);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_give_what_the_model_gives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
