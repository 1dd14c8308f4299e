/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - what is mounted, from the kernel's table alone. */

#include "mounts.h"
#include "fstab.h"

#include <rhost/path.h>

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

enum { NAMED_USERS = 5 };

struct libmnt_table *
mounts_read(rhost_ctx *ctx)
{
    struct libmnt_table *table = mnt_new_table();
    int why = table ? mnt_table_parse_mtab(table, NULL) : -ENOMEM;

    if (why == 0)
        return table;
    mnt_unref_table(table);
    errno = why < 0 ? -why : EINVAL;
    rhost_fail_errno(ctx, "cannot read what is mounted");
    return NULL;
}

/* What is mounted on top of that, at the same place; NULL: nothing. */
static struct libmnt_fs *
find_over(struct libmnt_table *table, struct libmnt_fs *fs)
{
    struct libmnt_iter *i = mnt_new_iter(MNT_ITER_FORWARD);
    struct libmnt_fs *over = NULL, *next;

    while (i && !over && mnt_table_next_fs(table, i, &next) == 0)
        if (mnt_fs_get_parent_id(next) == mnt_fs_get_id(fs) && next != fs
            && strcmp(mnt_fs_get_target(next), mnt_fs_get_target(fs)) == 0)
            over = next;
    mnt_free_iter(i);
    return over;
}

/* The kernel lists mounts by age, which one that was moved does not stand in for. It gives numbers out again,
 * so that in a table that was read while it changed two mounts may seem to be over each other. */
static struct libmnt_fs *
find(struct libmnt_table *table, const char *path)
{
    struct libmnt_fs *fs, *over;
    int most = mnt_table_get_nents(table);

    fs = mnt_table_find_target(table, path, MNT_ITER_BACKWARD); /* by its name: the table has no cache */
    while (fs && most-- > 0 && (over = find_over(table, fs)))
        fs = over;
    return fs;
}

/* The mount that this path is on, by its name alone. */
static struct libmnt_fs *
find_around(rhost_ctx *ctx, struct libmnt_table *table, const char *path)
{
    size_t size = strlen(path) + 1;
    char *above = rhost_alloc(ctx, size), *slash;
    struct libmnt_fs *fs = NULL;

    memcpy(above, path, size);
    while (!(fs = find(table, *above ? above : "/")) && (slash = strrchr(above, '/')))
        *slash = '\0';
    return fs;
}

/* The path without symbolic links; NULL where that could not be asked for without waiting for a server, or,
 * with errno ELOOP, where another user could have made one of them. */
static const char *
resolved(rhost_ctx *ctx, struct libmnt_table *table, const char *path)
{
    struct libmnt_fs *fs = *path == '/' ? find_around(ctx, table, path) : NULL;
    char *real = rhost_alloc(ctx, PATH_MAX), link[32];
    ssize_t len;
    int fd;

    errno = 0;
    if (!fs || mnt_fs_is_netfs(fs))
        return NULL;
    fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_PATH, 0);
    if (fd < 0)
        return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    len = readlink(link, real, PATH_MAX - 1);
    rhost_path_close(fd);
    return len > 0 && *real == '/' ? real : NULL;
}

int
mounts_check_path(rhost_ctx *ctx, struct libmnt_table *table, const char *path)
{
    if (find(table, path) || resolved(ctx, table, path) || errno != ELOOP)
        return 0; /* the kernel's names have no links in them */
    return rhost_fail_path(ctx, "cannot use '%s'", path);
}

struct libmnt_fs *
mounts_at(rhost_ctx *ctx, struct libmnt_table *table, const char *path)
{
    struct libmnt_fs *fs = find(table, path);
    const char *real = fs ? NULL : resolved(ctx, table, path);

    return real && strcmp(real, path) != 0 ? find(table, real) : fs;
}

/* Apart from slashes at the end: "" and "/" are both the root of a file system. */
static int
is_same_text(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);

    while (n && a[n - 1] == '/')
        n--;
    while (m && b[m - 1] == '/')
        m--;
    return n == m && memcmp(a, b, n) == 0;
}

