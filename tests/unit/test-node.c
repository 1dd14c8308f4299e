/* SPDX-License-Identifier: Apache-2.0 */
/* test-node - what a node keeps: values that were given out, facts that were asked for, marks, and
 * where things came from; and what it costs. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/explain.h"
#include "node/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MANY = 100000 };

struct fixture {
    struct rh_node *node;
    struct rh_arena *arena;
    struct rh_node_result result;
    struct rh_value *facts;
    unsigned asked, asked_for_all;
};

static int
setup(void **state)
{
    struct fixture *f = rh_xalloc(sizeof *f);

    f->node = rh_node_new();
    f->arena = rh_arena_new(NULL);
    *state = f;
    return 0;
}

static int
teardown(void **state)
{
    struct fixture *f = *state;

    rh_node_free(f->node);
    rh_arena_free(f->arena);
    free(f);
    return 0;
}

static struct rh_value *
json(struct fixture *f, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *v = rh_value_from_json(f->arena, text, strlen(text), &err);

    if (!v)
        fail_msg("%s: %s", text, err.message);
    return v;
}

static int
operate_at(struct fixture *f, const char *text, unsigned line)
{
    struct rh_place place = { .line = line, .column = 3 };

    return rh_node_operate(f->node, json(f, text), place, &f->result);
}

static void
operate(struct fixture *f, const char *text)
{
    if (operate_at(f, text, 0) < 0)
        fail_msg("%s: %s", text, f->result.message);
}

static void
assert_json(const struct rh_value *v, const char *text)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_value_to_json(&b, v, false);
    assert_string_equal(rh_buf_text(&b), text);
}

static const struct rh_value *
read_path(struct fixture *f, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *p = rh_node_path_parse(f->arena, path, &err);

    if (!p)
        fail_msg("%s", err.message);
    return rh_node_read(f->node, p);
}

static double
seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
a_value_that_was_given_out_stays_as_it_is(void **state)
{
    struct fixture *f = *state;
    const struct rh_value *before, *list;

    operate(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"a\"],\"value\":{\"b\":1,\"l\":[1]}}");
    operate(f, "{\"op\":\"set\",\"level\":\"override\",\"path\":[\"a\",\"c\"],\"value\":2}");
    before = read_path(f, "a");
    list = read_path(f, "a.l");
    operate(f, "{\"op\":\"set\",\"level\":\"force_override\",\"path\":[\"a\",\"b\"],\"value\":9}");
    operate(f, "{\"op\":\"append\",\"level\":\"default\",\"path\":[\"a\",\"l\"],\"value\":2}");
    operate(f, "{\"op\":\"rm\",\"path\":[\"a\",\"c\"]}");
    assert_json(before, "{\"b\": 1, \"l\": [1], \"c\": 2}");
    assert_json(list, "[1]");
    assert_json(read_path(f, "a"), "{\"b\": 9, \"l\": [1, 2]}");
}

static void
what_was_not_written_is_not_merged_again(void **state)
{
    struct fixture *f = *state;
    const struct rh_value *left, *right, *all;

    operate(f, "{\"op\":\"set_level\",\"level\":\"default\",\"value\":{\"l\":{\"a\":1},\"r\":{\"a\":1}}}");
    operate(f, "{\"op\":\"set_level\",\"level\":\"normal\",\"value\":{\"l\":{\"b\":1},\"r\":{\"b\":1}}}");
    all = rh_node_view(f->node, "merged");
    left = read_path(f, "l");
    right = read_path(f, "r");
    assert_ptr_equal(rh_value_get(all, "l"), left);
    operate(f, "{\"op\":\"set\",\"level\":\"normal\",\"path\":[\"r\",\"c\"],\"value\":1}");
    assert_ptr_equal(read_path(f, "l"), left);
    assert_ptr_not_equal(read_path(f, "r"), right);
    assert_ptr_not_equal(rh_node_view(f->node, "merged"), all);
    assert_ptr_equal(rh_value_get(rh_node_view(f->node, "merged"), "l"), left);
}

static const struct rh_value *
get_fact(void *data, const char *key)
{
    struct fixture *f = data;

    f->asked++;
    return rh_value_get(f->facts, key);
}

static void
all_facts(void *data, void (*one)(void *to, const char *key), void *to)
{
    struct fixture *f = data;

    f->asked_for_all++;
    for (size_t i = 0; i < rh_value_count(f->facts); i++)
        one(to, rh_value_entry(f->facts, i)->key);
}

static void
a_fact_that_nobody_reads_is_not_asked_for(void **state)
{
    struct fixture *f = *state;
    struct rh_node_facts facts = { .data = f, .get = get_fact, .keys = all_facts };

    f->facts = json(f, "{\"os\": {\"family\": \"debian\"}, \"memory\": {\"total\": 7}}");
    rh_node_set_facts(f->node, &facts);
    operate(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"web\",\"port\"],\"value\":80}");
    assert_int_equal(f->asked, 0);
    assert_json(read_path(f, "os.family"), "\"debian\"");
    assert_json(read_path(f, "os.family"), "\"debian\"");
    assert_int_equal(f->asked, 1);
    assert_null(read_path(f, "nothing.of.it"));
    assert_null(read_path(f, "nothing"));
    assert_int_equal(f->asked, 2);
    assert_int_equal(f->asked_for_all, 0);
    assert_json(rh_node_view(f->node, "merged"),
                "{\"web\": {\"port\": 80}, \"os\": {\"family\": \"debian\"}, \"memory\": {\"total\": 7}}");
    (void)rh_node_view(f->node, "merged");
    assert_int_equal(f->asked, 3);
    assert_int_equal(f->asked_for_all, 1);
}

static void
facts_win_and_stay_when_all_levels_are_removed(void **state)
{
    struct fixture *f = *state;
    struct rh_node_facts facts = { .data = f, .get = get_fact, .keys = all_facts };

    f->facts = json(f, "{\"os\": {\"family\": \"debian\"}}");
    rh_node_set_facts(f->node, &facts);
    operate(f, "{\"op\":\"set\",\"level\":\"force_override\",\"path\":[\"os\"],\"value\":{\"family\":\"x\","
               "\"mine\":1}}");
    assert_json(read_path(f, "os"), "{\"family\": \"debian\", \"mine\": 1}");
    operate(f, "{\"op\":\"rm\",\"path\":[\"os\"]}");
    assert_json(f->result.returns, "{\"family\": \"debian\", \"mine\": 1}");
    assert_json(read_path(f, "os"), "{\"family\": \"debian\"}");
    operate(f, "{\"op\":\"write\",\"level\":\"automatic\",\"path\":[\"os\",\"more\"],\"value\":1}");
    assert_json(read_path(f, "os"), "{\"family\": \"debian\", \"more\": 1}");
}

static void
what_is_sensitive_stays_so_wherever_it_goes(void **state)
{
    struct fixture *f = *state;
    struct rh_value *op = json(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"db\"],\"value\":{"
                                  "\"password\":\"hunter2\",\"list\":[\"hunter2\",1]}}");
    struct rh_value *explained;
    rh_autobuf struct rh_buf b = { 0 };

    /* The whole table is marked; its leaves are read by themselves. */
    ((struct rh_value *)(void *)rh_value_get(op, "value"))->marks |= RH_SENSITIVE;
    assert_int_equal(rh_node_operate(f->node, op, (struct rh_place){ 0 }, &f->result), 0);
    operate(f, "{\"op\":\"set\",\"level\":\"role_default\",\"path\":[\"db\",\"list\"],\"value\":[2]}");
    operate(f, "{\"op\":\"set\",\"level\":\"override\",\"path\":[\"db\",\"user\"],\"value\":\"joe\"}");
    assert_json(read_path(f, "db.password"), "\"[redacted]\"");
    assert_json(read_path(f, "db.list[0]"), "\"[redacted]\"");
    assert_true(rh_value_sensitive(read_path(f, "db.list")));
    assert_true(rh_value_sensitive(read_path(f, "db")));
    assert_json(read_path(f, "db.user"), "\"joe\"");
    operate(f, "{\"op\":\"debug\",\"path\":[\"db\",\"password\"]}");
    assert_true(rh_value_sensitive(f->result.returns));
    assert_int_equal(operate_at(f,
                                "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"db\",\"password\","
                                "\"x\"],\"value\":1}",
                                0),
                     -1);
    assert_null(strstr(f->result.message, "hunter2"));
    operate(f, "{\"op\":\"rm_level\",\"level\":\"default\",\"path\":[\"db\",\"password\"]}");
    assert_true(rh_value_sensitive(f->result.returns));
    explained = rh_node_explain(f->node, f->arena, NULL, json(f, "[\"db\",\"password\"]"));
    rh_explanation_show(&b, explained);
    assert_null(strstr(rh_buf_text(&b), "hunter2"));
    assert_non_null(strstr(rh_buf_text(&b), "[redacted]"));
}

