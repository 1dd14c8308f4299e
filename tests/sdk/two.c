/* SPDX-License-Identifier: Apache-2.0 */
/* two - a type that several providers serve: TWO is the name of this one. What suits() answers is in
 * the environment, SUITS_left="3" or a word for what goes wrong, so that a test can have it change;
 * each time it is asked adds a line to the file that SUITS_ASKED names. */
#include "note.h"

#include <signal.h>
#include <stdlib.h>

#ifndef TEXT
#define TEXT "String"
#endif

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it lies.", .behaviour = RHOST_NAMEVAR },
    { .name = "text", .type = TEXT, .desc = "What stands in it." },
    { .name = TWO "_only",
      .type = "Optional[String]",
      .desc = "What no other provider knows.",
      .behaviour = RHOST_PARAMETER },
};

static int32_t
note_that_asked(rhost_ctx *ctx)
{
    const char *path = getenv("SUITS_ASKED");
    FILE *f = path ? fopen(path, "ae") : NULL;

    if (path && (!f || fputs(TWO "\n", f) < 0 || fclose(f) != 0))
        return rhost_fail_errno(ctx, "cannot note that it was asked");
    return 0;
}

static int32_t
two_suits(rhost_ctx *ctx)
{
    const char *how = getenv("SUITS_" TWO);

    if (note_that_asked(ctx) < 0)
        return -1;
    if (!how)
        return 1;
    if (strcmp(how, "crash") == 0)
        (void)raise(SIGSEGV);
    if (strcmp(how, "hang") == 0)
        for (;;)
            (void)pause();
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "silent") == 0)
        return 0;
    if (strcmp(how, "noop") == 0)
        return ctx->host->noop(ctx) ? 9 : 0;
    if (how[0] == '/') /* suits once this is there */
        return access(how, F_OK) == 0 ? 1 : rhost_fail(ctx, "'%s' is not there", how);
    if (strcmp(how, "0") == 0) {
        (void)rhost_fail(ctx, "there is no %s here", TWO);
        return 0;
    }
    return atoi(how);
}

/* What was written says who wrote it. */
static int32_t
two_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    char by[300];
    FILE *f;
    int bad;

    if (note_write(ctx, change) < 0)
        return -1;
    (void)snprintf(by, sizeof by, "%s.by", path);
    f = fopen(by, "we");
    if (!f)
        return rhost_fail_errno(ctx, "cannot create '%s'", by);
    bad = fputs(TWO "\n", f) < 0;
    if (fclose(f) != 0 || bad)
        return rhost_fail_errno(ctx, "cannot write '%s'", by);
    return 0;
}

static const struct rhost_provider provider = {
    RHOST_PROVIDER_OF("two", TWO, "A small file, by one of several."),
    RHOST_ATTRS(attrs),
    .suits = two_suits,
    .load = note_load,
    .create = two_write,
    .update = two_write,
    .remove = note_remove,
};

RHOST_PLUGIN(two, "0.1", &provider)
