/* SPDX-License-Identifier: Apache-2.0 */
/* lock - the file modules.lock of a site. */
#include "config.h"

#include "manifest/module/lock.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "manifest/module/module.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1, LARGEST = 4 << 20 };

struct rh_module_pin *
rh_module_lock_find(const struct rh_module_lock *lock, const char *name)
{
    for (size_t i = 0; i < lock->n; i++)
        if (strcmp(lock->v[i].name, name) == 0)
            return &lock->v[i];
    return NULL;
}

void
rh_module_lock_put(struct rh_arena *a, struct rh_module_lock *lock, const struct rh_module_pin *pin)
{
    struct rh_module_pin *v = rh_module_lock_find(lock, pin->name);
    size_t at = 0;

    if (v) {
        *v = *pin;
        return;
    }
    while (at < lock->n && strcmp(lock->v[at].name, pin->name) < 0)
        at++;
    v = rh_arena_alloc(a, (lock->n + 1) * sizeof *v);
    for (size_t i = 0; i < lock->n; i++)
        v[i < at ? i : i + 1] = lock->v[i];
    v[at] = *pin;
    lock->v = v;
    lock->n++;
}

void
rh_module_lock_drop(struct rh_module_lock *lock, const char *name)
{
    struct rh_module_pin *v = rh_module_lock_find(lock, name);

    if (!v)
        return;
    for (; v + 1 < lock->v + lock->n; v++)
        *v = v[1];
    lock->n--;
}

static bool
is_digest(const char *s)
{
    static const char prefix[] = "sha256:";
    size_t n = sizeof prefix - 1;

    return strncmp(s, prefix, n) == 0 && strspn(s + n, "0123456789abcdef") == 64 && !s[n + 64];
}

static int
read_pin(const struct rh_entry *e, const char *path, struct rh_module_pin *pin, struct rh_error *err)
{
    const struct rh_value *dependency = rh_value_get(e->value, "dependency");

    *pin = (struct rh_module_pin){
        .name = e->key,
        .source = rh_value_get_str(e->value, "source", ""),
        .version = rh_value_get_str(e->value, "version", ""),
        .commit = rh_value_get_str(e->value, "commit", ""),
        .digest = rh_value_get_str(e->value, "digest", ""),
        .dependency = rh_value_is(dependency, RH_BOOLEAN) && dependency->u.integer != 0,
        .requires = rh_value_get(e->value, "requires"),
    };
    if (rh_module_is_name(pin->name) && *pin->source && *pin->version && rh_module_is_commit(pin->commit)
        && is_digest(pin->digest))
    return pin->requires ? rh_module_check_requires(pin->requires, path, err) : 0;
    return rh_error_set(err, RH_EINPUT,
                        "'%s' is damaged: module '%s' needs a source, a version, a commit and a digest", path,
                        pin->name);
}

static int
take_all(struct rh_arena *a, const struct rh_value *v, const char *path, struct rh_module_lock *lock,
         struct rh_error *err)
{
    const struct rh_value *format = rh_value_get(v, "format"), *modules = rh_value_get(v, "modules");

    if (rh_value_is(format, RH_INTEGER) && format->u.integer > FORMAT)
        return rh_error_set(err, RH_EINPUT, "'%s' was written by a newer rhost", path);
    if (!rh_value_is(format, RH_INTEGER) || format->u.integer != FORMAT || !rh_value_is(modules, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "'%s' is damaged: it is not a lock of modules", path);
    if (rh_value_count(modules) > RH_MODULE_MOST)
        return rh_error_set(err, RH_EINPUT, "'%s' has more than %d modules", path, RH_MODULE_MOST);
    for (size_t i = 0; i < rh_value_count(modules); i++) {
        struct rh_module_pin pin;

        if (read_pin(rh_value_entry(modules, i), path, &pin, err) < 0)
            return -1;
        rh_module_lock_put(a, lock, &pin);
    }
    return 0;
}

int
rh_module_lock_read(struct rh_arena *a, const char *folder, struct rh_module_lock *lock, struct rh_error *err)
{
    const char *path = rh_arena_printf(a, "%s" RH_MODULE_LOCK, folder);
    rh_autofree char *text = NULL;
    struct rh_value *v;
    size_t n;

    *lock = (struct rh_module_lock){ 0 };
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    text = rh_read_kept_file(path, LARGEST, &n, err);
    if (!text)
        return -1;
    v = rh_value_from_json(a, text, n, err);
    if (!v)
        return rh_error_prefix(err, "'%s' is damaged", path);
    return take_all(a, v, path, lock, err);
}

struct rh_value *
rh_module_pin_value(struct rh_arena *a, const struct rh_module_pin *pin)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "source", rh_value_string(a, pin->source));
    rh_value_put(v, "version", rh_value_string(a, pin->version));
    rh_value_put(v, "commit", rh_value_string(a, pin->commit));
    return v;
}

static struct rh_value *
to_value(struct rh_arena *a, const struct rh_module_pin *pin)
{
    struct rh_value *v = rh_module_pin_value(a, pin);

    rh_value_put(v, "digest", rh_value_string(a, pin->digest));
    if (pin->dependency)
        rh_value_put(v, "dependency", rh_value_boolean(a, true));
    if (rh_value_count(pin->requires))
        rh_value_put(v, "requires", rh_value_copy(a, pin->requires));
    return v;
}

int
rh_module_lock_write(const char *folder, const struct rh_module_lock *lock, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s" RH_MODULE_LOCK, folder);
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *whole = rh_value_new(a, RH_HASH), *modules = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf text = { 0 };

    if (!lock->n) {
        if (unlink(path) < 0 && errno != ENOENT)
            return rh_error_system(err, errno, "cannot remove '%s'", path);
        return rh_sync_directory(*folder ? folder : ".", err);
    }
    for (size_t i = 0; i < lock->n; i++)
        rh_value_put(modules, lock->v[i].name, to_value(a, &lock->v[i]));
    rh_value_put(whole, "format", rh_value_integer(a, FORMAT));
    rh_value_put(whole, "modules", modules);
    rh_value_to_json_pretty(&text, whole, false);
    rh_buf_addc(&text, '\n');
    return rh_replace_file(path, rh_buf_text(&text), text.n, 0644, err);
}
