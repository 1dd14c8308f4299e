/* SPDX-License-Identifier: Apache-2.0 */
/* installation - the directory that flatpak keeps applications, runtimes and remotes in. */

#include "installation.h"

#include <rhost/dry-run.h>

static int
is_system(const struct place *p)
{
    return p->uid == 0;
}

void
installation_begin(const struct place *p, struct words *w, const char *verb)
{
    w->ctx = p->ctx;
    words_add(w, "flatpak");
    words_add(w, verb);
    words_add(w, is_system(p) ? "--system" : "--user");
}

int32_t
installation_run(struct place *p, const struct words *w, const char *what)
{
    static const char *const prefixes[] = { "error:", "Error:", NULL };
    static const char *const idle[] = { NULL };
    static const char *const parts[] = {
        "repo", "repo/*", "app", "app/*", "runtime", "runtime/*", "exports"
    };
    const char *const env[] = {
        "LC_ALL=C.UTF-8",
        rhost_fmt(p->ctx, "%s=%s", is_system(p) ? "FLATPAK_SYSTEM_DIR" : "FLATPAK_USER_DIR", p->path), NULL
    };
    const struct manager flatpak = {
        .name = "flatpak", .env = env, .prefixes = prefixes, .idle = idle, .cwd = "/"
    };
    struct words all = { .ctx = p->ctx };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words_add(&all, rhost_fmt(p->ctx, "%s/%s", p->path, parts[i]));
    if (place_make(p) < 0 || place_check_trust(p, "flatpak", all.all) < 0
        || manager_do(&flatpak, p, w, what) < 0)
        return -1;
    rhost_touched(p->ctx, p->path);
    return 0;
}
