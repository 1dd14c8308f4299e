/* SPDX-License-Identifier: Apache-2.0 */
/* push-kept - the last push, of what is kept of its targets in the controller's state directory. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/standard.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/push-parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 };

struct kept {
    struct rh_arena *arena;
    struct rh_value **v; /* of each target, without its report: of many targets, those are too large */
    size_t n, cap;
};

/* Of an earlier push that a target told of. */
static bool
is_of_target(const char *name)
{
    size_t n = strlen(name);

    return *name != '.' && n > 5 && strcmp(name + n - 5, ".json") == 0 && !strstr(name, ".earlier-");
}

static int
read_one(struct kept *k, const char *path, struct rh_error *err)
{
    rh_autoarena struct rh_arena *whole = rh_arena_new(NULL);
    size_t n = 0;
    rh_autofree char *text = rh_read_kept_file(path, LARGEST, &n, err);
    struct rh_value *v = text ? rh_value_from_json(whole, text, n, err) : NULL;

    if (!v || !rh_value_is(v, RH_HASH))
        return rh_error_prefix(err, "cannot read '%s'", path);
    rh_value_drop(v, "report");
    k->v = rh_xgrow(k->v, &k->cap, k->n, sizeof(struct rh_value *));
    k->v[k->n++] = rh_value_copy(k->arena, v);
    return 0;
}

static int
by_target(const void *a, const void *b)
{
    return strcmp(rh_value_get_str(*(struct rh_value *const *)a, "target", ""),
                  rh_value_get_str(*(struct rh_value *const *)b, "target", ""));
}

static int
read_all(struct kept *k, const char *folder, struct rh_error *err)
{
    rh_autoclosedir DIR *dir = opendir(folder);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        rh_autofree char *path = rh_printf("%s/%s", folder, e->d_name);

        if (is_of_target(e->d_name) && read_one(k, path, err) < 0)
            return -1;
    }
    if (k->n)
        qsort(k->v, k->n, sizeof(struct rh_value *), by_target);
    return 0;
}

static enum rh_push_outcome
outcome_of(const struct rh_value *v)
{
    const char *name = rh_value_get_str(v, "outcome", "");
    int i = RH_PUSH_OUTCOMES - 1;

    while (i > 0 && strcmp(rh_push_outcome_name((enum rh_push_outcome)i), name) != 0)
        i--;
    return (enum rh_push_outcome)i;
}

static char *
text_of(const struct rh_value *v, const char *key)
{
    const char *text = rh_value_get_str(v, key, NULL);

    return text ? rh_xstrdup(text) : NULL;
}

static void
show(const struct kept *k, const char *push)
{
    struct rh_push_options o = { .push = push };
    struct rh_push_result result = { .n = k->n };
    struct rh_host *hosts = rh_arena_alloc(k->arena, (k->n + 1) * sizeof *hosts);

    for (size_t i = 0; i < k->n; i++) {
        struct rh_push_target *t = rh_arena_alloc(k->arena, sizeof *t);
        const struct rh_value *seconds = rh_value_get(k->v[i], "seconds");
        bool timed = rh_value_is(seconds, RH_FLOAT);

        t->name = rh_value_get_str(k->v[i], "target", "?");
        rh_host_init(&hosts[i], t, &o, k->arena);
        hosts[i].outcome = outcome_of(k->v[i]);
        hosts[i].message = text_of(k->v[i], "message");
        hosts[i].hint = text_of(k->v[i], "hint");
        hosts[i].began = timed;
        hosts[i].ended = timed ? 1 + seconds->u.real : 0;
        rh_host_take_counts(&hosts[i], rh_value_get(k->v[i], "counts"));
        result.by_outcome[hosts[i].outcome]++;
    }
    (void)printf("push %s\n", push);
    rh_push_show_summary(hosts, k->n, &result, &o, -1);
    for (size_t i = 0; i < k->n; i++)
        rh_host_clear(&hosts[i]);
}

static void
print_json(const struct kept *k, const char *push)
{
    struct rh_value *all = rh_value_new(k->arena, RH_HASH), *list = rh_value_new(k->arena, RH_ARRAY);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < k->n; i++)
        rh_value_append(list, k->v[i]);
    rh_value_put(all, "push", rh_value_string(k->arena, push));
    rh_value_put(all, "targets", list);
    rh_value_to_json_pretty(&text, all, false);
    (void)printf("%s\n", rh_buf_text(&text));
}

int
rh_push_show_last(const char *state_dir, bool json, struct rh_error *err)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    rh_autofree char *push = rh_push_newest(state_dir), *folder = NULL;
    struct kept k = { .arena = arena };
    int rc;

    if (!push)
        return rh_error_set(err, RH_EINPUT, "no push is kept in '%s/push'", state_dir);
    folder = rh_printf("%s/push/%s", state_dir, push);
    rc = read_all(&k, folder, err);
    if (rc == 0 && json)
        print_json(&k, push);
    else if (rc == 0)
        show(&k, push);
    free(k.v);
    return rc;
}
