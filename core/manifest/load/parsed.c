/* SPDX-License-Identifier: Apache-2.0 */
/* parsed - records of large files, kept from one run to the next.
 *
 * A file is named after a digest of the text that it is about (BLAKE2b, or SHA-256 in a build without
 * libsodium), so that a text that has changed has another one. It has a line with the versions of rhost and
 * libyaml, eight bytes that sum up what follows, and the record. The directory is opened once, by the safe
 * walk; all else is done by its descriptor. */
#include "config.h"

#include "manifest/load/parsed.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/safe-path.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#if HAVE_SODIUM
#include <sodium.h>
#else
#include <rhost/sha256.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <yaml.h>

enum { SUM = 8, NAME = 64, BESIDE = 6, LEFTOVER_SECONDS = 3600 };

static const char digits[] = "0123456789abcdef";

/* What is in another format, or of another parser, is not believed. */
static char *
head_of_record(void)
{
    return rh_printf("rhost-parsed 2 " PACKAGE_VERSION " libyaml %s\n", yaml_get_version_string());
}

/* As root we believe only what root wrote: the record decides what manifests mean. */
static bool
is_ours(int fd, mode_t kind)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid()
           && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* -1 with errno 0: it is there, and is not ours alone. */
static int
open_directory(const char *path)
{
    rh_autofree char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    rh_autofree char *absolute = here ? rh_printf("%s/%s", here, path) : rh_xstrdup(path);
    struct rh_unsafe unsafe;
    int fd = rh_safe_open(absolute, false, O_RDONLY | O_DIRECTORY, 0, &unsafe);

    if (fd >= 0 && is_ours(fd, S_IFDIR))
        return fd;
    if (fd >= 0)
        (void)close(fd);
    if (fd >= 0 || errno != ENOENT)
        errno = 0;
    return -1;
}

#if HAVE_SODIUM

/* It takes a fifth of the time of SHA-256. */
static bool
name_after(char name[NAME + 1], const char *text, size_t n)
{
    unsigned char digest[NAME / 2];

    return sodium_init() >= 0
           && crypto_generichash(digest, sizeof digest, (const unsigned char *)text, n, NULL, 0) == 0
           && sodium_bin2hex(name, NAME + 1, digest, sizeof digest);
}

#else

static bool
name_after(char name[NAME + 1], const char *text, size_t n)
{
    struct rhost_sha256 digest;

    rhost_sha256_init(&digest);
    rhost_sha256_add(&digest, text, n);
    rhost_sha256_hex(&digest, name);
    return true;
}

#endif

