/* SPDX-License-Identifier: Apache-2.0 */
/* plans - the plans of targets, in a directory of the controller: a file for each target, as the target made
 * it, and plans.json, which says of what they were made. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/push-parts.h"
#include "run/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX "plans.json"
#define ENDING ".plan"

enum { FORMAT = 1, LARGEST_INDEX = 1 << 20, MOST_PARTS = 256 << 10 /* arrays and hashes of a plan */ };

static char *
index_of(const char *dir)
{
    return rh_printf("%s/" INDEX, dir);
}

bool
rh_plans_are(const char *path)
{
    rh_autofree char *file = index_of(path);
    struct stat st;

    return lstat(file, &st) == 0 && S_ISREG(st.st_mode);
}

char *
rh_plans_name(const char *target)
{
    rh_autobuf struct rh_buf name = { 0 };

    rh_push_add_file_name(&name, target);
    rh_buf_add(&name, ENDING);
    return rh_buf_take(&name);
}

static bool
is_plan(const char *name)
{
    size_t n = strlen(name);

    return *name != '.' && n > strlen(ENDING) && strcmp(name + n - strlen(ENDING), ENDING) == 0;
}

/* Plans of other manifests must not be taken for those that are made now. What is no plan was put there by
 * somebody else. */
static int
remove_older(const char *dir, struct rh_error *err)
{
    bool ours = rh_plans_are(dir);
    rh_autoclosedir DIR *d = opendir(dir);
    struct dirent *e;

    if (!d)
        return rh_error_system(err, errno, "cannot read the directory '%s'", dir);
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (!ours)
            return rh_error_set(err, RH_EINPUT, "cannot write plans to '%s': it is not empty, and lacks '%s'",
                                dir, INDEX);
        if (is_plan(e->d_name) && unlinkat(dirfd(d), e->d_name, 0) < 0)
            return rh_error_system(err, errno, "cannot remove the older plan '%s/%s'", dir, e->d_name);
    }
    return 0;
}

int
rh_plans_create(const struct rh_plans *p, const char *push, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH), *manifests = rh_value_new(a, RH_ARRAY);
    rh_autofree char *path = index_of(p->dir);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < p->n_manifests; i++)
        rh_value_append(manifests, rh_value_string(a, p->manifests[i]));
    rh_value_put(v, "rhost_plans", rh_value_integer(a, FORMAT));
    rh_value_put(v, "push", rh_value_string(a, push));
    rh_value_put(v, "directory", rh_value_string(a, p->base));
    rh_value_put(v, "manifests", manifests);
    rh_value_to_json_pretty(&text, v, false);
    rh_buf_addc(&text, '\n');
    if (rh_trust_path(p->dir, RH_TRUST_CALLER | RH_TRUST_MISSING, err) < 0
        || rh_make_directory(p->dir, 0700, err) < 0 || remove_older(p->dir, err) < 0)
        return -1;
    return rh_replace_file(path, text.s, text.n, 0600, err);
}

int
rh_plans_read(struct rh_plans *p, struct rh_arena *a, const char *dir, struct rh_error *err)
{
    rh_autofree char *path = index_of(dir), *text = NULL;
    const struct rh_value *v, *format, *manifests;
    const char **names;
    size_t n = 0;

    /* It says which files are sent to the targets. */
    if (rh_trust_path(path, RH_TRUST_CALLER, err) < 0
        || !(text = rh_read_kept_file(path, LARGEST_INDEX, &n, err)))
        return -1;
    v = rh_value_from_json(a, text, n, err);
    if (!v)
        return rh_error_prefix(err, "cannot read '%s'", path);
    format = rh_value_get(v, "rhost_plans");
    manifests = rh_value_get(v, "manifests");
    if (!rh_value_is(format, RH_INTEGER) || format->u.integer != FORMAT)
        return rh_error_set(err, RH_EINPUT, "'%s' has a format that this rhost does not read", path);
    names = rh_arena_alloc(a, (rh_value_count(manifests) + 1) * sizeof *names);
    for (size_t i = 0; i < rh_value_count(manifests); i++)
        names[i] = rh_value_str(rh_value_at(manifests, i), "");
    *p = (struct rh_plans){ .dir = rh_arena_strdup(a, dir),
                            .base = rh_value_get_str(v, "directory", ""),
                            .manifests = names,
                            .n_manifests = rh_value_count(manifests) };
    if (*p->base != '/' || !p->n_manifests)
        return rh_error_set(err, RH_EINPUT, "'%s' lacks the directory or the manifests", path);
    return 0;
}

/* A plan can be anything that a target says. */
static int
parse(const char *text, size_t n, struct rh_plan *plan, struct rh_error *err)
{
    if (!rh_wire_is_small(text, n, MOST_PARTS))
        return rh_error_set(err, RH_EINPUT, "it has too many values");
    return rh_plan_parse(text, n, plan, err);
}

int
rh_plans_keep(const struct rh_plans *p, const char *target, const struct rh_buf *text, struct rh_error *err)
{
    rh_autofree char *name = rh_plans_name(target);
    rh_autofree char *path = rh_printf("%s/%s", p->dir, name);
    struct rh_plan plan;

    if (!text->n)
        return rh_error_set(err, RH_EINPUT, "the target sent no plan");
    if (parse(text->s, text->n, &plan, err) < 0)
        return rh_error_prefix(err, "the plan of the target is not kept");
    rh_plan_clear(&plan);
    return rh_replace_file(path, text->s, text->n, 0600, err);
}

/* "/run/rhost-push.Xy12ab" of "/run/rhost-push.Xy12ab/site". */
static char *
place_of(const char *directory)
{
    const char *end = strrchr(directory, '/');

    return end && end > directory ? rh_xstrndup(directory, (size_t)(end - directory)) : NULL;
}

int
rh_plans_load(const struct rh_plans *p, const char *target, struct rh_arena *a, struct rh_push_plan *to,
              struct rh_error *err)
{
    rh_autofree char *name = rh_plans_name(target), *place = NULL, *text = NULL;
    rh_autofree char *path = rh_printf("%s/%s", p->dir, name);
    const struct rh_value *attributes;
    struct rh_plan plan;
    struct stat st;
    size_t n = 0;

    if (lstat(path, &st) < 0 && errno == ENOENT)
        return rh_error_set(err, RH_EINPUT, "no plan of this target is in '%s'", p->dir);
    text = rh_read_kept_file(path, RH_WIRE_FILE_MOST, &n, err);
    if (!text)
        return -1;
    if (parse(text, n, &plan, err) < 0)
        return rh_error_prefix(err, "cannot read the plan '%s'", path);
    place = place_of(rh_value_get_str(plan.v, "directory", ""));
    attributes = rh_value_get(rh_value_get(plan.v, "options"), "attributes");
    to->attributes = rh_value_new(a, RH_ARRAY);
    for (size_t i = 0; i < rh_value_count(attributes); i++)
        rh_value_append(to->attributes, rh_value_string(a, rh_value_str(rh_value_at(attributes, i), "")));
    rh_plan_clear(&plan);
    if (!place)
        return rh_error_set(err, RH_EINPUT, "the plan '%s' was not made by a push", path);
    to->place = rh_arena_strdup(a, place);
    rh_buf_truncate(&to->text, 0);
    rh_buf_addn(&to->text, text, n);
    return 0;
}
