/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-frames - bytes from the wire: values, outcomes and wants. What is read must survive being
 * written and read again. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/message.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct rh_type *
some_type(void)
{
    static const char text[] =
        "{\"type\": \"t\", \"provider\": \"t\", \"slots\": 64, \"attributes\": [{\"name\": \"n\", "
        "\"type\": \"String\", \"behaviour\": 1}, {\"name\": \"p\", \"type\": \"Any\"}]}";
    static const struct rh_type *type;

    if (!type) {
        struct rh_arena *a = rh_arena_new(NULL); /* kept for the whole run */

        type = rh_type_read(a, rh_value_from_json(a, text, sizeof text - 1, NULL), NULL);
        if (!type)
            abort();
    }
    return type;
}

static void
try_value(const char *bytes, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf out = { 0 };
    rh_autobuf struct rh_buf shown = { 0 };
    struct rh_in in = { .at = bytes, .end = bytes + n };
    struct rh_value *v = rh_take_value(&in, a), *again;

    if (!v)
        return;
    rh_value_show(&shown, v, 100);
    rh_value_to_json(&shown, v, false);
    rh_put_value(&out, v);
    in = (struct rh_in){ .at = out.s, .end = out.s + out.n };
    again = rh_take_value(&in, a);
    if (!again || in.at != in.end)
        abort();
    (void)rh_value_equal(v, again);
    (void)rh_value_copy(a, again);
}

static void
try_outcome(const char *bytes, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf out = { 0 };
    struct rh_in in = { .at = bytes, .end = bytes + n };
    struct rh_outcome o;

    if (rh_message_take_outcome(&in, a, &o))
        rh_message_outcome(&out, &o);
}

static void
try_want(const char *bytes, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf out = { 0 };
    struct rh_in in = { .at = bytes, .end = bytes + n };
    struct rh_want want;

    while (in.at < in.end && rh_message_take_want(&in, a, some_type(), &want))
        rh_message_want(&out, &want, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + 1);

    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    try_value(bytes, size);
    try_outcome(bytes, size);
    try_want(bytes, size);
    free(bytes);
    return 0;
}