/* The explanation as text, with places in site.yaml. */
static char *
explain(struct fixture *f, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_value *v = rh_node_explain(f->node, f->arena, NULL, rh_node_path_parse(f->arena, path, &err));

    rh_explanation_show(&b, v);
    return rh_buf_take(&b);
}

static void
assert_explained(struct fixture *f, const char *path, const char *expected)
{
    rh_autofree char *got = explain(f, path);

    assert_string_equal(got, expected);
}

static void
five_sources_of_a_value_are_told(void **state)
{
    struct fixture *f = *state;

    operate_at(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"web\",\"port\"],\"value\":80}", 2);
    operate_at(f, "{\"op\":\"merge\",\"level\":\"role_default\",\"value\":{\"web\":{\"port\":8080}}}", 3);
    operate_at(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"web\",\"port\"],\"value\":81}", 4);
    operate_at(f, "{\"op\":\"consume_json\",\"value\":{\"web\":{\"port\":1}}}", 5);
    operate_at(f, "{\"op\":\"set\",\"level\":\"env_override\",\"path\":[\"web\"],\"value\":{\"port\":9}}", 6);
    operate_at(f, "{\"op\":\"set\",\"level\":\"env_override\",\"path\":[\"web\",\"tls\"],\"value\":true}", 7);
    assert_explained(f, "web.port",
                     "web.port = 9\n"
                     "  1  line 2:3  default       set           80    overridden by 3\n"
                     "  2  line 3:3  role_default  merge         8080  overridden by 5\n"
                     "  3  line 4:3  default       set           81    overridden by 5\n"
                     "  4  line 5:3  normal        consume_json  1     overridden by 5\n"
                     "  5  line 6:3  env_override  set web       9     wins\n");
}