/* Whether fs shows what is at this path. */
static int
shows(rhost_ctx *ctx, struct libmnt_table *table, struct libmnt_fs *fs, const char *path)
{
    struct libmnt_fs *base = find_around(ctx, table, path);
    const char *root = base ? mnt_fs_get_root(base) : NULL, *here = mnt_fs_get_root(fs), *rest;
    size_t above;

    if (!root || !here)
        return 0;
    if (base == fs)
        return 1; /* mounted on itself, or on something above it */
    above = strcmp(mnt_fs_get_target(base), "/") == 0 ? 0 : strlen(mnt_fs_get_target(base));
    if (strncmp(path, mnt_fs_get_target(base), above) != 0)
        return 0; /* found although it is written in another way */
    rest = path + above;
    if (strcmp(root, "/") == 0)
        root = "";
    return mnt_fs_get_devno(base) == mnt_fs_get_devno(fs) && strncmp(here, root, strlen(root)) == 0
           && is_same_text(here + strlen(root), rest);
}

static int
is_bound(rhost_ctx *ctx, struct libmnt_table *table, struct libmnt_fs *fs, const char *device)
{
    const char *real;

    if (shows(ctx, table, fs, device))
        return 1;
    real = resolved(ctx, table, device);
    return real && strcmp(real, device) != 0 && shows(ctx, table, fs, real);
}

/* The file that a loop device shows; NULL: it is none. */
static const char *
loop_file(rhost_ctx *ctx, const char *source)
{
    char path[80], *file = rhost_alloc(ctx, PATH_MAX + 1);
    FILE *in;
    size_t n;

    if (!source || strncmp(source, "/dev/loop", 9) != 0 || strlen(source) > 20)
        return NULL;
    snprintf(path, sizeof path, "/sys/block/%s/loop/backing_file", source + 5);
    in = fopen(path, "re");
    if (!in)
        return NULL;
    n = fread(file, 1, PATH_MAX, in);
    (void)fclose(in);
    while (n && file[n - 1] == '\n')
        n--;
    file[n] = '\0';
    return file;
}

int
mounts_is_of(rhost_ctx *ctx, struct libmnt_table *table, struct libmnt_fs *fs, const char *device)
{
    const char *source = mnt_fs_get_source(fs), *file = loop_file(ctx, source), *real;
    struct libmnt_cache *cache;
    struct stat st;
    char *path;
    int same;

    if (file && *device == '/') {
        real = resolved(ctx, table, device);
        return real && strcmp(real, file) == 0;
    }
    cache = mnt_new_cache();
    path = cache ? mnt_resolve_spec(device, cache) : NULL;
    same = path && *path == '/'
           && ((source && strcmp(path, source) == 0)
               || (strncmp(path, "/dev/", 5) == 0 && stat(path, &st) == 0 && S_ISBLK(st.st_mode)
                   && st.st_rdev == mnt_fs_get_devno(fs))
               || (source && strncmp(source, "/dev/", 5) == 0 && (real = resolved(ctx, table, source))
                   && strcmp(real, path) == 0));
    mnt_unref_cache(cache);
    return same;
}

int
mounts_is(rhost_ctx *ctx, struct libmnt_table *table, struct libmnt_fs *fs, const char *device,
          const char *type, const struct options *options)
{
    const char *source = mnt_fs_get_source(fs), *is = mnt_fs_get_fstype(fs);

    if (!is || strcmp(is, "autofs") == 0)
        return 1; /* mounts it when somebody looks */
    if (options_have(options, "bind") || options_have(options, "rbind"))
        return is_bound(ctx, table, fs, device) || (source && strcmp(source, device) == 0);
    if (strncmp(is, "fuse", 4) == 0)
        return 1; /* which says of its device what it likes */
    if (type && strcmp(type, "auto") != 0 && strcmp(type, "none") != 0 && strcmp(type, is) != 0
        && !(strncmp(type, "nfs", 3) == 0 && strncmp(is, "nfs", 3) == 0)
        && !(strncmp(type, "smb", 3) == 0 && strcmp(is, "cifs") == 0))
        return 0;
    if ((source && is_same_text(source, device)) || (mnt_fs_is_pseudofs(fs) && type))
        return 1;
    return !mnt_fs_is_netfs(fs) && mounts_is_of(ctx, table, fs, device);
}

