/* SPDX-License-Identifier: Apache-2.0 */
/* description - rN.json: what a revision of a site is. */
#include "config.h"

#include "bundle/description.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/value-json.h"
#include "base/value.h"
#include "bundle/field.h"
#include "reach/wire.h"

#include <stdlib.h>
#include <string.h>

static const char format[] = "rhost bundle 1";

static int
take_types(const struct rh_value *v, const struct rh_value **to, struct rh_error *err)
{
    *to = rh_value_get(v, "types");
    if (*to && (*to)->kind != RH_ARRAY)
        return rh_error_set(err, RH_EINPUT, "'types' must be a list of names");
    for (size_t i = 0; *to && i < rh_value_count(*to); i++)
        if (rh_value_at(*to, i)->kind != RH_STRING)
            return rh_error_set(err, RH_EINPUT, "'types' must be a list of names");
    return 0;
}

int
rh_description_read(struct rh_arena *a, const char *text, size_t n, struct rh_description *d,
                    struct rh_error *err)
{
    const struct rh_value *v = rh_value_from_json(a, text, n, err);
    const char *sha256 = NULL;

    if (!v)
        return -1;
    *d = (struct rh_description){ 0 };
    if (!rh_field_is(v, "format", format))
        return rh_error_set(err, RH_EINPUT, "its format is not '%s'", format);
    if (rh_field_number(v, "revision", 1, RH_BUNDLE_LAST, &d->revision, err) < 0
        || rh_field_number(v, "size", 1, RH_SITE_BYTES, &d->size, err) < 0
        || rh_field_number(v, "unpacked", 0, RH_SITE_BYTES, &d->unpacked, err) < 0
        || rh_field_number(v, "files", 1, RH_SITE_FILES, &d->files, err) < 0
        || rh_field_text(v, "sha256", true, &sha256, err) < 0
        || rh_field_text(v, "manifest", true, &d->manifest, err) < 0
        || rh_field_text(v, "min_rhost", false, &d->min_rhost, err) < 0
        || rh_field_text(v, "commit", false, &d->commit, err) < 0 || take_types(v, &d->types, err) < 0)
        return -1;
    if (rh_value_get(v, "parent") && rh_field_number(v, "parent", 1, d->revision - 1, &d->parent, err) < 0)
        return -1;
    if (strlen(sha256) != 64 || strspn(sha256, "0123456789abcdef") != 64)
        return rh_error_set(err, RH_EINPUT, "'sha256' is no digest");
    memcpy(d->sha256, sha256, 65);
    if (!rh_wire_is_path(d->manifest))
        return rh_error_set(err, RH_EINPUT, "'manifest' is not the path of a file of the bundle");
    return 0;
}

void
rh_description_write(struct rh_buf *b, const struct rh_description *d)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "format", rh_value_string(a, format));
    rh_value_put(v, "revision", rh_value_integer(a, d->revision));
    if (d->parent)
        rh_value_put(v, "parent", rh_value_integer(a, d->parent));
    if (d->commit)
        rh_value_put(v, "commit", rh_value_string(a, d->commit));
    if (d->min_rhost)
        rh_value_put(v, "min_rhost", rh_value_string(a, d->min_rhost));
    rh_value_put(v, "manifest", rh_value_string(a, d->manifest));
    if (d->types)
        rh_value_put(v, "types", d->types);
    rh_value_put(v, "sha256", rh_value_string(a, d->sha256));
    rh_value_put(v, "size", rh_value_integer(a, d->size));
    rh_value_put(v, "files", rh_value_integer(a, d->files));
    rh_value_put(v, "unpacked", rh_value_integer(a, d->unpacked));
    rh_value_to_json_pretty(b, v, false);
    rh_buf_addc(b, '\n');
}

/* Numbers with dots between; what is no number counts as 0. */
static bool
is_older(const char *version, const char *other)
{
    while (*version || *other) {
        char *v, *o;
        unsigned long a = strtoul(version, &v, 10), b = strtoul(other, &o, 10);

        if (a != b)
            return a < b;
        version = *v == '.' ? v + 1 : "";
        other = *o == '.' ? o + 1 : "";
    }
    return false;
}

int
rh_description_check_version(const struct rh_description *d, const char *version, struct rh_error *err)
{
    if (!d->min_rhost || !is_older(version, d->min_rhost))
        return 0;
    return rh_error_set(err, RH_EINPUT, "revision %lld needs rhost %s, and this is rhost %s",
                        (long long)d->revision, d->min_rhost, version);
}