static void
what_was_removed_and_by_whom_is_told_when_nothing_is_there(void **state)
{
    struct fixture *f = *state;

    operate_at(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"web\",\"port\"],\"value\":80}", 2);
    operate_at(f, "{\"op\":\"set\",\"level\":\"override\",\"path\":[\"web\",\"port\"],\"value\":81}", 3);
    operate_at(f, "{\"op\":\"rm\",\"as\":\"remove\",\"path\":[\"web\",\"port\"]}", 4);
    assert_explained(f, "web.port",
                     "web.port is not there\n"
                     "  1  line 2:3  default   set     80  removed by 3\n"
                     "  2  line 3:3  override  set     81  removed by 3\n"
                     "  3  line 4:3            remove      removes 1, 2\n");
    operate_at(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"web\"],\"value\":{\"port\":1}}", 5);
    operate_at(f, "{\"op\":\"set!\",\"level\":\"force_override\",\"path\":[\"web\"],\"value\":\"off\"}", 6);
    assert_explained(f, "web.port",
                     "web.port is not there\n"
                     "  1  line 2:3  default         set       80     removed by 3\n"
                     "  2  line 3:3  override        set       81     removed by 3\n"
                     "  3  line 4:3                  remove           removes 1, 2\n"
                     "  4  line 5:3  default         set web   1      overridden by 5\n"
                     "  5  line 6:3  force_override  set! web  \"off\"  hides what is below\n");
}