struct options
mounts_options(rhost_ctx *ctx, struct libmnt_fs *fs)
{
    const char *vfs = mnt_fs_get_vfs_options(fs), *own = mnt_fs_get_fs_options(fs);
    struct options all = options_split(ctx, vfs), more = options_split(ctx, own), both;

    both.at = rhost_alloc(ctx, (all.n + more.n) * sizeof *both.at);
    memcpy(both.at, all.at, all.n * sizeof *both.at);
    both.n = all.n;
    for (size_t i = 0; i < more.n; i++) {
        if (strcmp(more.at[i], "defaults") == 0 || options_have(&all, more.at[i])
            || (strcmp(more.at[i], "rw") == 0 && options_have(&all, "ro")))
            continue;
        if (strcmp(more.at[i], "ro") == 0)
            both.at[0] = "ro"; /* the kernel begins with one of the two */
        else
            both.at[both.n++] = more.at[i];
    }
    return both;
}

int
mounts_is_real(struct libmnt_fs *fs)
{
    const char *root = mnt_fs_get_root(fs), *type = mnt_fs_get_fstype(fs);

    return type && root && mnt_fs_get_source(fs) && !mnt_fs_is_pseudofs(fs) && strncmp(type, "fuse.", 5) != 0
           && (strcmp(root, "/") == 0 || strcmp(type, "btrfs") == 0);
}

int
mounts_is_in_memory(struct libmnt_fs *fs)
{
    const char *type = mnt_fs_get_fstype(fs);

    return type && (strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0);
}

/* Whether one of a process's links, of which `kind` are many, leads below the path. */
static int
leads_below(const char *link, const char *path)
{
    char to[PATH_MAX + 1];
    ssize_t n = readlink(link, to, sizeof to - 1);

    if (n < 0)
        return 0;
    to[n] = '\0';
    return fstab_is_below(to, path);
}

static int
has_file_open(const char *process, const char *path)
{
    char name[320];
    DIR *files;
    int found = 0;

    snprintf(name, sizeof name, "/proc/%s/fd", process);
    files = opendir(name);
    for (struct dirent *e; files && !found && (e = readdir(files));) {
        snprintf(name, sizeof name, "/proc/%s/fd/%.30s", process, e->d_name);
        found = leads_below(name, path);
    }
    if (files)
        (void)closedir(files);
    return found;
}

/* Whether this process, of our own mount namespace, is somewhere below the path. */
static int
uses(const char *process, const char *path)
{
    static const char *const links[] = { "cwd", "root", "exe" };
    char name[320], ours[64], theirs[64];
    ssize_t n = readlink("/proc/self/ns/mnt", ours, sizeof ours), m;

    snprintf(name, sizeof name, "/proc/%s/ns/mnt", process);
    m = readlink(name, theirs, sizeof theirs);
    if (n < 0 || n != m || memcmp(ours, theirs, (size_t)n) != 0)
        return 0;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        snprintf(name, sizeof name, "/proc/%s/%s", process, links[i]);
        if (leads_below(name, path))
            return 1;
    }
    return has_file_open(process, path);
}

static void
name_of(const char *process, char name[32])
{
    char path[320];
    FILE *in;

    snprintf(path, sizeof path, "/proc/%s/comm", process);
    in = fopen(path, "re");
    if (!in || !fgets(name, 32, in))
        snprintf(name, 32, "?");
    name[strcspn(name, "\n")] = '\0';
    if (in)
        (void)fclose(in);
}

const char *
mounts_users(rhost_ctx *ctx, struct libmnt_table *table, const char *path)
{
    const size_t size = 1024;
    char *text = rhost_alloc(ctx, size), command[32];
    size_t len = 0;
    int found = 0;
    struct libmnt_iter *i = mnt_new_iter(MNT_ITER_FORWARD);
    struct libmnt_fs *fs;
    DIR *processes = opendir("/proc");

    while (i && len < size / 2 && mnt_table_next_fs(table, i, &fs) == 0)
        if (fstab_is_below(mnt_fs_get_target(fs), path) && strcmp(mnt_fs_get_target(fs), path) != 0)
            len += (size_t)snprintf(text + len, size - len, "%s'%.200s' is mounted in it", len ? ", " : "",
                                    mnt_fs_get_target(fs));
    mnt_free_iter(i);
    for (struct dirent *e; processes && found < NAMED_USERS && (e = readdir(processes));) {
        if (!isdigit((unsigned char)*e->d_name) || !uses(e->d_name, path))
            continue;
        name_of(e->d_name, command);
        len += (size_t)snprintf(text + len, size - len, "%s%s (%s)",
                                found ? ", "
                                : len ? "; used by "
                                      : "used by ",
                                e->d_name, command);
        found++;
    }
    if (processes)
        (void)closedir(processes);
    return len ? text : NULL;
}
