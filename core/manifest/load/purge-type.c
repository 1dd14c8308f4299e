/* SPDX-License-Identifier: Apache-2.0 */
/* purge-type - the type of the entries `purge: TYPE`. */
#include "config.h"

#include "manifest/load/purge-type.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/type.h"

const char rh_purge_word[] = "purge";

/* It has no callbacks: the bit only says that it needs none for reading. */
static const char description[] =
    "{\"type\": \"purge\", \"provider\": \"purge\", \"slots\": 2048,"
    " \"desc\": \"Removes resources of a type that are in no manifest.\","
    " \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1,"
    " \"desc\": \"The type.\"},"
    "{\"name\": \"keep\", \"type\": \"Variant[String[1], Array[String[1]]]\","
    " \"desc\": \"Titles to keep, with wildcards, or between slashes as regular expressions.\","
    " \"default\": []},"
    "{\"name\": \"system\", \"type\": \"Boolean\", \"default\": false,"
    " \"desc\": \"Whether to remove what belongs to the system as well: its accounts and groups.\"},"
    "{\"name\": \"limit\","
    " \"type\": \"Variant[Integer[0], Pattern[/\\\\A(100|[0-9]{1,2})%\\\\z/], Enum[none]]\","
    " \"desc\": \"How many resources one run can remove: a number, a percentage such as 5%, or none for no "
    "limit.\","
    " \"default\": 10}]}";

const struct rh_type *
rh_purge_type(struct rh_arena *a, const char *provider)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *v = rh_value_from_json(a, description, sizeof description - 1, &err);

    if (v && provider)
        rh_value_put(v, "provider", rh_value_string(a, provider));
    return v ? rh_type_read(a, v, &err) : NULL;
}