static void
positions_move_when_one_before_them_goes(void **state)
{
    struct fixture *f = *state;
    rh_autofree char *explained = NULL;

    operate_at(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"l\"],\"value\":[5,6,7]}", 1);
    operate_at(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"l\",2],\"value\":8}", 2);
    operate_at(f, "{\"op\":\"unlink\",\"level\":\"default\",\"path\":[\"l\",0]}", 3);
    assert_json(read_path(f, "l"), "[6, 8]");
    explained = explain(f, "l[1]");
    assert_non_null(strstr(explained, "line 2:3  default  set l[2]"));
}

/* Speed. The bounds are for slow machines that do something else as well. */

static struct rh_value *
many(struct fixture *f, const char *more)
{
    struct rh_value *all = rh_value_hash(f->arena, MANY / 100);

    for (int i = 0; i < MANY / 100; i++) {
        struct rh_value *some = rh_value_hash(f->arena, 100);

        for (int k = 0; k < 100; k++)
            rh_value_add_ref(some, rh_arena_printf(f->arena, "%s%d", more, k),
                             rh_value_integer(f->arena, i * k));
        rh_value_add_ref(all, rh_arena_printf(f->arena, "group%d", i), some);
    }
    return all;
}

static void
a_hundred_thousand_attributes_merge_at_once(void **state)
{
    struct fixture *f = *state;
    double start;

    rh_node_merge(f->node, RH_LEVEL_DEFAULT, many(f, "key"), (struct rh_place){ 0 });
    start = seconds();
    rh_node_merge(f->node, RH_LEVEL_ROLE_DEFAULT, many(f, "key"), (struct rh_place){ 0 });
    rh_node_merge(f->node, RH_LEVEL_OVERRIDE, many(f, "other"), (struct rh_place){ 0 });
    assert_int_equal(rh_value_count(rh_node_view(f->node, "merged")), MANY / 100);
    print_message("3 levels of %d attributes: %.3f s\n", MANY, seconds() - start);
    assert_true(seconds() - start < 5);
}

static void
one_of_a_hundred_thousand_is_written_and_read_by_turns(void **state)
{
    struct fixture *f = *state;
    struct rh_value *flat = rh_value_hash(f->arena, MANY), *path, *op;
    double start;

    for (int i = 0; i < MANY; i++)
        rh_value_add_ref(flat, rh_arena_printf(f->arena, "k%d", i), rh_value_integer(f->arena, i));
    rh_node_merge(f->node, RH_LEVEL_DEFAULT, flat, (struct rh_place){ 0 });
    rh_node_merge(f->node, RH_LEVEL_OVERRIDE, flat, (struct rh_place){ 0 });
    (void)rh_node_view(f->node, "merged");
    op = json(f, "{\"op\":\"set\",\"level\":\"force_override\",\"path\":[\"k777\"],\"value\":0}");
    path = json(f, "[\"k777\"]");
    start = seconds();
    for (int i = 0; i < MANY; i++) {
        ((struct rh_value *)(void *)rh_value_get(op, "value"))->u.integer = i;
        assert_int_equal(rh_node_operate(f->node, op, (struct rh_place){ 0 }, &f->result), 0);
        assert_int_equal(rh_node_read(f->node, path)->u.integer, i);
    }
    print_message("%d writes and reads by turns: %.3f s\n", MANY, seconds() - start);
    assert_true(seconds() - start < 5);
    start = seconds();
    (void)rh_node_explain(f->node, f->arena, NULL, path);
    print_message("explained after %d steps: %.3f s\n", MANY, seconds() - start);
    assert_true(seconds() - start < 10);
}

static void
a_map_with_keys_that_paths_cannot_have_is_a_scalar(void **state)
{
    struct fixture *f = *state;
    struct rh_value *op = json(f, "{\"op\":\"set_level\",\"level\":\"default\"}");
    struct rh_value *map = rh_value_new(f->arena, RH_MAP);

    rh_value_append(map, rh_value_boolean(f->arena, true));
    rh_value_append(map, rh_value_integer(f->arena, 1));
    rh_value_put(op, "value", map);
    assert_int_equal(rh_node_operate(f->node, op, (struct rh_place){ 0 }, &f->result), -1);
    assert_int_equal(f->result.fault, RH_NODE_ARGUMENT);
    rh_node_merge(f->node, RH_LEVEL_DEFAULT, map, (struct rh_place){ 0 });
    assert_json(rh_node_view(f->node, "merged"), "{}");
    rh_value_put(op, "op", rh_value_string(f->arena, "set"));
    rh_value_put(op, "path", json(f, "[\"a\"]"));
    assert_int_equal(rh_node_operate(f->node, op, (struct rh_place){ 0 }, &f->result), 0);
    assert_int_equal(read_path(f, "a")->kind, RH_MAP);
    assert_null(read_path(f, "a[1]"));
}

