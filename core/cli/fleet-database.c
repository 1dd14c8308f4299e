/* SPDX-License-Identifier: Apache-2.0 */
/* fleet-database - which database has the reports of the fleet. */
#include "config.h"

#include "cli/fleet-database.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/trust.h"
#include "base/value.h"
#include "manifest/text/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 64 << 10 };

static const char hint[] =
    "name it with --db=URL (fleet) or --to=URL (collect), in RHOST_FLEET_DB, or in " RH_FLEET_SETTINGS;

/* `database` of the settings; NULL after complaints. */
static const char *
read_settings(struct rh_arena *a, const char *text, size_t n, struct rh_complaints *c, unsigned file)
{
    const struct rh_value *v =
        rh_yaml_check_text(text, n, file, c) < 0 ? NULL : rh_yaml_read(a, text, n, file, c);
    const char *url = NULL;

    if (!v || rh_complaints_count(c))
        return NULL;
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (e && strcmp(e->key, "database") == 0 && rh_value_is(e->value, RH_STRING))
            url = rh_value_str(e->value, NULL);
        else if (e)
            rh_complain(c, rh_value_key_place(v, i), NULL, "unknown key '%s' in the settings of the fleet",
                        e->key);
    }
    if (!url && !rh_complaints_count(c))
        rh_complain(c, rh_value_place(v), NULL, "missing 'database' in the settings of the fleet");
    return rh_complaints_count(c) ? NULL : url;
}

static const char *
from_file(struct rh_arena *a, const char *path, struct rh_error *err)
{
    struct rh_sources sources = { 0 };
    struct rh_complaints c = { .sources = &sources };
    rh_autofree char *text = NULL;
    const char *url = NULL;
    size_t n = 0;

    if (geteuid() == 0 && rh_trust_path(path, RH_TRUST_MISSING, err) < 0)
        return NULL;
    text = rh_read_file(path, LARGEST, &n, err);
    if (!text)
        return NULL;
    url = read_settings(a, text, n, &c, rh_sources_add(&sources, path, text, n));
    if (url) {
        url = rh_arena_strdup(a, url);
    } else {
        rh_complaints_take_first(&c, err);
        rh_discard(rh_error_prefix(err, "'%s'", path));
    }
    rh_complaints_clear(&c);
    rh_sources_clear(&sources);
    return url;
}

const char *
rh_fleet_database(struct rh_arena *a, const char *argument, struct rh_error *err)
{
    const char *variable = getenv("RHOST_FLEET_DB"), *path = getenv("RHOST_FLEET_SETTINGS");

    if (argument)
        return argument;
    if (variable && *variable)
        return rh_arena_strdup(a, variable);
    if (!path || !*path)
        path = RH_FLEET_SETTINGS;
    if (access(path, F_OK) < 0 && errno == ENOENT) {
        rh_error_set(err, RH_EINPUT, "no database is given");
        rh_discard(rh_error_suggest(err, NULL, hint));
        return NULL;
    }
    return from_file(a, path, err);
}
