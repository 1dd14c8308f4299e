/* SPDX-License-Identifier: Apache-2.0 */
/* description - what module.yaml says of a module. */
#include "config.h"

#include "manifest/module/module.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "base/version.h"
#include "manifest/module/lock.h"
#include "manifest/text/yaml.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 60 };

bool
rh_module_is_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return n && n <= LONGEST_NAME && !name[n] && islower((unsigned char)*name);
}

bool
rh_module_is_commit(const char *name)
{
    size_t n = strspn(name, "0123456789abcdef");

    return !name[n] && (n == 40 || n == 64);
}

int
rh_module_check_rhost(const struct rh_module_pin *pin, struct rh_error *err)
{
    const char *rhost = rh_value_get_str(pin->requires, "rhost", NULL);

    if (!rhost || rh_version_meets(PACKAGE_VERSION, rhost))
        return 0;
    return rh_error_set(err, RH_EINPUT, "module '%s' %s requires rhost %s; this is %s", pin->name,
                        pin->version, rhost, PACKAGE_VERSION);
}

static int
refuse_key(const char *key, const char *const *known, const char *path, const char *where,
           struct rh_error *err)
{
    struct rh_suggest near;

    rh_suggest_init(&near, key);
    for (; *known; known++)
        rh_suggest_try(&near, *known);
    (void)rh_error_set(err, RH_EINPUT, "'%s': unknown key '%s' in %s", path, key, where);
    return rh_error_suggest(err, near.best, NULL);
}

static bool
is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* A hash of names and texts, each of which `check` accepts. */
static int
check_texts(const struct rh_value *v, const char *what, const char *path,
            int (*check)(const char *text, struct rh_error *err), struct rh_error *err)
{
    if (!rh_value_is(v, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "'%s': '%s' must be a hash of names", path, what);
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (!rh_value_is(e->value, RH_STRING))
            return rh_error_set(err, RH_EINPUT, "'%s': '%s' of '%s' must be text in quotes", path, e->key,
                                what);
        if (check(e->value->u.string, err) < 0)
            return rh_error_prefix(err, "'%s': '%s'", path, e->key);
    }
    return 0;
}

static int
check_source(const char *text, struct rh_error *err)
{
    return *text ? 0 : rh_error_set(err, RH_EINPUT, "the source is empty");
}

int
rh_module_check_requires(const struct rh_value *requires, const char *path, struct rh_error *err)
{
    static const char *const keys[] = { "rhost", "plugins", "modules", NULL };
    const struct rh_value *rhost = rh_value_get(requires, "rhost"),
                          *plugins = rh_value_get(requires, "plugins"),
                          *modules = rh_value_get(requires, "modules");

    if (!rh_value_is(requires, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "'%s': 'requires' must be a hash", path);
    for (size_t i = 0; i < rh_value_count(requires); i++)
        if (!is_one_of(rh_value_entry(requires, i)->key, keys))
            return refuse_key(rh_value_entry(requires, i)->key, keys, path, "'requires'", err);
    if (rhost && !rh_value_is(rhost, RH_STRING))
        return rh_error_set(err, RH_EINPUT, "'%s': 'rhost' of 'requires' must be text in quotes", path);
    if (rhost && rh_version_check(rhost->u.string, err) < 0)
        return rh_error_prefix(err, "'%s': 'rhost'", path);
    if (plugins && check_texts(plugins, "plugins", path, rh_version_check, err) < 0)
        return -1;
    if (modules && check_texts(modules, "modules", path, check_source, err) < 0)
        return -1;
    for (size_t i = 0; i < rh_value_count(modules); i++)
        if (!rh_module_is_name(rh_value_entry(modules, i)->key))
            return rh_error_set(err, RH_EINPUT, "'%s': '%s' is not a valid name for a module", path,
                                rh_value_entry(modules, i)->key);
    return 0;
}

/* One that is shown, and compared: "1.2.0". */
static bool
is_version(const char *s)
{
    size_t n = strlen(s);

    if (!isalnum((unsigned char)*s) || n > 60)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr(".+~-:", s[i]))
            return false;
    return true;
}

int
rh_module_describe(struct rh_arena *a, const char *text, size_t n, const char *path,
                   struct rh_module_pin *pin, struct rh_error *err)
{
    static const char *const keys[] = { "name", "version", "desc", "license", "requires", NULL };
    const struct rh_value *v = rh_yaml_value(a, text, n, err), *version;

    if (!v)
        return rh_error_prefix(err, "cannot read '%s'", path);
    if (!rh_value_is(v, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "'%s' must be a hash with 'name' and 'version'", path);
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (strncmp(rh_value_entry(v, i)->key, "x-", 2) != 0 && !is_one_of(rh_value_entry(v, i)->key, keys))
            return refuse_key(rh_value_entry(v, i)->key, keys, path, "the description of a module", err);
    pin->name = rh_value_get_str(v, "name", "");
    if (!rh_module_is_name(pin->name)) {
        (void)rh_error_set(err, RH_EINPUT, "'%s': 'name' must be the name of the module", path);
        return rh_error_suggest(err, NULL, "lower case letters, digits and '_', a letter first");
    }
    version = rh_value_get(v, "version");
    pin->version = rh_value_str(version, "");
    if (version && !rh_value_is(version, RH_STRING)) {
        (void)rh_error_set(err, RH_EINPUT, "'%s': 'version' must be text", path);
        return rh_error_suggest(err, NULL, "write it in quotes: version: \"1.0\"");
    }
    if (!is_version(pin->version))
        return rh_error_set(err, RH_EINPUT, "'%s': 'version' must be a version, as '1.2.0' is", path);
    pin->requires = rh_value_get(v, "requires");
    return pin->requires ? rh_module_check_requires(pin->requires, path, err) : 0;
}
