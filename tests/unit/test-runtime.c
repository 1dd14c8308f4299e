/* SPDX-License-Identifier: Apache-2.0 */
/* test-runtime - what no manifest can say yet: wants without `should`, straight to the runtime. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/runtime.h"
#include "schema/type.h"

#include <rhost/provider.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rh_buf calls; /* of the providers below, and outcomes */

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "value", .type = "Optional[String]" },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"" },
};

static int32_t
get(rhost_ctx *ctx, const rhost_value *names)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    (void)names;
    rhost_put_str(one, "name", "there");
    rhost_put_str(one, "value", "old");
    return ctx->host->emit(ctx, one);
}

static void
note(const char *what, const struct rhost_change *change)
{
    rh_buf_addf(&calls, "%s %s is:%s should:%s; ", what, change->title,
                change->is ? rhost_str_or(change->is, "value", "-") : "NULL",
                change->should ? rhost_str_or(change->should, "ensure", "-") : "NULL");
}

static int32_t
set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        note(rhost_gone(changes[i]) ? "set gone" : "set", changes[i]);
    return 0;
}

static int32_t
removes(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    note("remove", change);
    return 0;
}

static int32_t
load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx;
    (void)should;
    if (strcmp(rhost_str_or(name, "name", ""), "there") != 0)
        return RHOST_ABSENT;
    rhost_put_str(current, "value", "old");
    return 0;
}

static int32_t
load_fails(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)name;
    (void)should;
    (void)current;
    return rhost_fail_attr(ctx, "value", "unreadable");
}

static int32_t
converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    if (rhost_changed_any(ctx, change))
        note("changed", change);
    return 0;
}

static const struct rhost_provider with_ensure = {
    RHOST_PROVIDER("with_ensure", ""),
    RHOST_ATTRS(attrs),
    .get = get,
    .set = set,
};
static const struct rhost_provider without_ensure = {
    RHOST_PROVIDER("without_ensure", ""),
    .attr_stride = sizeof attrs[0],
    .n_attrs = 2,
    .attrs = attrs,
    .get = get,
    .set = set,
};
static const struct rhost_provider simple = {
    RHOST_PROVIDER("simple", ""),
    .attr_stride = sizeof attrs[0],
    .n_attrs = 2,
    .attrs = attrs,
    .get = get,
    .remove = removes,
};
static const struct rhost_provider converges = {
    RHOST_PROVIDER("converges", ""),
    .attr_stride = sizeof attrs[0],
    .n_attrs = 2,
    .attrs = attrs,
    .load = load,
    .converge = converge,
};
static const struct rhost_provider unreadable = {
    RHOST_PROVIDER("unreadable", ""),
    .attr_stride = sizeof attrs[0],
    .n_attrs = 2,
    .attrs = attrs,
    .load = load_fails,
    .converge = converge,
};
static const struct rhost_provider *const providers[] = {
    &with_ensure, &without_ensure, &simple, &converges, &unreadable, NULL,
};
static const struct rhost_plugin plugin = {
    .struct_size = sizeof plugin,
    .name = "test",
    .version = "1",
    .providers = providers,
};

