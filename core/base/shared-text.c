/* SPDX-License-Identifier: Apache-2.0 */
/* shared-text - a large text in memory that several processes see. */
#include "config.h"

#include "base/shared-text.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct rh_shared_text {
    struct rh_shared_text *next;
    char *bytes;
    size_t n;    /* without the NUL */
    size_t uses; /* arenas that keep it, and whoever mapped it */
};

static struct rh_shared_text *all;

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

int
rh_shared_text_write(const char *s, size_t n)
{
    rh_autoclose int fd = memfd_create("rhost-text", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || rh_write_all(fd, s, n) < 0 || rh_write_all(fd, "", 1) < 0
        || fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0)
        return -1;
    return rh_take_fd(&fd);
}

struct rh_shared_text *
rh_shared_text_map(int fd)
{
    struct rh_shared_text *t;
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    char *bytes;

    if (seals < 0 || fstat(fd, &st) < 0)
        return NULL;
    if ((seals & SEALS) != SEALS || st.st_size < 1) {
        errno = EINVAL;
        return NULL;
    }
    bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    t = rh_xalloc(sizeof *t);
    *t = (struct rh_shared_text){ .next = all, .bytes = bytes, .n = (size_t)st.st_size - 1, .uses = 1 };
    all = t;
    return t;
}

void
rh_shared_text_release(struct rh_shared_text *t)
{
    struct rh_shared_text **at = &all;

    if (--t->uses)
        return;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    (void)munmap(t->bytes, t->n + 1);
    free(t);
}

const char *
rh_shared_text_bytes(const struct rh_shared_text *t, size_t *n)
{
    *n = t->n;
    return t->bytes;
}

static void
release(void *t)
{
    rh_shared_text_release(t);
}

void
rh_shared_text_keep(struct rh_shared_text *t, struct rh_arena *a)
{
    t->uses++;
    rh_arena_defer(a, release, t);
}

bool
rh_shared_text_keep_at(const char *s, struct rh_arena *a)
{
    struct rh_shared_text *t = all;

    while (t && t->bytes != s)
        t = t->next;
    if (t)
        rh_shared_text_keep(t, a);
    return t != NULL;
}
