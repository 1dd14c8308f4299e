/* SPDX-License-Identifier: Apache-2.0 */
/* test-abi-values - what core calls RH_ and the ABI calls RHOST_ is worth the same: both sides cast
 * from one to the other. */
#include "config.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "plugin/frame.h"
#include "provider/call.h"
#include "schema/type.h"

#include <rhost/abi.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAME(ours, theirs) _Static_assert((uint64_t)(ours) == (uint64_t)(theirs), #ours " is not " #theirs)

SAME(RH_UNDEF, RHOST_UNDEF);
SAME(RH_BOOLEAN, RHOST_BOOLEAN);
SAME(RH_INTEGER, RHOST_INTEGER);
SAME(RH_FLOAT, RHOST_FLOAT);
SAME(RH_STRING, RHOST_STRING);
SAME(RH_BINARY, RHOST_BINARY);
SAME(RH_ARRAY, RHOST_ARRAY);
SAME(RH_HASH, RHOST_HASH);
SAME(RH_UNKNOWN, RHOST_UNKNOWN);

SAME(RH_DEBUG, RHOST_DEBUG);
SAME(RH_INFO, RHOST_INFO);
SAME(RH_NOTICE, RHOST_NOTICE);
SAME(RH_WARNING, RHOST_WARNING);
SAME(RH_ERR, RHOST_ERR);

SAME(RH_NAMEVAR, RHOST_NAMEVAR);
SAME(RH_PARAMETER, RHOST_PARAMETER);
SAME(RH_READ_ONLY, RHOST_READ_ONLY);
SAME(RH_INIT_ONLY, RHOST_INIT_ONLY);
SAME(RH_UNORDERED, RHOST_UNORDERED);
SAME(RH_BEHAVIOURS, RHOST_NAMEVAR | RHOST_PARAMETER | RHOST_READ_ONLY | RHOST_INIT_ONLY | RHOST_UNORDERED);

SAME(RH_SIMPLE_GET_FILTER, RHOST_SIMPLE_GET_FILTER);
SAME(RH_SUPPORTS_NOOP, RHOST_SUPPORTS_NOOP);
SAME(RH_REMOTE_RESOURCE, RHOST_REMOTE_RESOURCE);
SAME(RH_FORGETS_WORLD, RHOST_FORGETS_WORLD);
SAME(RH_READ_BACK, RHOST_READ_BACK);
SAME(RH_GATHERS, RHOST_GATHERS);
SAME(RH_FEATURES, RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_REMOTE_RESOURCE | RHOST_FORGETS_WORLD
                      | RHOST_READ_BACK | RHOST_GATHERS);

/* Handles are casts: the first word is where the plugin looks for it. */
_Static_assert(offsetof(struct rh_value, host) == offsetof(struct rhost_value, host),
               "a value does not begin with its host");
_Static_assert(offsetof(struct rh_handle, ctx) == 0, "a handle does not begin with what plugins see");
_Static_assert(sizeof(size_t) >= sizeof(uint32_t), "a count does not fit");

static void
every_entry_of_the_table_is_filled(void **state)
{
    const void *const *slots = (const void *const *)(const void *)&rh_host_table;
    size_t first = offsetof(struct rhost_host, kind) / sizeof *slots;

    (void)state;
    assert_int_equal(rh_host_table.struct_size, sizeof rh_host_table);
    assert_string_equal(rh_host_table.version, PACKAGE_VERSION);
    for (size_t i = first; i < sizeof rh_host_table / sizeof *slots; i++)
        assert_non_null(slots[i]);
}

/* As when canonicalize() puts a password back in another form. */
static void
what_was_sensitive_stays_so_when_it_is_replaced(void **state)
{
    struct rh_arena *a = rh_arena_new(&rh_host_table);
    struct rh_value *hash = rh_value_new(a, RH_HASH);
    rhost_value *outside = (rhost_value *)(void *)hash;
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    (void)state;
    rh_value_append(list, rh_value_marked(a, rh_value_string(a, "hunter2"), RH_SENSITIVE));
    rh_value_put(hash, "password", rh_value_string(a, "Hunter2"));
    rh_host_table.mark_sensitive(outside, "password");
    rh_value_put(hash, "list", list);
    rh_host_table.put_string(outside, "password", "hunter2", RHOST_NUL);
    rh_host_table.put_array(outside, "list");
    rh_host_table.put_string(outside, "plain", "text", RHOST_NUL);
    rh_host_table.put_string(outside, "plain", "other", RHOST_NUL);
    assert_true(rh_value_sensitive(rh_value_get(hash, "password")));
    assert_true(rh_value_sensitive(rh_value_get(hash, "list")));
    assert_false(rh_value_sensitive(rh_value_get(hash, "plain")));
    rh_arena_free(a);
}

/* Not by looking at each key before: that took hours. */
static void
a_frame_has_a_large_hash_with_each_key_once(void **state)
{
    enum { N = 200000 };
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_buf b = { 0 };
    struct rh_value *v;
    struct rh_in in;
    char key[16];

    (void)state;
    rh_put_u8(&b, RH_HASH);
    rh_put_u8(&b, 0);
    rh_put_u32(&b, N);
    for (int i = 0; i < N; i++) {
        (void)snprintf(key, sizeof key, "%06d", i);
        rh_put_text(&b, key);
        rh_put_value(&b, NULL);
    }
    in = (struct rh_in){ .at = b.s, .end = b.s + b.n };
    v = rh_take_value(&in, a);
    assert_non_null(v);
    assert_int_equal(rh_value_count(v), N);
    memcpy(b.s + 6 + 4, "000001", 6); /* the first key becomes the second */
    in = (struct rh_in){ .at = b.s, .end = b.s + b.n };
    assert_null(rh_take_value(&in, a));
    rh_buf_clear(&b);
    rh_arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_of_the_table_is_filled),
        cmocka_unit_test(what_was_sensitive_stays_so_when_it_is_replaced),
        cmocka_unit_test(a_frame_has_a_large_hash_with_each_key_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
