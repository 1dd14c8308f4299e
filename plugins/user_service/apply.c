/* SPDX-License-Identifier: Apache-2.0 */
/* apply - bring units of users to their state, those of one user at once.
 *
 * The order is: lingering, which starts the manager; read unit files again where they are newer than what the
 * manager knows; stop; change what is enabled and masked; start. */

#include "apply.h"

#include "batch.h"
#include "jobs.h"
#include "reason.h"

#include "../service-systemd/names.h"
#include "../service-systemd/preset.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- What is to be done. ---------------------------------------------------------------------- */

static int
to_run(const struct rhost_change *change)
{
    const char *wanted = rhost_str(change->should, "ensure");

    if (!wanted || strcmp(wanted, rhost_str_or(change->is, "ensure", "")) == 0)
        return -1;
    return strcmp(wanted, "running") == 0;
}

static int
read_files(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        b->items[i].file = systemctl_state(b->ctx, &b->account.owner, b->items[i].name);
        if (!b->items[i].file)
            return -1;
    }
    return 0;
}

static int
is_stale(const struct batch_item *it)
{
    return it->run >= 0 && (it->shown.stale || strcmp(it->shown.unit.load, "loaded") != 0);
}

static const char *
why_not(struct batch *b, const struct batch_item *it)
{
    const struct unit *unit = &it->shown.unit;
    int unmasked = it->mask == 0;

    if (!*it->file && (it->run == 1 || it->enable == 1 || it->preset)
        && (it->run != 1 || !b->runs || strcmp(unit->load, "not-found") == 0))
        return systemctl_unknown(b->ctx, &b->account.owner, it->name);
    if (it->run == 1 && unit_masked(unit) && !unmasked)
        return rhost_fmt(b->ctx, "%s cannot be started: it is masked; 'mask: false' unmasks it", it->name);
    if (it->enable == 1 && !unmasked
        && (unit_masked(unit) || strcmp(it->file, "static") == 0 || strcmp(it->file, "generated") == 0
            || strcmp(it->file, "transient") == 0))
        return why_not_enabled(b->ctx, unit, "");
    if (it->run == 1 && !b->runs)
        return batch_no_manager(b);
    if (it->run == 1 && !unmasked
        && (strcmp(unit->load, "bad-setting") == 0 || strcmp(unit->load, "error") == 0))
        return rhost_fmt(b->ctx,
                         "%s cannot be started: systemd cannot load its unit file ('%s'); 'systemctl --user "
                         "status %s' says why",
                         it->name, unit->load, it->name);
    return NULL;
}

static int
prepare(struct batch *b)
{
    int stale = 0;

    if (read_files(b) < 0 || batch_read_units(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n && b->runs; i++)
        stale = stale || is_stale(&b->items[i]);
    if (stale && (batch_reload(b) < 0 || batch_read_units(b) < 0))
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct batch_item *it = &b->items[i];
        const char *why;

        if (it->preset && preset_becomes(b->ctx, &b->account.owner, it->name, &it->enable) < 0)
            return -1;
        why = why_not(b, it);
        if (why)
            batch_item_fail(b, it, why);
    }
    return 0;
}

/* --- Lingering. ------------------------------------------------------------------------------- */

static void
change_linger(struct batch *b, int enable)
{
    const char *why = NULL;
    int done = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct batch_item *it = &b->items[i];

        if (it->failed || change_flag(it->change, "linger") != enable)
            continue;
        if (!done)
            why = account_linger(b->ctx, &b->account, enable);
        done = 1;
        if (why)
            batch_item_fail(b, it, why);
    }
}

/* --- Files. ----------------------------------------------------------------------------------- */

static int
wants(const struct batch_item *it, const char *verb)
{
    if (it->failed)
        return 0;
    if (strcmp(verb, "unmask") == 0)
        return it->mask == 0;
    if (strcmp(verb, "mask") == 0)
        return it->mask == 1;
    if (strcmp(verb, "preset") == 0)
        return it->preset && it->enable >= 0;
    return !it->preset && it->enable == (strcmp(verb, "enable") == 0);
}

/* One call for all; if that fails, one for each, which tells whose fault it is. Returns how many. */
static size_t
change_files(struct batch *b, const char *verb)
{
    const char **names = rhost_alloc(b->ctx, (b->n + 1) * sizeof *names);
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        if (wants(&b->items[i], verb))
            names[n++] = b->items[i].name;
    names[n] = NULL;
    if (!n || !systemctl_change(b->ctx, &b->account.owner, verb, names))
        return n;
    for (size_t i = 0; i < b->n; i++) {
        const char *one[] = { b->items[i].name, NULL };
        const char *why =
            wants(&b->items[i], verb) ? systemctl_change(b->ctx, &b->account.owner, verb, one) : NULL;

        if (why)
            batch_item_fail(
                b, &b->items[i],
                rhost_fmt(b->ctx, "cannot %s %s of user '%s': %s", verb, one[0], b->account.owner.user, why));
    }
    return n;
}

