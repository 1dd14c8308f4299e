/* SPDX-License-Identifier: Apache-2.0 */
/* batch - units of one user that are brought to their state at once. */

#include "batch.h"

#include "apply.h"

#include "../service-systemd/names.h"

#include <string.h>

void
batch_item_fail(struct batch *b, struct batch_item *it, const char *why)
{
    if (!it->failed)
        (void)b->ctx->host->did(b->ctx, RHOST_FAILING, &it->change->title, 1, NULL, NULL, why);
    it->failed = 1;
}

void
batch_fail(struct batch *b, const char *why)
{
    for (size_t i = 0; i < b->n; i++)
        batch_item_fail(b, &b->items[i], why);
}

double
batch_limit(const struct rhost_change *change)
{
    return rhost_real(change->should, "timeout", APPLY_LIMIT);
}

/* Of those that are no template. */
int
batch_read_units(struct batch *b)
{
    const char **names = rhost_alloc(b->ctx, (b->n + 1) * sizeof *names);
    struct shown *shown = rhost_alloc(b->ctx, (b->n + 1) * sizeof *shown);
    size_t n = 0;
    int r;

    for (size_t i = 0; i < b->n; i++)
        if (!names_is_template(b->items[i].name))
            names[n++] = b->items[i].name;
    r = manager_show(b->ctx, &b->account, names, n, shown);
    if (r < 0)
        return -1;
    b->runs = r;
    n = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct batch_item *it = &b->items[i];

        if (!names_is_template(it->name))
            it->shown = shown[n++];
        else
            it->shown = (struct shown){ .unit = { .load = "loaded", .active = "inactive", .sub = "" } };
        it->shown.unit.name = it->name;
        it->shown.unit.file = it->file;
    }
    return 0;
}

int
batch_reload(struct batch *b)
{
    const char *const none[] = { NULL };
    struct rhost_output out;

    if (manager_do(b->ctx, &b->account, "daemon-reload", none, 0, &out) < 0)
        return -1;
    return out.status ? rhost_fail(b->ctx, "the systemd manager of user '%s' cannot read its unit files: %s",
                                   b->account.owner.user, systemctl_complaint(b->ctx, &out))
                      : 0;
}

const char *
batch_no_manager(struct batch *b)
{
    const char *user = b->account.owner.user;

    return b->account.booted
               ? rhost_fmt(
                   b->ctx,
                   "the systemd manager of user '%s' does not run, as the user is not logged in and does "
                   "not linger: 'linger: true' keeps it running (loginctl enable-linger %s)",
                   user, user)
               : rhost_fmt(b->ctx,
                           "the systemd manager of user '%s' cannot run: this machine does not run systemd",
                           user);
}
