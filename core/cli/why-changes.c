/* SPDX-License-Identifier: Apache-2.0 */
/* why-changes - what the runs that are kept have done to a resource. */
#include "config.h"

#include "cli/why.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "cli/session.h"
#include "run/journal-read.h"

#include <string.h>

/* A line of the journal that says what became of the resource, and that it did not stay as it was. */
static bool
is_change(const struct rh_value *line, const struct rh_resource *r)
{
    static const char *const statuses[] = { "changed", "refreshed", "failed" };
    const char *status = rh_value_get_str(line, "status", "");
    bool is_known = false;

    if (strcmp(rh_value_get_str(line, "type", ""), r->type->type) != 0
        || strcmp(rh_value_get_str(line, "title", ""), r->title) != 0)
        return false;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        is_known |= strcmp(statuses[i], status) == 0;
    return is_known;
}

/* Of one run, its last first. */
static void
add_run(struct rh_value *list, const struct rh_run_journal *j, const struct rh_resource *r, unsigned most)
{
    static const char *const keys[] = { "time",    "status", "action",     "cause",
                                        "changes", "reason", "notified_by" };
    struct rh_arena *a = rh_value_arena(list);

    for (size_t i = rh_value_count(j->lines); i > 0 && list->count < most; i--) {
        const struct rh_value *line = rh_value_at(j->lines, i - 1);
        struct rh_value *v;

        if (!is_change(line, r))
            continue;
        v = rh_value_new(a, RH_HASH);
        rh_value_put(v, "run", rh_value_string(a, j->run));
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            if (rh_value_get(line, keys[k]))
                rh_value_put(v, keys[k], rh_value_copy(a, rh_value_get(line, keys[k])));
        rh_value_append(list, v);
    }
}

struct rh_value *
rh_why_changes(struct rh_session *s, const struct rh_resource *r, unsigned most)
{
    struct rh_value *list = rh_value_new(s->arena, RH_ARRAY);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names = { 0 };

    if (!s->state_dir)
        return list;
    if (rh_run_names_read(s->state_dir, &names, &err) < 0) {
        rh_log_error(RH_WARNING, &err);
        return list;
    }
    for (size_t i = 0; i < names.n && list->count < most; i++) {
        rh_autoerror struct rh_error why = { 0 };
        struct rh_run_journal j;

        if (rh_run_journal_read(s->state_dir, names.v[i], &j, &why) < 0) {
            rh_log_error(RH_WARNING, &why);
            continue;
        }
        add_run(list, &j, r, most);
        rh_run_journal_clear(&j);
    }
    rh_run_names_clear(&names);
    return list;
}
