/* SPDX-License-Identifier: Apache-2.0 */
/* state-file - what is remembered of resources from one run to the next. */
#include "config.h"

#include "run/state.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT = 1, LARGEST = 256 << 20 };

struct rh_value *
rh_state_load(struct rh_arena *a, const char *state_dir, const char *name, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", state_dir, name);
    rh_autofree char *text = NULL;
    rh_autoerror struct rh_error why = { 0 };
    const struct rh_value *format;
    struct rh_value *v, *resources;
    size_t n = 0;

    if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return rh_value_new(a, RH_HASH);
    text = rh_read_kept_file(path, LARGEST, &n, err);
    if (!text)
        return NULL;
    v = rh_value_from_json(a, text, n, &why);
    format = rh_value_get(v, "format");
    resources = rh_draft_get(v, "resources");
    if (!rh_value_is(format, RH_INTEGER) || format->u.integer != FORMAT || !rh_value_is(resources, RH_HASH)) {
        rh_error_set(err, RH_EINPUT, "'%s' is damaged%s%s; rename it to start with an empty state", path,
                     why.message ? ": " : "", why.message ? why.message : "");
        return NULL;
    }
    return resources;
}

int
rh_state_save(const char *state_dir, const char *name, const struct rh_value *v, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", state_dir, name);
    rh_autobuf struct rh_buf text = { 0 };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *whole = rh_value_hash(a, 3);

    rh_value_put_ref(whole, "format", rh_value_integer(a, FORMAT));
    rh_value_put_ref(whole, "rhost", rh_value_string(a, PACKAGE_VERSION));
    rh_value_put_ref(whole, "resources", v);
    rh_value_to_json_pretty(&text, whole, false);
    rh_buf_addc(&text, '\n');
    if (rh_replace_file(path, rh_buf_text(&text), text.n, 0600, err) < 0)
        return -1;
    return rh_sync_directory(state_dir, err);
}

const char *
rh_state_key(struct rh_arena *a, const struct rh_resource *r)
{
    return rh_arena_printf(a, "%s[%s]", r->type->type, r->title);
}

const char *
rh_state_time(struct rh_arena *a, long long when)
{
    time_t t = (time_t)when;
    struct tm tm;
    char text[40];

    if (!gmtime_r(&t, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
        return "";
    return rh_arena_strdup(a, text);
}

long long
rh_state_read_time(const char *text)
{
    struct tm tm = { 0 };
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);

    return end && !*end ? (long long)timegm(&tm) : 0;
}

void
rh_state_remove_leftovers(const char *state_dir)
{
    static const char *const names[] = { "audit.json.",   "confirm.json.",  "confirmed.json.",
                                         "desired.",      "pending.jsonl.", "plan-key.json.",
                                         "plugins.json.", "schedule.json." };
    rh_autoclosedir DIR *d = opendir(state_dir);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strncmp(e->d_name, names[i], strlen(names[i])) == 0 && unlinkat(dirfd(d), e->d_name, 0) < 0)
                rh_debug("cannot remove '%s': %s", e->d_name, strerror(errno));
}
