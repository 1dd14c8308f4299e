/* SPDX-License-Identifier: Apache-2.0 */
/* confirm-history - what became of runs that were to be confirmed. */
#include "config.h"

#include "run/confirm.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "run/state.h"

#include <string.h>
#include <time.h>

static const char file_name[] = "confirmed.json";

enum { KEPT = 50 }; /* as many as journals */

static const char *const ends[] = {
    [RH_CONFIRMED] = "confirmed",
    [RH_CONFIRMED_UNCHANGED] = "unchanged",
    [RH_ROLLED_BACK] = "rolled_back",
    [RH_ROLLBACK_KEPT] = "rolled_back_in_part",
};

const struct rh_value *
rh_confirm_history(struct rh_arena *a, const char *state_dir, struct rh_error *err)
{
    return rh_state_load(a, state_dir, file_name, err);
}

int
rh_confirm_note_end(const char *state_dir, const struct rh_confirm *c, enum rh_confirm_end end,
                    struct rh_error *err)
{
    const struct rh_value *before = rh_confirm_history(c->arena, state_dir, err);
    size_t n = rh_value_count(before);
    struct rh_value *all, *v;

    if (!before)
        return -1;
    all = rh_value_hash(c->arena, n + 1);
    for (size_t i = n >= KEPT ? n - KEPT + 1 : 0; i < n; i++) {
        const struct rh_entry *e = rh_value_entry(before, i);

        if (strcmp(e->key, c->run) != 0)
            rh_value_put(all, e->key, e->value);
    }
    v = rh_value_hash(c->arena, 2);
    rh_value_put_ref(v, "state", rh_value_string(c->arena, ends[end]));
    rh_value_put_ref(v, "time", rh_value_string(c->arena, rh_state_time(c->arena, (long long)time(NULL))));
    rh_value_put(all, c->run, v);
    return rh_state_save(state_dir, file_name, all, err);
}

const char *
rh_confirm_state_text(const char *state)
{
    static const struct {
        const char *state, *text;
    } texts[] = {
        { "confirmed", "confirmed" },
        { "rolled_back", "rolled back" },
        { "rolled_back_in_part", "rolled back in part" },
        { "rollback_failed", "rolled back in part" },
        { "rolling_back", "being rolled back" },
        { "unconfirmed", "not confirmed yet" },
    };

    for (size_t i = 0; state && i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].state, state) == 0)
            return texts[i].text;
    return NULL;
}
