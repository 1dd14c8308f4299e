/* SPDX-License-Identifier: Apache-2.0 */
/* ext-ids - the extension rhost.ids/1: the numbers of users and groups, and their names.
 *
 * Thousands of files have a handful of owners, and each look into the account data base reads a file. What is
 * not there is not remembered: it may be created at any time. */
#include "config.h"

#include "provider/extensions.h"

#include <rhost/ids.h>

#include <stddef.h>
#include <string.h>

enum { MOST = 64, LONGEST = 60 };

static struct known {
    size_t n, next;
    struct {
        uint32_t id;
        char name[LONGEST];
    } at[MOST];
} all[2];

static struct known *
known_of(int32_t kind)
{
    return &all[kind == RHOST_IDS_GROUP];
}

void
rh_ext_ids_forget(void)
{
    for (size_t i = 0; i < 2; i++)
        all[i].n = all[i].next = 0;
}

static void
remember(struct known *known, uint32_t id, const char *name)
{
    size_t len = strlen(name), at = known->next;

    if (len >= LONGEST)
        return;
    known->at[at].id = id;
    memcpy(known->at[at].name, name, len + 1);
    known->next = (at + 1) % MOST;
    if (known->n < MOST)
        known->n++;
}

static int32_t
ids_number(rhost_ctx *ctx, int32_t kind, const char *name, int64_t *id)
{
    struct known *known = known_of(kind);
    const char *found;

    for (size_t i = 0; i < known->n; i++)
        if (strcmp(known->at[i].name, name) == 0) {
            *id = known->at[i].id;
            return 0;
        }
    /* Two accounts may have one number: only a look by number says which name is the number's. */
    return rhost_ids_look_up(ctx, kind, name, 0, id, &found);
}

static int32_t
ids_name(rhost_ctx *ctx, int32_t kind, uint32_t id, const char **name)
{
    struct known *known = known_of(kind);
    int64_t number;
    int32_t result;

    for (size_t i = 0; i < known->n; i++)
        if (known->at[i].id == id) {
            size_t size = strlen(known->at[i].name) + 1;
            char *copy = ctx->host->alloc(ctx, size);

            *name = memcpy(copy, known->at[i].name, size);
            return 0;
        }
    result = rhost_ids_look_up(ctx, kind, NULL, id, &number, name);
    if (result == 0 && *name)
        remember(known, id, *name);
    return result;
}

const struct rhost_ids *
rh_ext_ids(void)
{
    static const struct rhost_ids extension = {
        .struct_size = sizeof extension,
        .number = ids_number,
        .name = ids_name,
    };

    return &extension;
}
