/* SPDX-License-Identifier: Apache-2.0 */
/* complete-state - runs, pending notifications, and resources of earlier runs. */
#include "config.h"

#include "cli/complete.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "cli/session.h"
#include "run/journal-read.h"
#include "run/pending.h"

#include <string.h>

enum { JOURNALS = 10 };

void
rh_complete_runs(struct rh_completion *c)
{
    rh_autofree char *state_dir = rh_session_safe_state_dir(c->settings);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names;

    if (!state_dir || rh_run_names_read(state_dir, &names, &err) < 0)
        return;
    if (names.n)
        rh_completion_offer(c, "last", "the newest run");
    for (size_t i = 0; i < names.n; i++)
        rh_completion_offer(c, names.v[i], NULL);
    rh_run_names_clear(&names);
}

void
rh_complete_pending(struct rh_completion *c)
{
    rh_autofree char *state_dir = rh_session_safe_state_dir(c->settings);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_pending_list *list = state_dir ? rh_pending_open(state_dir, NULL, NULL, &err) : NULL;

    for (size_t i = 0; list && i < rh_pending_count(list); i++) {
        const struct rh_pending *p = rh_pending_at(list, i);

        if (!p->dropped)
            rh_completion_offer(c, rh_arena_printf(c->arena, "%s[%s]", p->type, p->title), p->action);
    }
    if (list) {
        rh_pending_abandon(list);
        rh_discard(rh_pending_close(list, &err));
    }
}

static void
offer_line(struct rh_completion *c, const struct rh_value *line, const char *type, bool titles)
{
    const char *type_name = rh_value_get_str(line, "type", NULL),
               *title = rh_value_get_str(line, "title", NULL);

    if (!type_name || !title || (type && strcmp(type_name, type) != 0))
        return;
    rh_completion_offer(c, titles ? title : rh_arena_printf(c->arena, "%s[%s]", type_name, title), NULL);
}

void
rh_complete_known_resources(struct rh_completion *c, const char *type, bool titles)
{
    rh_autofree char *state_dir = rh_session_safe_state_dir(c->settings);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names;

    if (!state_dir || rh_run_names_read(state_dir, &names, &err) < 0)
        return;
    for (size_t i = 0; i < names.n && i < JOURNALS; i++) {
        rh_autoerror struct rh_error unread = { 0 };
        struct rh_run_journal j;

        if (rh_run_journal_read(state_dir, names.v[i], &j, &unread) < 0)
            continue;
        for (size_t k = 0; k < rh_value_count(j.lines); k++)
            offer_line(c, rh_value_at(j.lines, k), type, titles);
        rh_run_journal_clear(&j);
    }
    rh_run_names_clear(&names);
}
