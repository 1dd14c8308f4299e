/* SPDX-License-Identifier: Apache-2.0 */
/* file - files, links and directories as resources, each once. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/mounted.h"
#include "base/safe-path.h"
#include "base/text.h"
#include "base/value.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, DEEPEST = 40, NAMES = 4096 };

static char taken;

bool
rh_capture_is_taken(const struct looking *l, const char *path)
{
    return rh_map_get(&l->files, path);
}

void
rh_capture_take(struct looking *l, const char *path)
{
    rh_map_put(&l->files, rh_arena_strdup(l->arena, path), &taken);
}

/* By name where there is one. */
static struct rh_value *
owner_value(struct looking *l, uid_t uid)
{
    struct passwd pw, *found = NULL;
    char text[NAMES];

    if (getpwuid_r(uid, &pw, text, sizeof text, &found) == 0 && found)
        return rh_value_string(l->arena, pw.pw_name);
    return rh_value_integer(l->arena, uid);
}

static struct rh_value *
group_value(struct looking *l, gid_t gid)
{
    struct group gr, *found = NULL;
    char text[NAMES];

    if (getgrgid_r(gid, &gr, text, sizeof text, &found) == 0 && found)
        return rh_value_string(l->arena, gr.gr_name);
    return rh_value_integer(l->arena, gid);
}

static struct rh_value *
new_item(struct looking *l, const char *path, const struct stat *st)
{
    struct rh_value *item = rh_value_new(l->arena, RH_HASH);

    rh_value_put(item, "path", rh_value_string(l->arena, path));
    if (!st)
        return item;
    rh_value_put(item, "owner", owner_value(l, st->st_uid));
    rh_value_put(item, "group", group_value(l, st->st_gid));
    rh_value_put(item, "mode",
                 rh_value_string(l->arena, rh_arena_printf(l->arena, "%04o", st->st_mode & 07777U)));
    return item;
}

/* A password within an URL, as in "https://anna:secret@example.org". */
static bool
has_password(const char *text, size_t n)
{
    const char *end = text + n;

    for (const char *at = text; (at = memmem(at, (size_t)(end - at), "://", 3));) {
        const char *colon = NULL;

        for (at += 3; at<end && * at> ' ' && *at != '/' && *at != '"' && *at != '\'' && *at != '@'; at++)
            if (*at == ':')
                colon = at;
        if (at < end && *at == '@' && colon && colon + 1 < at)
            return true;
    }
    return false;
}

static const char *
why_secret(const char *path, const char *text, size_t n)
{
    static const char key[] = "PRIVATE KEY-----";
    const char *why = rh_capture_secret(path);

    if (why)
        return why;
    if (memmem(text, n, key, sizeof key - 1))
        return "it has a private key in it";
    return has_password(text, n) ? "it has a password in it" : NULL;
}

static void
add_regular(struct looking *l, const char *heading, const char *path)
{
    struct stat st = { 0 };
    size_t n = 0;
    rh_autofree char *text = rh_capture_bytes(path, LARGEST, &n, &st);
    const char *impossible = text ? NULL : errno == EFBIG ? "it is larger than 1 MiB" : strerror(errno);
    struct rh_captured *c = rh_capture_add(l, heading, "file", new_item(l, path, st.st_mode ? &st : NULL));

    if (!c)
        return;
    if (text && (memchr(text, '\0', n) || !rh_utf8_valid(text, n)))
        impossible = "it is not text: put it where the machine can get it, and give it as 'source'";
    c->impossible = impossible;
    c->secret = impossible ? NULL : why_secret(path, text, n);
    if (!impossible)
        rh_value_put(
            c->item, "content",
            rh_value_marked(l->arena, rh_value_stringn(l->arena, text, n), c->secret ? RH_SENSITIVE : 0));
}

static void
add_link(struct looking *l, const char *heading, const char *path)
{
    char target[4096];
    ssize_t n = readlink(path, target, sizeof target);
    struct rh_value *item = new_item(l, path, NULL);

    if (n <= 0 || (size_t)n == sizeof target || !rh_utf8_valid(target, (size_t)n))
        return;
    rh_value_put(item, "target", rh_value_stringn(l->arena, target, (size_t)n));
    rh_capture_add(l, heading, "link", item);
}

