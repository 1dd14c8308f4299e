/* SPDX-License-Identifier: Apache-2.0 */
/* complete-push - the targets and commands of a push. */
#include "config.h"

#include "cli/complete.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/source.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/push-command.h"
#include "reach/push.h"

#include <string.h>

static void
offer(void *data, const char *name, const char *what)
{
    rh_completion_offer(data, name, what);
}

/* The names of the file of targets; a program is not run. */
static void
offer_names(struct rh_completion *c)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints complaints = { .sources = &sources };
    struct rh_inventory inv = { .arena = c->arena, .complaints = &complaints, .passive = true };

    if (rh_inventory_read(&inv, c->settings->targets) == 0)
        rh_inventory_each_name(&inv, offer, c);
    rh_inventory_clear(&inv);
    rh_complaints_clear(&complaints);
    rh_sources_clear(&sources);
}

/* 'web&!web3,db1': the last of the names goes on. */
static void
split_selection(struct rh_completion *c)
{
    size_t n = strlen(c->word);

    while (n && !strchr(",&!", c->word[n - 1]))
        n--;
    c->lead = rh_arena_printf(c->arena, "%s%.*s", c->lead, (int)n, c->word);
    c->word += n;
}

void
rh_complete_selection(struct rh_completion *c)
{
    if (!c->settings->targets || strcmp(c->settings->targets, "-") == 0)
        return;
    split_selection(c);
    offer_names(c);
}

void
rh_complete_pushed(struct rh_completion *c)
{
    size_t i = c->n_operands - c->ended_at;

    if (i == 0)
        rh_push_each_command(offer, c);
    else
        c->files = true;
}