/* The record is checked when it is used. */
static void
find_record(struct rh_parsed *p)
{
    rh_autofree char *head = head_of_record();
    size_t start = strlen(head) + SUM, n;
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int fd = openat(p->fd, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    uint64_t sum;

    if (fd < 0 || !is_ours(fd, S_IFREG))
        return;
    p->bytes = rh_read_descriptor(fd, "the record of a manifest", RH_PARSED_LARGEST, &n, &err);
    if (!p->bytes) {
        rh_debug("leaving the record of a manifest alone: %s", err.message);
        return;
    }
    if (n < start || memcmp(p->bytes, head, start - SUM) != 0)
        return;
    memcpy(&sum, p->bytes + start - SUM, SUM);
    if (sum != rh_checksum(p->bytes + start, n - start)) {
        rh_debug("the record of a manifest is damaged, and is made again");
        return;
    }
    p->record.known = p->bytes + start;
    p->record.n_known = n - start;
}

void
rh_parsed_open(struct rh_parsed *p, const char *directory, const char *text, size_t n)
{
    *p = (struct rh_parsed){ .fd = -1 };
    if (!directory || n < RH_PARSED_SMALLEST || !name_after(p->name, text, n))
        return;
    p->fd = open_directory(directory);
    if (p->fd < 0 && errno != ENOENT)
        return;
    p->directory = directory;
    if (p->fd >= 0)
        find_record(p);
}

struct rh_yaml_record *
rh_parsed_record(struct rh_parsed *p)
{
    return p->directory ? &p->record : NULL;
}

struct kept {
    struct timespec when;
    off_t size;
    char name[NAME + 1];
};

static int
newest_first(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;

    if (x->when.tv_sec != y->when.tv_sec)
        return x->when.tv_sec < y->when.tv_sec ? 1 : -1;
    return (x->when.tv_nsec < y->when.tv_nsec) - (x->when.tv_nsec > y->when.tv_nsec);
}

/* A name that only a record has, or the file beside it that becomes one. */
static bool
is_record(const char *name, bool *beside)
{
    size_t n = strlen(name);

    *beside = n == NAME + 1 + BESIDE;
    return strspn(name, digits) == NAME
           && (n == NAME || (*beside && name[NAME] == '.' && strspn(name + NAME + 1, digits) == BESIDE));
}

/* Removes the oldest records, and what killed runs left. */
static void
remove_oldest(int fd)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    rh_autofree struct kept *kept = NULL;
    size_t n = 0, cap = 0;
    off_t bytes = 0;

    for (const struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        bool beside;

        if (!is_record(e->d_name, &beside) || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0
            || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
            continue;
        if (beside) {
            if (st.st_mtim.tv_sec < time(NULL) - LEFTOVER_SECONDS)
                (void)unlinkat(fd, e->d_name, 0);
            continue;
        }
        kept = rh_xgrow(kept, &cap, n, sizeof *kept);
        kept[n] = (struct kept){ .when = st.st_mtim, .size = st.st_size };
        memcpy(kept[n++].name, e->d_name, NAME + 1);
    }
    if (n)
        qsort(kept, n, sizeof *kept, newest_first);
    for (size_t i = 0; i < n; i++) {
        bytes += kept[i].size;
        if (i >= RH_PARSED_MOST || bytes > RH_PARSED_LARGEST)
            (void)unlinkat(fd, kept[i].name, 0);
    }
    if (dir)
        (void)closedir(dir);
    else if (again >= 0)
        (void)close(again);
}

/* Whole, or not at all. Nothing waits for the disk: a record that a power cut has damaged is made again. */
static int
write_record(const struct rh_parsed *p, const struct rh_buf *b)
{
    unsigned char random[BESIDE];
    char beside[NAME + 1 + BESIDE + 1];
    rh_autoclose int fd = -1;

    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -1;
    memcpy(beside, p->name, NAME);
    beside[NAME] = '.';
    for (unsigned i = 0; i < BESIDE; i++)
        beside[NAME + 1 + i] = digits[random[i] & 15];
    beside[sizeof beside - 1] = '\0';
    fd = openat(p->fd, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (rh_write_all(fd, b->s, b->n) == 0 && renameat(p->fd, beside, p->fd, p->name) == 0)
        return 0;
    (void)unlinkat(p->fd, beside, 0);
    return -1;
}

static void
keep(struct rh_parsed *p)
{
    uint64_t sum = rh_checksum(p->record.made.s, p->record.made.n);
    rh_autofree char *head = head_of_record();
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_add(&b, head);
    rh_buf_addn(&b, &sum, SUM);
    rh_buf_addn(&b, p->record.made.s, p->record.made.n);
    if (b.n > RH_PARSED_LARGEST)
        return;
    if (p->fd < 0 && rh_make_directory(p->directory, 0700, &err) == 0)
        p->fd = open_directory(p->directory);
    if (p->fd < 0 || write_record(p, &b) < 0)
        rh_debug("cannot keep the record of a manifest");
    else
        remove_oldest(p->fd);
}

void
rh_parsed_close(struct rh_parsed *p)
{
    if (p->record.made.n)
        keep(p);
    rh_buf_clear(&p->record.made);
    if (p->fd >= 0)
        (void)close(p->fd);
    free(p->bytes);
}
