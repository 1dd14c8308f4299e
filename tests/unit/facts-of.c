/* SPDX-License-Identifier: Apache-2.0 */
/* facts-of - prints the facts of a made-up tree as JSON: facts-of ROOT. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "facts/facts.h"

#include <stdio.h>
#include <string.h>

struct taking {
    struct rh_facts *facts;
    struct rh_value *all;
};

static void
take(void *to, const char *name)
{
    struct taking *t = to;
    const struct rh_value *v = rh_facts_get(t->facts, name);

    if (v)
        rh_value_put(t->all, name, rh_value_copy(rh_value_arena(t->all), v));
}

int
main(int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_facts_options options = { .root = argc == 2 ? argv[1] : "/nowhere" };
    struct taking t = { .facts = rh_facts_new(&options), .all = rh_value_new(a, RH_HASH) };

    rh_facts_names(t.facts, take, &t);
    rh_value_to_json_pretty(&b, t.all, true);
    (void)puts(rh_buf_text(&b));
    rh_facts_free(t.facts);
    return argc != 2;
}
