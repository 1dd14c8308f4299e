/* SPDX-License-Identifier: Apache-2.0 */
/* parsed - records of large files, kept from one run to the next.
 *
 * A file is named after the SHA-256 of the text that it is about, so that a text that has changed has another
 * one. It has a line with the version of rhost, eight bytes that sum up what follows, and the record. */
#include "config.h"

#include "manifest/load/parsed.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <rhost/sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char head[] = "rhost-parsed 1 " PACKAGE_VERSION "\n";

enum { HEAD = sizeof head - 1, SUM = 8, NAME = 64 };

/* Whether the disk has kept what was written. No defence is needed against others: only this user, or root,
 * can write here. */
static uint64_t
sum_of(const char *bytes, size_t n)
{
    uint64_t sum = n, word;

    for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; n; n--)
        sum = (sum ^ (unsigned char)*bytes++) * UINT64_C(0x100000001b3);
    return sum;
}

/* As root we believe only what root wrote: the record decides what manifests mean. */
static bool
is_ours(const struct stat *st, mode_t kind)
{
    return (st->st_mode & S_IFMT) == kind && st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* The record is checked when it is used. */
static void
find_record(struct rh_parsed *p)
{
    rh_autoerror struct rh_error err = { 0 };
    struct stat st;
    uint64_t sum;
    size_t n;

    if (lstat(p->path, &st) < 0 || !is_ours(&st, S_IFREG))
        return;
    p->bytes = rh_read_kept_file(p->path, RH_PARSED_LARGEST, &n, &err);
    if (!p->bytes) {
        rh_debug("leaving a record of a manifest alone: %s", err.message);
        return;
    }
    if (n < HEAD + SUM || memcmp(p->bytes, head, HEAD) != 0)
        return;
    memcpy(&sum, p->bytes + HEAD, SUM);
    if (sum != sum_of(p->bytes + HEAD + SUM, n - HEAD - SUM)) {
        rh_debug("the record '%s' is damaged, and is made again", p->path);
        return;
    }
    p->record.known = p->bytes + HEAD + SUM;
    p->record.n_known = n - HEAD - SUM;
}

void
rh_parsed_open(struct rh_parsed *p, const char *directory, const char *text, size_t n)
{
    struct rhost_sha256 digest;
    char name[NAME + 1];
    struct stat st;

    *p = (struct rh_parsed){ 0 };
    if (!directory || n < RH_PARSED_SMALLEST || (lstat(directory, &st) == 0 && !is_ours(&st, S_IFDIR)))
        return;
    rhost_sha256_init(&digest);
    rhost_sha256_add(&digest, text, n);
    rhost_sha256_hex(&digest, name);
    p->path = rh_printf("%s/%s", directory, name);
    find_record(p);
}

struct rh_yaml_record *
rh_parsed_record(struct rh_parsed *p)
{
    return p->path ? &p->record : NULL;
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

/* Removes the oldest ones, and temporary files that killed runs left. */
static void
remove_oldest(const char *directory)
{
    DIR *dir = opendir(directory);
    rh_autofree struct kept *kept = NULL;
    size_t n = 0, cap = 0;
    off_t bytes = 0;

    for (const struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;

        if (*e->d_name == '.' || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (strlen(e->d_name) != NAME) {
            if (st.st_mtim.tv_sec < time(NULL) - 3600)
                (void)unlinkat(dirfd(dir), e->d_name, 0);
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
            (void)unlinkat(dirfd(dir), kept[i].name, 0);
    }
    if (dir)
        (void)closedir(dir);
}

static void
keep(const struct rh_parsed *p)
{
    rh_autofree char *directory = rh_xstrndup(p->path, (size_t)(strrchr(p->path, '/') - p->path));
    uint64_t sum = sum_of(p->record.made.s, p->record.made.n);
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_addn(&b, head, HEAD);
    rh_buf_addn(&b, &sum, SUM);
    rh_buf_addn(&b, p->record.made.s, p->record.made.n);
    if (b.n > RH_PARSED_LARGEST)
        return;
    if (rh_make_directory(directory, 0700, &err) < 0 || rh_replace_file(p->path, b.s, b.n, 0600, &err) < 0)
        rh_debug("cannot keep the record of a manifest: %s", err.message);
    else
        remove_oldest(directory);
}

void
rh_parsed_close(struct rh_parsed *p)
{
    if (p->record.made.n)
        keep(p);
    rh_buf_clear(&p->record.made);
    free(p->path);
    free(p->bytes);
}
