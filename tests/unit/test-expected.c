/* SPDX-License-Identifier: Apache-2.0 */
/* What a state is expected to be, over the wire, and the keyed digests of plans. */
#include "config.h"

#include "arena-fixture.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "plugin/frame.h"
#include "plugin/message.h"
#include "provider/observed.h"
#include "provider/outcome.h"
#include "run/plan.h"
#include "schema/type.h"

#include <stdio.h>
#include <string.h>

/* What a worker gets of a want with this. */
static bool
send(const struct rh_expected *planned, struct rh_want *taken)
{
    static struct rh_attr name = { .name = "name", .behaviour = RH_NAMEVAR };
    static const struct rh_attr *names[] = { &name };
    static struct rh_type type = {
        .type = "thing", .attrs = &name, .n_attrs = 1, .namevars = names, .n_namevars = 1
    };
    struct rh_value *should = rh_value_hash(arena, 1);
    struct rh_want want = { .id = 3, .title = "x", .action = "converge", .expected = planned };
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_in in;
    char *text;

    memset(type.begins, 0, sizeof type.begins);
    rh_type_index_attr(&type, 0);
    rh_value_put(should, "name", rh_value_string(arena, "x"));
    want.name = want.should = should;
    rh_message_want(&b, &want, NULL);
    text = rh_arena_alloc(arena, b.n);
    memcpy(text, b.s, b.n);
    in = (struct rh_in){ .at = text, .end = text + b.n };
    return rh_message_take_want(&in, arena, &type, taken);
}

static void
a_worker_gets_what_the_plan_says(void **state)
{
    struct rh_value *planned_state = rh_value_hash(arena, 1);
    const struct rh_expected planned = { .key = "k", .state = planned_state, .unchanged = true };
    const struct rh_expected ask = { .key = "k" };
    struct rh_want taken;

    (void)state;
    rh_value_put(planned_state, "mode", rh_observed_new(arena, "mode", rh_value_string(arena, "0644"), NULL));
    assert_true(send(&planned, &taken));
    assert_non_null(taken.expected);
    assert_string_equal(taken.expected->key, "k");
    assert_true(taken.expected->unchanged);
    assert_true(rh_value_equal(taken.expected->state, planned_state));
    assert_true(send(&ask, &taken));
    assert_non_null(taken.expected);
    assert_false(taken.expected->unchanged);
    assert_null(taken.expected->state);
    assert_true(send(NULL, &taken));
    assert_null(taken.expected);
}

static void
a_worker_gets_what_a_run_has_left(void **state)
{
    const struct rh_expected absent = { .key = "k", .state = rh_value_new(arena, RH_UNDEF), .left = true };
    const struct rh_expected any = { .key = "k", .left = true, .any = true };
    struct rh_want taken;

    (void)state;
    assert_true(send(&absent, &taken));
    assert_true(taken.expected->left);
    assert_false(taken.expected->any);
    assert_true(rh_value_is(taken.expected->state, RH_UNDEF));
    assert_true(send(&any, &taken));
    assert_true(taken.expected->any);
    assert_null(taken.expected->state);
}

static void
a_state_that_is_no_hash_is_refused(void **state)
{
    const struct rh_expected planned = { .key = "k", .state = rh_value_string(arena, "x") };
    struct rh_want taken;

    (void)state;
    assert_false(send(&planned, &taken));
}

static void
a_digest_is_the_hmac_of_its_key(void **state)
{
    struct rh_plan_key key, other;
    char digest[RH_PLAN_DIGEST], again[RH_PLAN_DIGEST];

    (void)state;
    memset(key.hex, 'a', sizeof key.hex);
    key.hex[64] = '\0';
    other = key;
    other.hex[63] = 'b';
    rh_plan_digest(&key, "what is planned", 15, digest);
    /* Python: hmac.new(b'a' * 64, b'what is planned', 'sha256').hexdigest() */
    assert_string_equal(digest, "e36efcc897c66e9ac1a35be15500f9552f7564060681559cefe6c7e2d83f850e");
    rh_plan_digest(&other, "what is planned", 15, again);
    assert_string_not_equal(digest, again);
}

static void
what_a_value_is_made_of_counts_and_whether_it_is_sensitive_does_not(void **state)
{
    struct rh_plan_key key = { "" };
    struct rh_value *plain = rh_value_string(arena, "x"), *secret = rh_value_string(arena, "x");
    struct rh_value *other = rh_value_string(arena, "y"), *append = rh_value_string(arena, "x");
    char a[RH_PLAN_DIGEST], b[RH_PLAN_DIGEST];

    (void)state;
    memset(key.hex, '0', sizeof key.hex - 1);
    secret->marks |= RH_SENSITIVE;
    append->marks |= RH_APPEND;
    rh_plan_digest_value(&key, plain, a);
    rh_plan_digest_value(&key, secret, b);
    assert_string_equal(a, b);
    rh_plan_digest_value(&key, other, b);
    assert_string_not_equal(a, b);
    rh_plan_digest_value(&key, append, b);
    assert_string_not_equal(a, b);
    rh_plan_digest_value(&key, NULL, b);
    assert_string_not_equal(a, b);
    other->marks |= RH_SENSITIVE; /* a secret that differs is another value */
    rh_plan_digest_value(&key, other, b);
    assert_string_not_equal(a, b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_gets_what_the_plan_says),
        cmocka_unit_test(a_worker_gets_what_a_run_has_left),
        cmocka_unit_test(a_state_that_is_no_hash_is_refused),
        cmocka_unit_test(a_digest_is_the_hmac_of_its_key),
        cmocka_unit_test(what_a_value_is_made_of_counts_and_whether_it_is_sensitive_does_not),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
