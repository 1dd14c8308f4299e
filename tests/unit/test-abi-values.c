/* SPDX-License-Identifier: Apache-2.0 */
/* test-abi-values - what core calls RH_ and the ABI calls RHOST_ is worth the same: both sides cast
 * from one to the other. */
#include "config.h"

#include "base/log.h"
#include "base/value.h"
#include "plugin/frame.h"
#include "provider/call.h"
#include "schema/type.h"

#include <rhost/abi.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SAME(ours, theirs)                                                                         \
    _Static_assert((uint64_t)(ours) == (uint64_t)(theirs), #ours " is not " #theirs)

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
SAME(RH_BEHAVIOURS,
     RHOST_NAMEVAR | RHOST_PARAMETER | RHOST_READ_ONLY | RHOST_INIT_ONLY | RHOST_UNORDERED);

SAME(RH_SIMPLE_GET_FILTER, RHOST_SIMPLE_GET_FILTER);
SAME(RH_SUPPORTS_NOOP, RHOST_SUPPORTS_NOOP);
SAME(RH_REMOTE_RESOURCE, RHOST_REMOTE_RESOURCE);
SAME(RH_FORGETS_WORLD, RHOST_FORGETS_WORLD);
SAME(RH_FEATURES, RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_REMOTE_RESOURCE
                      | RHOST_FORGETS_WORLD);

/* Handles are casts: the first word is where the plugin looks for it. */
_Static_assert(offsetof(struct rh_value, host) == offsetof(struct rhost_value, host),
               "a value does not begin with its host");
_Static_assert(offsetof(struct rh_call, ctx) == 0, "a call does not begin with its handle");
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_of_the_table_is_filled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
