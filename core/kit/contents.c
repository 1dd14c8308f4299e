/* SPDX-License-Identifier: Apache-2.0 */
/* contents - the files of a kit, in memory. */
#include "config.h"

#include "kit/contents.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"

#include <rhost/sha256.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGEST = 256 << 20 };

struct rh_content *
rh_contents_get(struct rh_contents *c, const char *path)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].path, path) == 0)
            return &c->v[i];
    return NULL;
}

struct rh_content *
rh_contents_add(struct rh_contents *c, const char *path, char *bytes, size_t n, bool program)
{
    struct rhost_sha256 sum;
    struct rh_content *new;

    c->v = rh_xgrow(c->v, &c->cap, c->n, sizeof *c->v);
    new = &c->v[c->n++];
    *new = (struct rh_content){ .path = rh_xstrdup(path), .bytes = bytes, .n = n, .program = program };
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, bytes, n);
    rhost_sha256_hex(&sum, new->sum);
    return new;
}

int
rh_contents_open(const struct rh_contents *c, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK),
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };

    if (c->root < 0)
        return open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    return (int)syscall(SYS_openat2, c->root, path, &how, sizeof how);
}

char *
rh_contents_text(const struct rh_contents *c, const char *path, size_t *n, struct rh_error *err)
{
    rh_autoclose int fd = rh_contents_open(c, path, O_RDONLY);

    if (fd < 0) {
        rh_error_system(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    return rh_read_descriptor(fd, path, LARGEST, n, err);
}

int
rh_contents_read(struct rh_contents *c, const char *path, const char *from, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *bytes = rh_contents_text(c, from, &n, err);
    rh_autoelf struct rh_elf elf = { 0 };
    struct rh_content *new;

    if (!bytes || rh_elf_read(&elf, bytes, n, from, err) < 0)
        return -1;
    if (c->arch && strcmp(c->arch, elf.arch) != 0)
        return 1;
    c->arch = elf.arch;
    n = rh_elf_strip(bytes, n, elf.loaded);
    new = rh_contents_add(c, path, rh_take(&bytes), n, true);
    new->from = rh_xstrdup(from);
    new->elf = elf;
    elf = (struct rh_elf){ 0 };
    return 0;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(((const struct rh_content *)a)->path, ((const struct rh_content *)b)->path);
}

void
rh_contents_sort(struct rh_contents *c)
{
    if (c->n)
        qsort(c->v, c->n, sizeof *c->v, compare);
}

void
rh_contents_clear(struct rh_contents *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->v[i].path);
        free(c->v[i].from);
        free(c->v[i].bytes);
        rh_elf_clear(&c->v[i].elf);
    }
    free(c->v);
    if (c->root >= 0)
        (void)close(c->root);
    *c = (struct rh_contents){ .root = -1 };
}
