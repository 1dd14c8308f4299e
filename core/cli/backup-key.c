/* SPDX-License-Identifier: Apache-2.0 */
/* backup-key - the key of the sensitive values that are kept for undo. */
#include "config.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "run/seal.h"

#include <stddef.h>
#include <string.h>

bool
rh_session_without_key(const struct rh_session *s)
{
    return s->without_key || (s->settings->backup_key && strcmp(s->settings->backup_key, "none") == 0);
}

int
rh_session_open_key(struct rh_session *s, bool optional)
{
    rh_autoerror struct rh_error err = { 0 };

    if (s->seal || !s->settings->backup_key || rh_session_without_key(s))
        return 0;
    s->seal = rh_seal_open(s->settings->backup_key, &err);
    if (s->seal)
        return 0;
    if (!optional) {
        rh_refuse_error("nothing was changed", &err);
        return -1;
    }
    rh_log(RH_ERR, "%s", err.message);
    s->without_key = true;
    return 0;
}

int
rh_session_want_key(struct rh_session *s)
{
    const struct rh_settings *o = s->settings;

    if (o->noop || o->no_backup || rh_session_without_key(s))
        return 0;
    for (size_t i = 0; i < s->order.n && !o->backup_key; i++) {
        const struct rh_resource *r = s->catalog.list[s->order.entries[i]].resource;

        if (r->meta && r->meta->backup == RH_BACKUP_SECRETS)
            rh_complain(&s->complaints, r->place,
                        "give --backup-key=FILE; --backup-key=none applies it without keeping them",
                        "'backup: sensitive' needs a key to encrypt sensitive values with");
    }
    return rh_session_complain(s) < 0 ? -1 : rh_session_open_key(s, false);
}
