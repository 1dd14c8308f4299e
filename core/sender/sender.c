/* SPDX-License-Identifier: Apache-2.0 */
/* sender - the input of programs that send something, files with secrets, and complaints. */
#include "config.h"

#include "sender/sender.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
rh_sender_complain(const char *fmt, ...)
{
    va_list ap;

    (void)fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
}

bool
rh_sender_add(struct rh_sender_text *t, const void *p, size_t n)
{
    if (t->cap - t->n <= n) {
        size_t cap = (t->cap + n) * 2 + 4096;
        char *s = realloc(t->s, cap);

        if (!s)
            return false;
        t->s = s;
        t->cap = cap;
    }
    memcpy(t->s + t->n, p, n);
    t->n += n;
    t->s[t->n] = '\0';
    return true;
}

bool
rh_sender_read_input(struct rh_sender_text *t, const char *what, size_t most)
{
    char part[16 << 10];
    ssize_t n;

    while ((n = read(STDIN_FILENO, part, sizeof part)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || !rh_sender_add(t, part, (size_t)n)) {
            rh_sender_complain("cannot read %s: %s", what, strerror(errno));
            return false;
        }
        if (t->n > most) {
            rh_sender_complain("cannot send %s: it has more than %zu MiB", what, most >> 20);
            return false;
        }
    }
    return rh_sender_add(t, "", 0);
}

bool
rh_sender_add_header(struct curl_slist **list, const char *header)
{
    struct curl_slist *more = curl_slist_append(*list, header);

    if (more)
        *list = more;
    return more;
}

FILE *
rh_sender_open_secret(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    FILE *f;

    if (fd < 0 && errno == ENOENT)
        return NULL;
    if (fd < 0 || fstat(fd, &st) < 0)
        rh_sender_complain("cannot open '%s': %s", path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        rh_sender_complain("'%s' is not a regular file", path);
    else if (st.st_uid != 0 && st.st_uid != geteuid())
        rh_sender_complain("'%s' belongs to another user", path);
    else if (st.st_mode & (S_IRWXG | S_IRWXO))
        rh_sender_complain("other users have access to '%s', which may have a secret: its mode must be 0600",
                           path);
    else if ((f = fdopen(fd, "r")))
        return f;
    else
        rh_sender_complain("cannot read '%s': %s", path, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    errno = 0;
    return NULL;
}