/* Keys that are numbers and keys that are texts: 1 and '1' are two. */
static struct rh_value *
map_of(struct fixture *f, const char *a, const char *b, const char *one)
{
    struct rh_value *map = rh_value_new(f->arena, RH_MAP);

    rh_value_append(map, rh_value_integer(f->arena, 1));
    rh_value_append(map, rh_value_string(f->arena, one));
    rh_value_append(map, rh_value_string(f->arena, "1"));
    rh_value_append(map, rh_value_string(f->arena, a));
    rh_value_append(map, rh_value_integer(f->arena, -2));
    rh_value_append(map, rh_value_string(f->arena, b));
    return map;
}

static void
a_map_with_numbers_as_keys_is_a_table(void **state)
{
    struct fixture *f = *state;
    struct rh_value *op = json(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"a\"]}");
    struct rh_value *table = rh_value_hash(f->arena, 1), *told;
    rh_autoerror struct rh_error err = { 0 };

    rh_value_put(op, "value", map_of(f, "text", "minus", "number"));
    assert_int_equal(rh_node_operate(f->node, op, (struct rh_place){ .line = 1 }, &f->result), 0);
    assert_string_equal(rh_value_str(read_path(f, "a[1]"), ""), "number");
    assert_string_equal(rh_value_str(read_path(f, "a['1']"), ""), "text");
    assert_string_equal(rh_value_str(read_path(f, "a[-2]"), ""), "minus");
    assert_null(read_path(f, "a[2]"));
    assert_null(read_path(f, "a['-2']"));

    /* A higher level replaces the key it has, and no other one. */
    operate(f, "{\"op\":\"set\",\"level\":\"override\",\"path\":[\"a\",1],\"value\":\"above\"}");
    assert_string_equal(rh_value_str(read_path(f, "a[1]"), ""), "above");
    assert_string_equal(rh_value_str(read_path(f, "a['1']"), ""), "text");

    /* So does a table that is merged into it. */
    rh_value_put(table, "a", map_of(f, "merged", "merged too", "third"));
    rh_node_merge(f->node, RH_LEVEL_DEFAULT, table, (struct rh_place){ .line = 2 });
    assert_string_equal(rh_value_str(read_path(f, "a['1']"), ""), "merged");
    assert_string_equal(rh_value_str(read_path(f, "a[-2]"), ""), "merged too");
    assert_string_equal(rh_value_str(read_path(f, "a[1]"), ""), "above");

    /* What came from where names the level of each key. */
    told = rh_node_explain(f->node, f->arena, NULL, rh_node_path_parse(f->arena, "a['1']", &err));
    assert_non_null(told);
    operate(f, "{\"op\":\"rm\",\"path\":[\"a\",1]}");
    assert_null(read_path(f, "a[1]"));
    assert_string_equal(rh_value_str(read_path(f, "a['1']"), ""), "merged");
}

/* A path that is hidden names one key of a map, and hides what is below it. */
static void
a_hidden_key_of_a_map_is_that_key(void **state)
{
    static const struct {
        const char *path;
        bool number, text, minus;
    } cases[] = {
        { "a[1]", true, false, false },  { "a['1']", false, true, false }, { "a[-2]", false, false, true },
        { "a[2]", false, false, false }, { "a", true, true, true },
    };
    struct fixture *f = *state;
    rh_autoerror struct rh_error err = { 0 };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rh_value *op = json(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"a\"]}");

        rh_node_free(f->node);
        f->node = rh_node_new();
        rh_node_hide(f->node, rh_node_path_parse(f->arena, cases[i].path, &err));
        rh_value_put(op, "value", map_of(f, "text", "minus", "number"));
        assert_int_equal(rh_node_operate(f->node, op, (struct rh_place){ 0 }, &f->result), 0);
        if (rh_value_sensitive(read_path(f, "a[1]")) != cases[i].number
            || rh_value_sensitive(read_path(f, "a['1']")) != cases[i].text
            || rh_value_sensitive(read_path(f, "a[-2]")) != cases[i].minus)
            fail_msg("%s", cases[i].path);
    }
}

