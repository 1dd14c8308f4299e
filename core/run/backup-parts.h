/* SPDX-License-Identifier: Apache-2.0 */
/* backup-parts - what the files that keep states share. */
#ifndef RH_RUN_BACKUP_PARTS_H
#define RH_RUN_BACKUP_PARTS_H

#include "provider/outcome.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_content_store;
struct rh_journal;
struct rh_resource;
struct rh_seal;
struct rh_secrets;
struct rh_value;

enum { RH_BACKUP_SALT = 16 /* bytes */ };

struct rh_backups {
    struct rh_journal *journal;
    struct rh_content_store *contents;
    const struct rh_seal *seal; /* or NULL */
    const char *run;
    const struct rh_secrets *secrets; /* that are known */
    struct rh_backup usual, sealed, brief;
    bool durable;
    char salt[2 * RH_BACKUP_SALT + 1];
    char *trouble; /* why something was not kept since somebody waited last; or NULL */
};

/* backup-value.c: values as the journal has them. */

/* Whether it comes back from JSON as it went. */
bool rh_backups_is_plain(const struct rh_value *v);

/* {value}, {content, bytes, form}, {sealed, bytes, form}, or {withheld}. `sealed`: a sensitive one is
 * encrypted; otherwise it is withheld. */
struct rh_value *rh_backups_value(struct rh_backups *b, struct rh_arena *a, const struct rh_resource *r,
                                  bool sealed, const char *attribute, const struct rh_value *v);

#endif
