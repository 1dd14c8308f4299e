/* SPDX-License-Identifier: Apache-2.0 */
/* capture - all parts of the machine, one after the other. */
#include "config.h"

#include "capture/capture.h"

#include "base/arena.h"
#include "capture/parts.h"

#include <stdlib.h>

int
rh_capture_machine(struct rh_capture *c, const struct rh_capture_options *options, struct rh_error *err)
{
    struct looking l = { .capture = c, .options = options, .arena = options->arena };
    int rc = 0;

    *c = (struct rh_capture){ .options = options, .arena = options->arena };
    c->parts = rh_arena_alloc(c->arena, RH_CAPTURE_PARTS * sizeof *c->parts);
    rh_dpkg_open(&l);
    rh_capture_sources(&l);
    rh_capture_packages(&l);
    rh_capture_accounts(&l);
    rh_capture_keys(&l);
    rh_capture_sysctl(&l);
    rh_capture_hosts(&l);
    rh_capture_mounts(&l);
    rh_capture_cron(&l);
    rh_capture_conffiles(&l);
    for (size_t i = 0; i < options->n_files && rc == 0; i++)
        rc = rh_capture_tree(&l, options->files[i], err);
    rh_capture_units(&l);
    rh_capture_services(&l);
    rh_dpkg_close(&l);
    rh_map_clear(&l.files);
    rh_map_clear(&l.users);
    return rc < 0 || l.failed ? -1 : 0;
}

void
rh_capture_clear(struct rh_capture *c)
{
    for (size_t i = 0; i < c->n_parts; i++) {
        free(c->parts[i].v);
        free(c->parts[i].notes);
    }
    c->n_parts = 0;
}
