/* SPDX-License-Identifier: Apache-2.0 */
/* memory - what the agent remembers from one cycle to the next. */
#include "config.h"

#include "agent/memory.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "run/state.h"

#include <stddef.h>

static const char file[] = "agent.json";

#define AT(member) offsetof(struct rh_agent_memory, member)

static const struct {
    const char *name;
    size_t at;
} numbers[] = {
    { "serial", AT(serial) },     { "min_revision", AT(min_revision) }, { "good", AT(good) },
    { "previous", AT(previous) }, { "trying", AT(trying) },             { "failures", AT(failures) },
    { "blocked", AT(blocked) },   { "contact", AT(contact) },           { "ran", AT(ran) },
    { "problem_at", AT(problem_at) }, { "wanted", AT(wanted) },             { "fetched", AT(fetched) },
    { "previewed", AT(previewed) },
}, texts[] = {
    { "digest", AT(digest) },
    { "etag", AT(etag) },
    { "source", AT(source) },
    { "problem", AT(problem) },
    { "outcome", AT(outcome) },
};

int
rh_agent_memory_load(struct rh_agent_memory *m, struct rh_arena *a, const char *directory,
                     struct rh_error *err)
{
    const struct rh_value *v = rh_state_load(a, directory, file, err);

    *m = (struct rh_agent_memory){ 0 };
    if (!v)
        return -1;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const struct rh_value *number = rh_value_get(v, numbers[i].name);

        if (rh_value_is(number, RH_INTEGER) && number->u.integer > 0)
            *(int64_t *)(void *)((char *)m + numbers[i].at) = number->u.integer;
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *(const char **)(void *)((char *)m + texts[i].at) = rh_value_get_str(v, texts[i].name, "");
    return 0;
}

struct rh_value *
rh_agent_memory_value(const struct rh_agent_memory *m, struct rh_arena *a)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        int64_t number = *(const int64_t *)(const void *)((const char *)m + numbers[i].at);

        if (number)
            rh_value_put(v, numbers[i].name, rh_value_integer(a, number));
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text = *(const char *const *)(const void *)((const char *)m + texts[i].at);

        if (*text)
            rh_value_put(v, texts[i].name, rh_value_string(a, text));
    }
    return v;
}

int
rh_agent_memory_save(const struct rh_agent_memory *m, const char *directory, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

    return rh_state_save(directory, file, rh_agent_memory_value(m, a), err);
}
