/* SPDX-License-Identifier: Apache-2.0 */
/* install - what the lock has, brought into the directory of the site. */
#include "config.h"

#include "module/module.h"
#include "module/parts.h"

#include "base/error.h"

#include <string.h>

/* The same commit, and the same files, or nothing. */
static int
install(struct rh_module_site *site, const struct rh_module_pin *pin, struct rh_error *err)
{
    struct rh_module_fetched fetched;

    if (rh_module_fetch(site, pin->source, pin->commit, &fetched, err) < 0)
        return -1;
    if (strcmp(fetched.pin.name, pin->name) != 0 || strcmp(fetched.pin.digest, pin->digest) != 0)
        return rh_error_set(
            err, RH_EINPUT,
            "'%s' does not have the files that modules.lock has for module '%s': expected %s, got "
            "%s",
            pin->source, pin->name, pin->digest, fetched.pin.digest);
    if (rh_module_place(site, &fetched, err) < 0)
        return -1;
    rh_module_note(site, pin, "installed", NULL, NULL);
    return 0;
}

int
rh_module_install(struct rh_module_site *site, bool force, struct rh_error *err)
{
    for (size_t i = 0; i < site->lock.n; i++) {
        enum rh_module_state state = rh_module_site_compare(site, &site->lock.v[i], err);

        if (state == RH_MODULE_REFUSED)
            return -1;
        rh_error_clear(err);
        if (force || state != RH_MODULE_DIFFERENT)
            continue;
        (void)rh_error_set(err, RH_EINPUT,
                           "the files of module '%s' were changed here: nothing was installed",
                           site->lock.v[i].name);
        return rh_error_suggest(err, NULL, "'--force' replaces them");
    }
    for (size_t i = 0; i < site->lock.n; i++) {
        enum rh_module_state state = rh_module_site_compare(site, &site->lock.v[i], err);

        if (state == RH_MODULE_REFUSED)
            return -1;
        rh_error_clear(err);
        if (state != RH_MODULE_SAME && install(site, &site->lock.v[i], err) < 0)
            return -1;
    }
    return 0;
}