static void
on_outcome(void *data, const struct rh_outcome *o)
{
    (void)data;
    rh_buf_addf(&calls, "%s%s%s%s%s; ", rh_status_name(o->status), o->attribute ? " at " : "",
                o->attribute ? o->attribute : "", o->reason ? ": " : "", o->reason ? o->reason : "");
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

static void
on_doing(void *data, uint32_t id, const char *verb)
{
    (void)data;
    (void)id;
    (void)verb;
}

/* What comes of wanting `there` and `gone` to go. */
static const char *
removing(const char *type, const char *ensure, bool noop)
{
    const struct rh_runtime_options options = { 0 };
    const struct rh_sink sink = { .outcome = on_outcome, .log = on_log, .doing = on_doing };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_arena *a = rh_arena_new(&rh_host_table);
    struct rh_runtime *rt = rh_runtime_new(&plugin, NULL, type, type, &options, &sink, &err);
    static const char *const names[] = { "there", "gone" };
    struct rh_want wants[2];

    assert_non_null(rt);
    rh_buf_truncate(&calls, 0);
    for (size_t i = 0; i < 2; i++) {
        struct rh_value *name = rh_value_new(a, RH_HASH), *should;

        rh_value_put(name, "name", rh_value_string(a, names[i]));
        wants[i] = (struct rh_want){
            .id = (uint32_t)i, .title = names[i], .action = "converge", .noop = noop, .name = name
        };
        if (!ensure)
            continue;
        should = rh_value_copy(a, name);
        rh_value_put(should, "ensure", rh_value_string(a, ensure));
        wants[i].should = should;
    }
    rh_runtime_converge(rt, a, wants, 2);
    rh_runtime_free(rt);
    rh_arena_free(a);
    return rh_buf_text(&calls);
}

/* S40 S43: without `should`, and with ensure: absent where the type has ensure. */
static void
both_forms_of_removal_reach_set(void **state)
{
    (void)state;
    assert_string_equal(removing("with_ensure", NULL, false),
                        "unchanged; set gone there is:old should:NULL; changed; ");
    assert_string_equal(removing("with_ensure", "absent", false),
                        "unchanged; set gone there is:old should:absent; changed; ");
}

/* S43 */
static void
a_type_without_ensure_can_be_removed(void **state)
{
    (void)state;
    assert_string_equal(removing("without_ensure", NULL, false),
                        "unchanged; set gone there is:old should:NULL; changed; ");
    assert_string_equal(removing("simple", NULL, false),
                        "remove there is:old should:NULL; changed; unchanged; ");
}

/* S43 S48 */
static void
converge_is_told_to_act_on_what_is_there_alone(void **state)
{
    (void)state;
    assert_string_equal(removing("converges", NULL, false),
                        "changed there is:old should:NULL; changed; unchanged; ");
    assert_string_equal(removing("converges", NULL, true), "would_change; unchanged; ");
}

static void
a_failure_to_read_has_its_attribute(void **state)
{
    (void)state;
    assert_string_equal(removing("unreadable", NULL, false),
                        "failed at value: value: unreadable; failed at value: value: unreadable; ");
}

static void
read_behaviour(struct rh_arena *a, const char *one, const char *other, struct rh_error *err,
               uint32_t *behaviour)
{
    struct rh_value *description = rh_value_new(a, RH_HASH), *attr = rh_value_new(a, RH_HASH);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    const struct rh_type *t;

    rh_value_put(description, "type", rh_value_string(a, "spelled"));
    rh_value_put(description, "provider", rh_value_string(a, "spelled"));
    rh_value_put(description, "plugin", rh_value_string(a, "test"));
    rh_value_put(description, "version", rh_value_string(a, "1"));
    rh_value_put(description, "slots", rh_value_integer(a, RH_HAS_GET | RH_HAS_SET));
    rh_value_put(attr, "name", rh_value_string(a, "name"));
    rh_value_put(attr, "type", rh_value_string(a, "String"));
    rh_value_put(attr, one, rh_value_integer(a, RH_NAMEVAR));
    if (other)
        rh_value_put(attr, other, rh_value_integer(a, RH_NAMEVAR));
    rh_value_append(list, attr);
    rh_value_put(description, "attributes", list);
    t = rh_type_read(a, description, err);
    *behaviour = t ? t->attrs[0].behaviour : 0;
}

/* S8 S9 */
static void
both_spellings_of_behaviour_are_read_but_not_at_once(void **state)
{
    struct rh_arena *a = rh_arena_new(&rh_host_table);
    rh_autoerror struct rh_error err = { 0 };
    uint32_t behaviour;

    (void)state;
    read_behaviour(a, "behaviour", NULL, &err, &behaviour);
    assert_null(err.message);
    assert_int_equal(behaviour, RH_NAMEVAR);
    read_behaviour(a, "behavior", NULL, &err, &behaviour);
    assert_null(err.message);
    assert_int_equal(behaviour, RH_NAMEVAR);
    read_behaviour(a, "behaviour", "behavior", &err, &behaviour);
    assert_non_null(err.message);
    assert_non_null(
        strstr(err.message, "attribute 'name': 'behaviour' and 'behavior' cannot be used together"));
    rh_arena_free(a);
}

/* What suits() says, and with which reason. */
static int32_t suits_answer;
static const char *suits_reason;
static bool suits_breaks_rules;

static int32_t
suits(rhost_ctx *ctx)
{
    if (suits_reason)
        (void)rhost_fail(ctx, "%s", suits_reason);
    if (suits_breaks_rules)
        (void)ctx->host->emit(ctx, ctx->host->new_hash(ctx));
    return suits_answer;
}

static const struct rhost_provider choosy = {
    RHOST_PROVIDER("choosy", ""),
    .attr_stride = sizeof attrs[0],
    .n_attrs = 2,
    .attrs = attrs,
    .load = load,
    .converge = converge,
    .suits = suits,
};
static const struct rhost_provider *const choosy_providers[] = { &choosy, NULL };
static const struct rhost_plugin choosy_plugin = {
    .struct_size = sizeof choosy_plugin,
    .name = "test",
    .version = "1",
    .providers = choosy_providers,
};

static void
a_provider_suits_as_well_as_it_says(void **state)
{
    static const struct {
        int32_t answer;
        const char *reason, *why;
    } cases[] = {
        { 1, NULL, NULL },
        { 2, NULL, NULL },
        { 1, "no disk", NULL }, /* the number counts */
        { 0, "no disk", "no disk" },
        { -1, "no disk", "no disk" },
        { 0, NULL, "no reason given" },
    };
    const struct rh_runtime_options options = { 0 };
    const struct rh_sink sink = { .outcome = on_outcome, .log = on_log, .doing = on_doing };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };
        struct rh_runtime *rt =
            rh_runtime_new(&choosy_plugin, NULL, "choosy", "choosy", &options, &sink, &err);

        assert_non_null(rt);
        suits_answer = cases[i].answer;
        suits_reason = cases[i].reason;
        assert_int_equal(rh_runtime_suits(rt, &err), cases[i].why ? 0 : cases[i].answer);
        if (cases[i].why)
            assert_string_equal(err.message, cases[i].why);
        else
            assert_null(err.message);
        rh_runtime_free(rt);
    }
}