/* The directories above a path that no package has. */
static void
add_parents(struct looking *l, const char *heading, const char *path)
{
    const char *end = strrchr(path, '/');

    if (end && end != path)
        rh_capture_directory(l, heading, rh_arena_strndup(l->arena, path, (size_t)(end - path)));
}

/* What every machine has, and no package has in its list, since it may be on a file system of its own. */
static bool
is_standard(const char *path)
{
    static const char *const paths[] = { "/home",          "/media",
                                         "/mnt",           "/opt",
                                         "/root",          "/srv",
                                         "/tmp",           "/usr/local",
                                         "/usr/local/bin", "/usr/local/etc",
                                         "/usr/local/lib", "/usr/local/sbin",
                                         "/usr/local/src", "/usr/local/share",
                                         "/var/local",     "/var/tmp" };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (strcmp(path, paths[i]) == 0)
            return true;
    return false;
}

void
rh_capture_directory(struct looking *l, const char *heading, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || rh_capture_is_taken(l, path))
        return;
    add_parents(l, heading, path);
    if (is_standard(path) || rh_dpkg_owns(l, path))
        return;
    rh_capture_take(l, path);
    rh_capture_add(l, heading, "directory", new_item(l, path, &st));
}

int
rh_capture_file(struct looking *l, const char *heading, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return -1;
    if (rh_capture_is_taken(l, path) || (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)))
        return 0;
    rh_capture_take(l, path);
    add_parents(l, heading, path);
    if (S_ISLNK(st.st_mode))
        add_link(l, heading, path);
    else
        add_regular(l, heading, path);
    return 0;
}

/* What editors and dpkg leave beside a file. */
static bool
is_leftover(const char *name)
{
    static const char *const ends[] = { "~",          ".dpkg-old", ".dpkg-new", ".dpkg-dist",
                                        ".dpkg-bak",  ".ucf-old",  ".ucf-dist", ".ucf-new",
                                        ".rhost-new", ".save",     ".bak",      ".swp" };

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (rh_capture_ends_with(name, ends[i]))
            return true;
    return false;
}

void
rh_capture_unowned(struct looking *l, const char *heading, const char *directory, const char *suffix)
{
    const char **names;
    size_t n = rh_capture_names(l, directory, &names);

    for (size_t i = 0; i < n; i++) {
        const char *path = rh_arena_printf(l->arena, "%s/%s", directory, names[i]);

        if (rh_capture_ends_with(path, suffix) && !is_leftover(path) && !rh_dpkg_owns(l, path))
            (void)rh_capture_file(l, heading, path);
    }
}

static const char further[] = "Further files";

static void
add_below(struct looking *l, const char *directory, int depth)
{
    const char **names;
    size_t n = rh_capture_all_names(l, directory, &names);
    struct stat st;

    for (size_t i = 0; i < n && depth < DEEPEST; i++) {
        const char *path = rh_arena_printf(l->arena, "%s/%s", directory, names[i]);

        if (lstat(path, &st) < 0 || rh_is_mounted(AT_FDCWD, path))
            continue;
        if (S_ISDIR(st.st_mode)) {
            rh_capture_directory(l, further, path);
            add_below(l, path, depth + 1);
        } else if (!is_leftover(path) && !rh_dpkg_owns(l, path)) {
            (void)rh_capture_file(l, further, path);
        }
    }
}

int
rh_capture_tree(struct looking *l, const char *path, struct rh_error *err)
{
    const char *end = path + strlen(path);
    struct stat st;

    while (end > path + 1 && end[-1] == '/')
        end--;
    path = rh_arena_strndup(l->arena, path, (size_t)(end - path));
    if (lstat(path, &st) < 0)
        return rh_error_system(err, errno, "cannot capture '%s'", path);
    if (S_ISDIR(st.st_mode)) {
        rh_capture_directory(l, further, path);
        add_below(l, path, 0);
        return 0;
    }
    if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "cannot capture '%s': it is no file, link or directory", path);
    return rh_capture_file(l, further, path);
}