/* A value that is held is found by the name it was given, by its path, or as the last one. */
static void
a_held_value_is_found_again(void **state)
{
    struct fixture *f = *state;

    operate(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"a\"],\"value\":{\"b\":1,\"c\":2}}");
    assert_int_equal(operate_at(f, "{\"op\":\"held\"}", 0), -1);
    operate(f, "{\"op\":\"hold\",\"path\":[\"a\",\"b\"]}");
    assert_json(f->result.returns, "1");
    operate(f, "{\"op\":\"hold\",\"path\":[\"a\"],\"key\":\"all\"}");
    operate(f, "{\"op\":\"hold\",\"path\":[\"a\",\"c\"]}");
    operate(f, "{\"op\":\"set\",\"level\":\"default\",\"path\":[\"a\",\"b\"],\"value\":9}");
    operate(f, "{\"op\":\"held\",\"path\":[\"a\",\"b\"]}");
    assert_json(f->result.returns, "1");
    operate(f, "{\"op\":\"held\",\"key\":\"all\"}");
    assert_json(f->result.returns, "{\"b\": 1, \"c\": 2}");
    operate(f, "{\"op\":\"held\"}");
    assert_json(f->result.returns, "2");
    assert_int_equal(operate_at(f, "{\"op\":\"held\",\"path\":[\"x\"]}", 0), -1);
    assert_string_equal(f->result.message, "no held value of 'x': call hold first");
    assert_int_equal(operate_at(f, "{\"op\":\"held\",\"key\":\"none\"}", 0), -1);
}

static void
paths_are_read_as_people_write_them(void **state)
{
    struct fixture *f = *state;
    static const char *const wrong[] = {
        "a..b", "a.", "a[", "a[x]", "a['b", "a['b'", "a]", "a[1]b", "a[99999999999999999999]", "\xff"
    };
    rh_autoerror struct rh_error err = { 0 };

    assert_json(rh_node_path_parse(f->arena, "a.b[0].c", &err), "[\"a\", \"b\", 0, \"c\"]");
    assert_json(rh_node_path_parse(f->arena, "users['j.doe'].shell", &err),
                "[\"users\", \"j.doe\", \"shell\"]");
    assert_json(rh_node_path_parse(f->arena, "['it\\'s'][-1]", &err), "[\"it's\", -1]");
    assert_json(rh_node_path_parse(f->arena, "", &err), "[]");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rh_autoerror struct rh_error why = { 0 };

        assert_null(rh_node_path_parse(f->arena, wrong[i], &why));
        assert_non_null(why.message);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_value_that_was_given_out_stays_as_it_is),
        TEST(what_was_not_written_is_not_merged_again),
        TEST(a_fact_that_nobody_reads_is_not_asked_for),
        TEST(facts_win_and_stay_when_all_levels_are_removed),
        TEST(what_is_sensitive_stays_so_wherever_it_goes),
        TEST(five_sources_of_a_value_are_told),
        TEST(what_was_removed_and_by_whom_is_told_when_nothing_is_there),
        TEST(positions_move_when_one_before_them_goes),
        TEST(a_hundred_thousand_attributes_merge_at_once),
        TEST(one_of_a_hundred_thousand_is_written_and_read_by_turns),
        TEST(a_map_with_keys_that_paths_cannot_have_is_a_scalar),
        TEST(a_map_with_numbers_as_keys_is_a_table),
        TEST(a_hidden_key_of_a_map_is_that_key),
        TEST(a_held_value_is_found_again),
        TEST(paths_are_read_as_people_write_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
