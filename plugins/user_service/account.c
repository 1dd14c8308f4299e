/* SPDX-License-Identifier: Apache-2.0 */
/* account - the user whose units they are, and whether its manager is started with the machine. */

#include "account.h"

#include <rhost/ids.h>
#include <rhost/posix.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Both directories belong to root, and only root can change what is in them. */
#define LINGER "/var/lib/systemd/linger"
#define FOLDERS "/run/user"

enum { START_LIMIT = 90000 }; /* milliseconds that a manager may take to start */

static int
exists(rhost_ctx *ctx, const char *path)
{
    struct stat st;

    (void)ctx;
    return lstat(path, &st) == 0;
}

int
account_find(rhost_ctx *ctx, const char *user, struct account *a)
{
    int64_t uid = -1;
    int32_t r = rhost_ids_number(ctx, RHOST_IDS_USER, user, &uid);

    if (r < 0)
        return rhost_fail(ctx, "cannot look up user '%s': %s", user, strerror(-r));
    *a = (struct account){ .owner = { .user = user, .uid = uid }, .exists = uid >= 0 };
    a->booted = !rhost_in_chroot() && exists(ctx, "/run/systemd/system");
    a->has_folder = a->exists && a->booted && exists(ctx, rhost_fmt(ctx, FOLDERS "/%lld", (long long)uid));
    return 0;
}

int
account_lingers(const struct account *a)
{
    char path[512];
    struct stat st;
    int n = snprintf(path, sizeof path, LINGER "/%s", a->owner.user);

    return n > 0 && (size_t)n < sizeof path && lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *
run(rhost_ctx *ctx, const char *const *argv)
{
    const struct rhost_command command = { .struct_size = sizeof command,
                                           .argv = argv,
                                           .timeout = START_LIMIT };
    struct rhost_output out;

    if (rhost_run(ctx, &command, &out) < 0)
        return rhost_fmt(ctx, "%s could not be run", argv[0]);
    return out.status ? systemctl_complaint(ctx, &out) : NULL;
}

const char *
account_linger(rhost_ctx *ctx, struct account *a, int enable)
{
    const char *verb = enable ? "enable-linger" : "disable-linger";
    const char *const linger[] = { "loginctl", verb, a->owner.user, NULL };
    const char *const start[] = { "systemctl", "start",
                                  rhost_fmt(ctx, "user@%lld.service", (long long)a->owner.uid), NULL };
    const char *why;

    if (!a->booted)
        return rhost_fmt(ctx,
                         "cannot change whether '%s' lingers, as systemd does not run here: in an image, the "
                         "empty file '" LINGER "/%s' enables it",
                         a->owner.user, a->owner.user);
    why = run(ctx, linger);
    if (why)
        return rhost_fmt(ctx, "cannot %s lingering of '%s': %s", enable ? "enable" : "disable", a->owner.user,
                         why);
    if (!enable)
        return NULL;
    /* logind has started it, and does not wait for it. */
    why = geteuid() == 0 ? run(ctx, start) : NULL;
    a->has_folder = 1;
    return why ? rhost_fmt(ctx, "'%s' lingers, and its systemd manager does not start: %s", a->owner.user,
                           why)
               : NULL;
}

/* One entry of the directories. */
static int
visit_user(rhost_ctx *ctx, const char *user, int only_folder, int (*visit)(rhost_ctx *ctx, struct account *a))
{
    struct account a;

    if (account_find(ctx, user, &a) < 0)
        return -1;
    if (!a.exists || (geteuid() != 0 && a.owner.uid != (int64_t)geteuid()))
        return 0;
    return only_folder && account_lingers(&a) ? 0 : visit(ctx, &a); /* it was visited as one that lingers */
}

static int
each_in(rhost_ctx *ctx, const char *folder, int numbers, int (*visit)(rhost_ctx *ctx, struct account *a))
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int result = 0;

    if (!dir)
        return errno == ENOENT ? 0 : rhost_fail_errno(ctx, "cannot read '%s'", folder);
    while (result == 0 && (entry = readdir(dir))) {
        const char *user = entry->d_name;
        char *end;
        unsigned long uid;

        if (*user == '.')
            continue;
        if (numbers) {
            uid = strtoul(entry->d_name, &end, 10);
            if (*end || uid >= UINT32_MAX || rhost_ids_name(ctx, RHOST_IDS_USER, (uint32_t)uid, &user) < 0
                || !user)
                continue;
        }
        result = visit_user(ctx, rhost_strdup(ctx, user), numbers, visit);
    }
    (void)closedir(dir);
    return result;
}

int
account_each(rhost_ctx *ctx, int (*visit)(rhost_ctx *ctx, struct account *a))
{
    if (each_in(ctx, LINGER, 0, visit) < 0)
        return -1;
    return each_in(ctx, FOLDERS, 1, visit);
}
