/* SPDX-License-Identifier: Apache-2.0 */
/* kernel - parameters of the running kernel, as files below /proc/sys. */

#include "kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT "/proc/sys/"

enum { LONGEST_KEY = 512, LONGEST_VALUE = 64 << 10, DEEPEST = 16 };

/* What changes by itself, answers a write with something else, or is a secret. */
static const char *const unlisted[] = {
    "fs.binfmt_misc.", "kernel.ns_last_pid", "net.ipv4.tcp_fastopen_key", "vm.stat_refresh", NULL,
};

static void
swap(char *key)
{
    for (; *key; key++)
        *key = *key == '.' ? '/' : *key == '/' ? '.' : *key;
}

int
kernel_tidy_key(char *key)
{
    size_t first = strcspn(key, "./");
    int bad = 0;

    if (key[first] != '/')
        swap(key);
    for (const char *p = key;; p++) { /* parts of a path now */
        size_t len = strcspn(p, "/");

        bad |= !len || (len == 1 && *p == '.') || (len == 2 && p[0] == '.' && p[1] == '.');
        p += len;
        if (!*p)
            break;
    }
    swap(key);
    return bad ? -1 : 0;
}

void
kernel_tidy_value(char *value)
{
    char *to = value;

    for (const char *p = value; *p; p++) {
        if (!strchr(" \t\r\n", *p))
            *to++ = *p;
        else if (to > value && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > value && to[-1] == ' ')
        to--;
    *to = '\0';
}

static char *
path_of(rhost_ctx *ctx, const char *key)
{
    size_t size = strlen(key) + sizeof ROOT;
    char *path = rhost_alloc(ctx, size);

    memcpy(path, ROOT, sizeof ROOT - 1);
    memcpy(path + sizeof ROOT - 1, key, strlen(key) + 1);
    swap(path + sizeof ROOT - 1);
    return path;
}

char *
kernel_read(rhost_ctx *ctx, const char *key)
{
    int fd = open(path_of(ctx, key), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    size_t room = 256, n = 0;
    char *text = NULL;
    ssize_t got;
    int why;

    if (fd < 0)
        return NULL;
    do { /* a second read of one file may begin anew: try with more room instead */
        text = rhost_alloc(ctx, room);
        got = pread(fd, text, room - 1, 0);
        n = got > 0 ? (size_t)got : 0;
        room *= 8;
    } while (got > 0 && n == room / 8 - 1 && room <= LONGEST_VALUE * 8);
    why = errno;
    (void)close(fd);
    errno = why;
    if (got < 0)
        return NULL;
    text[n] = '\0';
    kernel_tidy_value(text);
    return text;
}

const char *
kernel_explain(rhost_ctx *ctx, const char *value)
{
    switch (errno) {
    case ENOENT:
        return rhost_fmt(ctx,
                         "the kernel has no such key; its module may not be loaded ('apply: false' writes "
                         "the file alone)");
    case EROFS:
        return rhost_fmt(ctx,
                         "/proc/sys is read-only here, as in most containers: it can only be set outside "
                         "('apply: false' writes the file alone)");
    case EACCES:
    case EPERM:
        return rhost_fmt(ctx,
                         "the kernel does not allow the change: %s ('apply: false' writes the file alone)",
                         strerror(errno));
    case EINVAL:
    case ERANGE:
        return rhost_fmt(ctx, "the kernel refuses the value '%s': %s", value, strerror(errno));
    default:
        return rhost_fmt(ctx, "cannot set it to '%s': %s", value, strerror(errno));
    }
}

const char *
kernel_write(rhost_ctx *ctx, const char *key, const char *value)
{
    int fd = open(path_of(ctx, key), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    size_t len = strlen(value);
    char *line = rhost_alloc(ctx, len + 2), *now;
    ssize_t n;
    int why;

    if (fd < 0)
        return kernel_explain(ctx, value);
    memcpy(line, value, len);
    line[len] = '\n';
    n = write(fd, line, len + 1); /* at once: each write is a value of its own */
    why = errno;
    (void)close(fd);
    errno = why;
    if (n < 0)
        return kernel_explain(ctx, value);
    now = kernel_read(ctx, key);
    if (now && strcmp(now, value) != 0)
        return rhost_fmt(ctx, "the kernel accepted '%s', but reports '%s'", value, now);
    return NULL;
}

static int
is_unlisted(const char *key)
{
    for (size_t i = 0; unlisted[i]; i++) {
        size_t len = strlen(unlisted[i]);

        if (strncmp(key, unlisted[i], len) == 0 && (unlisted[i][len - 1] == '.' || !key[len]))
            return 1;
    }
    return 0;
}

static int
each_below(rhost_ctx *ctx, char *path, size_t len, int depth,
           int (*visit)(rhost_ctx *ctx, const char *key, const char *value))
{
    struct dirent **names = NULL;
    int n = scandir(path, &names, NULL, alphasort), result = 0;

    if (n < 0 && errno != ENOENT && errno != EACCES) /* which are not for us */
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        size_t more = strlen(name);
        struct stat st;

        if (result == 0 && *name != '.' && len + more + 2 < sizeof ROOT + LONGEST_KEY) {
            memcpy(path + len, name, more + 1);
            if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && depth < DEEPEST) {
                memcpy(path + len + more, "/", 2);
                result = each_below(ctx, path, len + more + 1, depth + 1, visit);
            } else if (S_ISREG(st.st_mode) && (st.st_mode & 0600) == 0600) {
                char key[LONGEST_KEY];
                const char *value;

                snprintf(key, sizeof key, "%s", path + sizeof ROOT - 1);
                swap(key);
                value = is_unlisted(key) ? NULL : kernel_read(ctx, key);
                if (value && *value)
                    result = visit(ctx, key, value);
            }
        }
        free(names[i]);
    }
    free(names);
    return result;
}

int
kernel_each(rhost_ctx *ctx, int (*visit)(rhost_ctx *ctx, const char *key, const char *value))
{
    char path[sizeof ROOT + LONGEST_KEY + 2] = ROOT;

    return each_below(ctx, path, sizeof ROOT - 1, 0, visit);
}
