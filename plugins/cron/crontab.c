/* SPDX-License-Identifier: Apache-2.0 */
/* crontab - the crontab of a user, by way of crontab(1), which knows where it lies and checks it. */

#include "crontab.h"

#include <rhost/exec.h>

#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

static const char *const spools[] = { "/var/spool/cron/crontabs", "/var/spool/cron", NULL };

enum { MESSAGE = 300, LONGEST = 16 << 20, HEADER = 3 };

/* Only root may name another user; and one may not be allowed to name oneself. */
static int32_t
run(rhost_ctx *ctx, const char *user, const char *what, uint64_t flags, const char *input, size_t len,
    struct rhost_output *out)
{
    const struct passwd *pw = geteuid() ? getpwuid(geteuid()) : NULL;
    int own = pw && strcmp(pw->pw_name, user) == 0;
    const char *const argv[] = { "crontab", own ? what : "-u", own ? NULL : user, what, NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .input = input,
        .input_len = len,
        .output_limit = LONGEST,
        .timeout = 60000,
        .umask = -1,
        .flags = flags,
    };

    return rhost_run(ctx, &command, out);
}

static int32_t
refuse(rhost_ctx *ctx, const char *user, const char *doing, const struct rhost_output *out)
{
    const char *why = out->err_len ? out->err : out->out;
    size_t len = strlen(why);

    while (len && (why[len - 1] == '\n' || why[len - 1] == ' '))
        len--;
    return rhost_fail(ctx, "cannot %s the crontab of '%s': crontab says '%.*s' (status %d)", doing, user,
                      (int)(len < MESSAGE ? len : MESSAGE), why, out->status);
}

/* A crontab beside a text. */
enum { SAME = 1, SHORTER = 2, LONGER = 4 };

static int
is_part(const char *text, size_t n, const char *whole, size_t len)
{
    return n < len && memcmp(text, whole, n) == 0;
}

/* Whether a crontab is the text, its first part, or the text and more: SAME, SHORTER, LONGER, of which
 * several may hold, as crontab(1) writes comments at the top, which it does not list, or all the same where
 * it cannot read. */
static int
compare(const struct rhost_lines *tab, const char *text, size_t n)
{
    int result = 0;

    for (size_t i = 0; i <= HEADER; i++) {
        const char *rest = i < tab->n ? tab->at[i].text : tab->text + tab->text_len;
        size_t left = tab->text_len - (size_t)(rest - tab->text);

        if (n == left && memcmp(text, rest, n) == 0)
            return SAME;
        result |= is_part(rest, left, text, n) ? SHORTER : is_part(text, n, rest, left) ? LONGER : 0;
        if (!left || *rest != '#')
            break;
    }
    return result;
}

/* What is in the file that has the crontab of a user; NULL where there is none, or it is not for us to read.
 */
static struct rhost_lines *
kept_lines(rhost_ctx *ctx, const char *user)
{
    struct rhost_lines *file = calloc(1, sizeof *file);
    int fd = -1;

    for (size_t i = 0; file && spools[i] && fd < 0; i++)
        fd = rhost_path_open(ctx, rhost_fmt(ctx, "%s/%s", spools[i], user), 0, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0 || rhost_lines_fill(file, fd, LONGEST) < 0) {
        rhost_lines_free(file);
        file = NULL;
    }
    rhost_path_close(fd);
    return file;
}

/* Whether crontab(1) has listed less than there is: where it cannot read on, it ends with status 0 as well.
 */
static int
is_listed_in_part(rhost_ctx *ctx, const char *user, const char *listed, size_t n)
{
    struct rhost_lines *file = kept_lines(ctx, user);
    int result = file && (compare(file, listed, n) & LONGER);

    rhost_lines_free(file);
    return result;
}

struct rhost_lines *
crontab_read(rhost_ctx *ctx, const char *user)
{
    struct rhost_output out = { .struct_size = sizeof out };
    struct rhost_lines *l;
    int in_part = 1;

    /* Again: somebody may add a job between the two looks. */
    for (int attempt = 0; attempt < 3 && in_part; attempt++) {
        if (run(ctx, user, "-l", RHOST_EXEC_READS, NULL, 0, &out) < 0)
            return NULL;
        in_part = out.status == 0 && !out.truncated && is_listed_in_part(ctx, user, out.out, out.out_len);
    }
    if (out.status != 0 && !strstr(out.err, "no crontab")) {
        refuse(ctx, user, "read", &out);
        return NULL;
    }
    if (out.truncated) {
        rhost_fail(ctx, "cannot read the crontab of '%s': it is too long", user);
        return NULL;
    }
    if (in_part) {
        rhost_fail(ctx, "cannot read the crontab of '%s': crontab lists only a part of it", user);
        return NULL;
    }
    l = out.status == 0 ? rhost_lines_from(out.out, out.out_len) : rhost_lines_from("", 0);
    if (!l)
        rhost_fail(ctx, "cannot read the crontab of '%s': out of memory", user);
    return l;
}

