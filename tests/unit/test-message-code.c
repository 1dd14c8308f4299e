/* SPDX-License-Identifier: Apache-2.0 */
/* test-message-code - the wording of a format, and its code. */
#include "config.h"

#include "base/cleanup.h"
#include "base/message-code.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
wording_is(const char *format, const char *expected)
{
    rh_autofree char *wording = rh_message_wording(format);

    assert_string_equal(wording, expected);
}

static void
values_become_dots(void **state)
{
    (void)state;
    wording_is("", "");
    wording_is("plain", "plain");
    wording_is("'%s' is %zu bytes, %" PRId64 " of %.*s", "'…' is … bytes, … of …");
    wording_is("%s%s%-5.2f: %%%c%%", "…: %…%");
    wording_is(" it is \n  more %s", "it is");
    wording_is("100% sure, 5%", "100…ure, 5%"); /* what C takes for a conversion */
    wording_is("%!", "%!");
}

/* Found by binary search: each one of the table. */
static void
each_wording_is_found(void **state)
{
    (void)state;
    assert_true(rh_message_count > 0);
    for (size_t i = 0; i < rh_message_count; i++) {
        const char *wording = rh_message_wordings + rh_message_entries[i].at;

        if (!strchr(wording, '%'))
            assert_int_equal(rh_message_code(wording), rh_message_entries[i].code);
        if (i)
            assert_true(strcmp(wording, rh_message_wordings + rh_message_entries[i - 1].at) > 0);
    }
    assert_int_equal(rh_message_code("unknown command '%s'"), 200);
    assert_int_equal(rh_message_code("no message of rhost"), 0);
    assert_int_equal(rh_message_code(NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_dots),
        cmocka_unit_test(each_wording_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
