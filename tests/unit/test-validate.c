/* SPDX-License-Identifier: Apache-2.0 */
/* test-validate - what a resource gets from its type is its own. */
#include "config.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/source.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char description[] =
    "{\"type\": \"thing\", \"provider\": \"thing\", \"slots\": 160, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String\", \"behaviour\": 1},"
    "{\"name\": \"list\", \"type\": \"Array[String]\", \"default\": [\"a\", \"b\"]},"
    "{\"name\": \"text\", \"type\": \"String\", \"default\": \"c\"}]}";

static struct rh_validated
validated(struct rh_arena *a, const struct rh_type *t, const char *title)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_validated one = { 0 };

    assert_int_equal(
        rh_validate(a, t, title, (struct rh_place){ 0 }, rh_value_new(a, RH_HASH), &one, &complaints), 0);
    rh_complaints_clear(&complaints);
    return one;
}

/* Marks a value, and adds to a list. */
static void
spoil(const struct rh_validated *of)
{
    for (size_t i = 0; i < rh_value_count(of->should); i++) {
        struct rh_value *v = rh_draft_part(of->should, i);

        if (v->kind == RH_ARRAY) {
            rh_draft_part(v, 0)->marks |= RH_SENSITIVE;
            rh_value_append(v, rh_value_string(rh_value_arena(v), "d"));
        }
        v->marks |= RH_SENSITIVE;
    }
}

static void
a_default_is_not_shared_by_resources(void **state)
{
    struct rh_arena *a = rh_arena_new(NULL), *b = rh_arena_new(NULL);
    struct rh_error err = { 0 };
    const struct rh_value *v = rh_value_from_json(a, description, strlen(description), &err);
    const struct rh_type *t = v ? rh_type_read(a, v, &err) : NULL;
    struct rh_validated one, two;

    (void)state;
    if (!t)
        fail_msg("%s", err.message);
    one = validated(b, t, "x");
    spoil(&one);
    two = validated(b, t, "y");
    assert_int_equal(rh_value_count(two.should), 3);
    assert_false(rh_value_sensitive(two.should));
    assert_int_equal(rh_value_count(rh_value_get(two.should, "list")), 2);
    for (size_t i = 0; i < t->n_attrs; i++)
        assert_false(rh_value_sensitive(t->attrs[i].default_value));
    rh_arena_free(b);
    rh_arena_free(a);
}

/* One value for an attribute that is sensitive, in part or as a whole, and for one that is not. */
static void
a_mark_is_not_shared_by_attributes(void **state)
{
    static const char type[] =
        "{\"type\": \"thing\", \"provider\": \"thing\", \"slots\": 160, \"attributes\": ["
        "{\"name\": \"name\", \"type\": \"String\", \"behaviour\": 1},"
        "{\"name\": \"open\", \"type\": \"Array[String]\"},"
        "{\"name\": \"within\", \"type\": \"Array[Sensitive[String]]\"},"
        "{\"name\": \"whole\", \"type\": \"Sensitive[Array[String]]\"}]}";
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_error err = { 0 };
    const struct rh_type *t = rh_type_read(a, rh_value_from_json(a, type, strlen(type), &err), &err);
    const struct rh_value *shared = rh_value_from_json(a, "[\"x\", \"y\"]", 10, &err);
    struct rh_value *given = rh_value_new(a, RH_HASH);
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_validated one;

    (void)state;
    if (!t)
        fail_msg("%s", err.message);
    rh_value_put(given, "open", shared);
    rh_value_put(given, "within", shared);
    rh_value_put(given, "whole", shared);
    assert_int_equal(rh_validate(a, t, "x", (struct rh_place){ 0 }, given, &one, &complaints), 0);
    assert_false(rh_value_sensitive(shared));
    assert_false(rh_value_sensitive(rh_value_get(one.should, "open")));
    assert_true(rh_value_at(rh_value_get(one.should, "within"), 1)->marks & RH_SENSITIVE);
    assert_false(rh_value_get(one.should, "within")->marks & RH_SENSITIVE);
    assert_true(rh_value_get(one.should, "whole")->marks & RH_SENSITIVE);
    assert_ptr_equal(rh_value_get(given, "whole"), rh_value_get(one.should, "whole"));
    rh_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_not_shared_by_attributes),
        cmocka_unit_test(a_default_is_not_shared_by_resources),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