static int32_t
install(rhost_ctx *ctx, const char *user, const char *text, size_t len)
{
    struct rhost_output out = { .struct_size = sizeof out };
    int32_t result = run(ctx, user, len ? "-" : "-r", 0, len ? text : NULL, len, &out);

    if (result == 0 && out.status != 0)
        return refuse(ctx, user, len ? "write" : "remove", &out);
    return result;
}

/* Whether no more than the first part of a text is in the crontab: 1, 0, or -1 after the reason. */
static int
is_cut_off(rhost_ctx *ctx, const char *user, const char *text, size_t len)
{
    struct rhost_lines *now = crontab_read(ctx, user);
    int result = now ? (compare(now, text, len) & SHORTER) != 0 : -1;

    rhost_lines_free(now);
    return result;
}

/* crontab(1) takes what it could read of its input for the whole of it when it cannot read on, and says
 * nothing: the other jobs of the user would be lost. So what it has installed is read and, if it was cut off,
 * installed again; and if that fails as well, what was there is put back. */
static int32_t
install_whole(rhost_ctx *ctx, const char *user, const char *text, size_t len,
              const struct rhost_lines *before)
{
    int cut_off = 1;

    for (int attempt = 0; attempt < 2 && cut_off > 0; attempt++)
        cut_off = install(ctx, user, text, len) < 0 ? -1 : is_cut_off(ctx, user, text, len);
    if (cut_off <= 0)
        return cut_off;
    if (install(ctx, user, before->text, before->text_len) < 0
        || is_cut_off(ctx, user, before->text, before->text_len) != 0)
        return rhost_fail(ctx,
                          "crontab installs only a part of what it is given: "
                          "jobs may be missing in the crontab of '%s' now",
                          user);
    return rhost_fail(ctx,
                      "crontab installs only a part of what it is given: "
                      "the crontab of '%s' is what it was before",
                      user);
}

int32_t
crontab_write(rhost_ctx *ctx, const char *user, const struct rhost_lines *l)
{
    struct rhost_lines *now = crontab_read(ctx, user);
    size_t len = 0;
    char *text;
    int32_t result = RHOST_FILE_CHANGED; /* the user has edited it meanwhile */

    if (!now)
        return -1;
    if (now->text_len == l->text_len && memcmp(now->text, l->text, l->text_len) == 0) {
        text = rhost_lines_text(l, &len);
        result = text ? install_whole(ctx, user, text, len, now)
                      : rhost_fail(ctx, "cannot write the crontab of '%s': out of memory", user);
        free(text);
    }
    rhost_lines_free(now);
    return result;
}

static int
is_installed(void)
{
    static const char *const places[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                          "/usr/bin",        "/sbin",          "/bin" };
    char path[64];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s/crontab", places[i]);
        if (access(path, X_OK) == 0)
            return 1;
    }
    return 0;
}

int
crontab_each(rhost_ctx *ctx, int (*visit)(rhost_ctx *ctx, const char *user))
{
    int result = 0, there = is_installed(), missed = 0;
    const char **names = NULL;
    ssize_t n = -1;

    for (size_t i = 0; spools[i] && n < 0; i++) {
        n = rhost_path_list(ctx, spools[i], RHOST_PATH_FOLLOW, &names);
        if (n < 0 && errno != ENOENT && errno != EACCES)
            return rhost_fail_path(ctx, "cannot read '%s'", spools[i]);
    }
    for (ssize_t i = 0; i < n; i++) {
        int is_tab = *names[i] != '.' && getpwnam(names[i]);
        struct stat st;

        missed |= is_tab && !there;
        if (is_tab && crontab_stat(ctx, names[i], &st) == 0 && st.st_size >= LONGEST) {
            rhost_warning(ctx, "the crontab of '%s' is too long, continuing without it", names[i]);
            is_tab = 0; /* its user's doing, which must not fail the list of all */
        }
        if (result == 0 && is_tab && there)
            result = visit(ctx, names[i]);
    }
    if (missed)
        rhost_warning(ctx, "crontab(1) is not installed, ignoring the crontabs of users");
    return result;
}

int
crontab_stat(rhost_ctx *ctx, const char *user, struct stat *st)
{
    for (size_t i = 0; spools[i]; i++) {
        char path[512];

        memset(st, 0, sizeof *st);
        if (snprintf(path, sizeof path, "%s/%s", spools[i], user) < (int)sizeof path
            && rhost_path_stat(ctx, path, 0, st) == 0 && S_ISREG(st->st_mode))
            return 0;
    }
    return -1;
}