/* Nobody knows what else it gets wrong. */
static void
a_provider_that_breaks_a_rule_does_not_suit(void **state)
{
    const struct rh_runtime_options options = { 0 };
    const struct rh_sink sink = { .outcome = on_outcome, .log = on_log, .doing = on_doing };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_runtime *rt = rh_runtime_new(&choosy_plugin, NULL, "choosy", "choosy", &options, &sink, &err);

    (void)state;
    assert_non_null(rt);
    suits_answer = 1;
    suits_reason = NULL;
    suits_breaks_rules = true;
    assert_int_equal(rh_runtime_suits(rt, &err), 0);
    assert_non_null(strstr(err.message, "violated the ABI contract"));
    suits_breaks_rules = false;
    rh_runtime_free(rt);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_removal_reach_set),
        cmocka_unit_test(a_type_without_ensure_can_be_removed),
        cmocka_unit_test(converge_is_told_to_act_on_what_is_there_alone),
        cmocka_unit_test(a_failure_to_read_has_its_attribute),
        cmocka_unit_test(a_provider_suits_as_well_as_it_says),
        cmocka_unit_test(a_provider_that_breaks_a_rule_does_not_suit),
        cmocka_unit_test(both_spellings_of_behaviour_are_read_but_not_at_once),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);

    rh_buf_clear(&calls);
    return rc;
}
