/* SPDX-License-Identifier: Apache-2.0 */
/* missing-type - what to say of a type that nobody here has. */
#include "config.h"

#include "manifest/load/missing.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/suggest.h"
#include "base/text.h"
#include "manifest/load/known-key.h"

#include <ctype.h>
#include <string.h>

/* What rhost's own plugins are called; the part before a '-' is their type. */
#ifndef RH_OWN_PLUGINS
#define RH_OWN_PLUGINS ""
#endif

bool
rh_missing_type_own(const char *type)
{
    size_t len = strlen(type);

    for (const char *at = RH_OWN_PLUGINS; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " -");

        if (n == len && memcmp(at, type, n) == 0)
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

static bool
is_name(const char *type)
{
    if (!islower((unsigned char)*type))
        return false;
    for (const char *c = type; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_' && *c != ':')
            return false;
    return true;
}

/* The name of a package has no '_' and no "::" in it; see packaging/dh_rhost. */
static char *
package_of(const char *type)
{
    char *name = rh_printf("rhost-type-%s", type), *to = name;

    for (const char *c = name; *c; c++) {
        if (*c == ':' && c[1] == ':')
            c++;
        *to++ = *c == '_' ? '-' : *c == ':' ? '.' : *c;
    }
    *to = '\0';
    return name;
}

char *
rh_missing_type_hint(const char *type, const char *best)
{
    rh_autofree char *package = package_of(type);
    char *foreign;

    if (rh_missing_type_own(type))
        return rh_printf("its plugin is not installed; the package that has it provides '%s'", package);
    foreign = rh_foreign_type(type);
    if (foreign)
        return foreign;
    if (best)
        return rh_did_you_mean(best, NULL);
    if (strstr(type, "::") && is_name(type))
        return rh_printf(
            "'rhost module add SOURCE' adds a module that defines it; a package with its plugin provides "
            "'%s'",
            package);
    if (is_name(type))
        return rh_printf("'rhost types' lists what is installed; a package that has it provides '%s'",
                         package);
    return rh_xstrdup("'rhost types' lists what is installed");
}
