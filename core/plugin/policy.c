/* SPDX-License-Identifier: Apache-2.0 */
/* policy - what the operator lets providers do. */
#include "config.h"

#include "plugin/policy.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/installation.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifndef RH_OWN_PLUGINS
#define RH_OWN_PLUGINS ""
#endif

/* Whether a name is one of rhost's own plugins, which are listed with blanks between. */
static bool
is_own_name(const char *name, size_t n)
{
    for (const char *own = RH_OWN_PLUGINS; *(own += strspn(own, " "));) {
        size_t len = strcspn(own, " ");

        if (len == n && strncmp(own, name, n) == 0)
            return true;
        own += len;
    }
    return false;
}

/* The name is that of its file, "paper-tray.so", or of the folder that its program is in. */
bool
rh_policy_has_plugin(const struct rh_provider_policy *p, const char *path)
{
    const char *slash = strrchr(path, '/');
    rh_autofree char *name = rh_xstrdup(slash ? slash + 1 : path);
    rh_autofree char *directory = rh_xstrndup(path, slash ? (size_t)(slash - path) : 0);
    size_t n = strlen(name);

    if (!p || !p->plugins)
        return true;
    if (n > 3 && strcmp(name + n - 3, ".so") == 0) {
        name[n - 3] = '\0';
    } else if ((slash = strrchr(directory, '/'))) { /* DIRECTORY/NAME/type.yaml */
        free(name);
        name = rh_xstrdup(slash + 1);
        directory[slash - directory] = '\0';
    }
    if (strcmp(directory, rh_installation_plugins()) == 0 && is_own_name(name, strlen(name)))
        return true;
    for (size_t i = 0; i < p->n_plugins; i++)
        if (fnmatch(p->plugins[i], *p->plugins[i] == '/' ? directory : name, FNM_PATHNAME) == 0)
            return true;
    return false;
}

static bool
is_about(const struct rh_denial *d, const struct rh_type *t)
{
    const char *slash = strchr(d->provider, '/');
    size_t n = slash ? (size_t)(slash - d->provider) : 0;

    if (slash)
        return strncmp(d->provider, t->type, n) == 0 && !t->type[n] && strcmp(slash + 1, t->provider) == 0;
    return strcmp(d->provider, "*") == 0 || strcmp(d->provider, t->provider) == 0
           || strcmp(d->provider, t->type) == 0;
}

bool
rh_policy_denies_some(const struct rh_provider_policy *p, const struct rh_type *t)
{
    for (size_t i = 0; p && i < p->n_denials; i++)
        if (is_about(&p->denials[i], t))
            return true;
    for (size_t i = 0; i < t->n_lookups; i++)
        if (rh_policy_denies_some(p, t->lookups[i]))
            return true;
    return false;
}

static bool
is_within(const char *path, const char *top)
{
    size_t n = strlen(top);

    while (n && top[n - 1] == '/')
        n--;
    return strncmp(path, top, n) == 0 && (!path[n] || path[n] == '/');
}

static bool
overlap(const char *path, const char *denied)
{
    return is_within(path, denied) || is_within(denied, path);
}

static bool
paths_overlap(const char *path, const char *denied)
{
    char real[PATH_MAX], real_denied[PATH_MAX];
    const char *found = realpath(path, real) ? real : path;

    return overlap(path, denied) || overlap(found, realpath(denied, real_denied) ? real_denied : denied);
}

/* "tcp" has "tcp:443"; "crontab" has "/usr/bin/crontab". */
static bool
is_value(enum rh_need_kind kind, const char *value, const char *denied)
{
    const char *slash = strrchr(value, '/');
    size_t n = strlen(denied);

    switch (kind) {
    case RH_NEED_WRITE:
    case RH_NEED_READ:
    case RH_NEED_SOCKET:
        return *value == '/' && paths_overlap(value, denied);
    case RH_NEED_RUN:
        return strcmp(value, "*") == 0 || strcmp(value, denied) == 0
               || (slash && !strchr(denied, '/') && strcmp(slash + 1, denied) == 0)
               || (!slash && strrchr(denied, '/') && strcmp(strrchr(denied, '/') + 1, value) == 0);
    case RH_NEED_NETWORK:
        return (strncmp(value, denied, n) == 0 && (!value[n] || value[n] == ':'))
               || (strcmp(value, "tcp") == 0 && strncmp(denied, "tcp:", 4) == 0);
    default:
        return strcmp(value, denied) == 0;
    }
}

bool
rh_policy_denies(const struct rh_provider_policy *p, const struct rh_type *t, enum rh_need_kind kind,
                 const char *value)
{
    for (size_t i = 0; p && i < p->n_denials; i++) {
        const struct rh_denial *d = &p->denials[i];

        /* To write a path is to read it as well. */
        if ((d->kind == kind || (d->kind == RH_NEED_READ && kind == RH_NEED_WRITE)) && is_about(d, t)
            && (!d->value || is_value(kind, value, d->value)))
            return true;
    }
    return false;
}

char *
rh_policy_undeclared(const struct rh_type *t)
{
    const struct rh_type *undeclared = rh_type_undeclared(t);

    if (!undeclared)
        return NULL;
    if (undeclared != t)
        return rh_printf("lookup '%s' of plugin '%s'", undeclared->type, undeclared->plugin);
    if (t->source)
        return rh_printf("a fact of plugin '%s'", t->plugin);
    return t->transport ? rh_printf("transport '%s'", t->type)
                        : rh_printf("provider '%s' of the type '%s'", t->provider, t->type);
}

int
rh_policy_check(const struct rh_provider_policy *p, const struct rh_type *t, struct rh_error *err)
{
    rh_autofree char *who = p ? rh_policy_undeclared(t) : NULL;

    if (who && p->undeclared == RH_UNDECLARED_REFUSE)
        return rh_error_set(err, RH_EINPUT, "%s declares no needs, and '%s' refuses that", who, p->path);
    if (who && rh_policy_denies_some(p, t))
        return rh_error_set(err, RH_EINPUT, "%s declares no needs: what '%s' denies it cannot be enforced",
                            who, p->path);
    return 0;
}
