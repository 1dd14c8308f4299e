/* SPDX-License-Identifier: Apache-2.0 */
/* preview-make - makes the next preview of a directory of bundles, and has it signed. */
#include "config.h"

#include "bundle/channel-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "bundle/bundle.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum { ALL = 100 };

/* The serial of the preview that is there; 0: none. */
static int
read_serial(struct rh_arena *a, const struct rh_channel_request *r, int64_t *serial, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/" RH_PREVIEW_FILE, r->directory);
    rh_autosigned struct rh_signed s = { 0 };
    struct rh_channel last;

    *serial = 0;
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, r->signers, err) < 0)
        return -1;
    if (rh_preview_read(a, s.text, s.n, &last, err) < 0)
        return rh_error_prefix(err, "'%s' is no preview", path);
    *serial = last.serial;
    return 0;
}

int
rh_preview_make(struct rh_arena *a, const struct rh_channel_request *r, struct rh_channel *made,
                struct rh_error *err)
{
    rh_autoclose int lock = rh_channel_lock(r->directory, err);
    rh_autobuf struct rh_buf text = { 0 };
    struct rh_channel again, c = { .issued = time(NULL),
                                   .want = r->want,
                                   .percent = r->percent >= 0 ? r->percent
                                              : r->n_hosts    ? 0
                                                              : ALL,
                                   .n_hosts = r->n_hosts };

    c.expires = c.issued + r->lasts;
    c.hosts = rh_arena_alloc(a, (r->n_hosts + 1) * sizeof *c.hosts);
    for (size_t i = 0; i < r->n_hosts; i++)
        c.hosts[i] = rh_arena_strdup(a, r->hosts[i]);
    if (lock < 0 || rh_channel_recover_file(r->directory, RH_PREVIEW_FILE, r->signers, err) < 0
        || read_serial(a, r, &c.serial, err) < 0 || rh_channel_take_salt(a, &c, err) < 0
        || rh_channel_check_revision(r, c.want, err) < 0)
        return -1;
    c.serial++;
    rh_preview_write(&text, &c);
    if (rh_preview_read(a, text.s, text.n, &again, err) < 0
        || rh_channel_publish(r, RH_PREVIEW_FILE, &text, err) < 0)
        return -1;
    *made = c;
    return 0;
}