/* Says of each that did not become what it should why it is not. */
static int
check_files(struct batch *b)
{
    if (read_files(b) < 0)
        return -1;
    for (size_t i = 0; i < b->n; i++) {
        struct batch_item *it = &b->items[i];
        struct unit unit = it->shown.unit;

        unit.file = it->file;
        if (it->enable == 1 && !unit_enabled(&unit))
            batch_item_fail(b, it, why_not_enabled(b->ctx, &unit, ""));
        if (it->enable == 0 && unit_enabled(&unit))
            batch_item_fail(
                b, it,
                rhost_fmt(b->ctx,
                          "%s stays enabled, as it is enabled for all users, in /etc/systemd/user: 'mask: "
                          "true' keeps user '%s' from starting it",
                          it->name, b->account.owner.user));
        if (it->mask == 0 && unit_masked(&unit))
            batch_item_fail(
                b, it,
                rhost_fmt(b->ctx,
                          "%s stays masked, as it is masked for all users, in /etc/systemd/user, or until "
                          "the next boot",
                          it->name));
    }
    return 0;
}

static int
all_files(struct batch *b)
{
    static const char *const verbs[] = { "unmask", "disable", "enable", "preset", "mask" };
    size_t n = 0;

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        n += change_files(b, verbs[i]);
    if (!n)
        return 0;
    if (check_files(b) < 0)
        return -1;
    return b->runs ? batch_reload(b) : 0;
}

/* --- All of one account. ---------------------------------------------------------------------- */

/* In a scope, in which what fails fails for all units of the account. */
static void
apply_account(struct batch *b, const char *user, void (*started)(rhost_ctx *ctx, const rhost_value *name))
{
    if (account_find(b->ctx, user, &b->account) < 0)
        return;
    if (!b->account.exists) {
        batch_fail(b, rhost_fmt(b->ctx, "unknown user '%s'", user));
        return;
    }
    change_linger(b, 1);
    if (prepare(b) < 0 || jobs_run(b, 0) < 0 || all_files(b) < 0 || jobs_run(b, 1) < 0)
        return;
    for (size_t i = 0; i < b->n; i++)
        if (b->items[i].run == 1 && !b->items[i].failed)
            started(b->ctx, b->items[i].change->name);
    change_linger(b, 0);
}

int32_t
apply_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n,
          void (*started)(rhost_ctx *ctx, const rhost_value *name))
{
    char *done = rhost_alloc(ctx, n + 1);
    const char **titles = rhost_alloc(ctx, (n + 1) * sizeof *titles);

    memset(done, 0, n + 1);
    for (size_t first = 0; first < n; first++) {
        const char *user = rhost_str(changes[first]->name, "user");
        struct batch b = { .ctx = ctx, .items = rhost_alloc(ctx, (n + 1) * sizeof *b.items) };
        uint64_t scope;

        for (size_t i = first; i < n; i++) {
            if (done[i] || strcmp(rhost_str(changes[i]->name, "user"), user) != 0)
                continue;
            done[i] = 1;
            titles[b.n] = changes[i]->title;
            b.items[b.n++] = (struct batch_item){ .change = changes[i],
                                                  .name = rhost_str(changes[i]->name, "name"),
                                                  .file = "",
                                                  .run = to_run(changes[i]),
                                                  .enable = change_flag(changes[i], "enable"),
                                                  .mask = change_flag(changes[i], "mask"),
                                                  .preset = preset_wanted(changes[i]->should) };
        }
        if (!b.n)
            continue;
        scope = ctx->host->scope_begin(ctx, RHOST_PROCESSING, titles, b.n, NULL, NULL, NULL);
        apply_account(&b, user, started);
        rhost_end(ctx, scope);
    }
    return 0;
}

int32_t
apply_act(rhost_ctx *ctx, const struct rhost_change *change, const char *verb)
{
    const char *user = rhost_str(change->name, "user"), *name = rhost_str(change->name, "name");
    const char *const names[] = { name, NULL };
    struct batch b = { .ctx = ctx };
    int64_t since = (int64_t)time(NULL);
    struct rhost_output out;
    struct shown shown;
    int runs;

    if (account_find(ctx, user, &b.account) < 0)
        return -1;
    if (!b.account.exists)
        return rhost_fail(ctx, "unknown user '%s'", user);
    runs = manager_show(ctx, &b.account, names, 1, &shown);
    if (runs < 0)
        return -1;
    if (strncmp(verb, "try-", 4) == 0
        && (!runs || (!unit_running(&shown.unit) && strcmp(shown.unit.active, "activating") != 0)))
        return 0;
    if (!runs)
        return rhost_fail(ctx, "%s", batch_no_manager(&b));
    if (shown.stale && batch_reload(&b) < 0)
        return -1;
    if (strstr(verb, "restart") && manager_do(ctx, &b.account, "reset-failed", names, 0, &out) < 0)
        return -1;
    if (manager_do(ctx, &b.account, verb, names, batch_limit(change), &out) < 0)
        return -1;
    out.err = rhost_strdup(ctx, out.err);
    if (out.status == SYSTEMCTL_LATE)
        return rhost_fail(
            ctx,
            "cannot %s %s of user '%s': it is not done after %g s, which is its timeout; systemd goes "
            "on with it",
            verb, name, user, batch_limit(change));
    if (strstr(verb, "restart"))
        usleep(BATCH_GRACE);
    if (manager_show(ctx, &b.account, names, 1, &shown) < 0)
        return -1;
    if (out.status || strcmp(shown.unit.active, "failed") == 0 || strcmp(shown.unit.sub, "auto-restart") == 0)
        return rhost_fail(ctx, "%s", reason_for(ctx, &b.account, &shown, verb, out.err, since));
    return 0;
}
