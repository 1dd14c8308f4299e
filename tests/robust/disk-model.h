/* SPDX-License-Identifier: Apache-2.0 */
/* disk-model - what a disk may have when the power goes.
 *
 * It is told each change and each sync, in their order. What was synced is there; anything else may be
 * there or not, in any combination: a rename without the bytes of the file, a later change without an
 * earlier one. A file's bytes may also be there in part, or be zeros. It is stricter than ext4, which
 * keeps changes of names in their order: files and state may be on two file systems, so syncfs() of
 * one says nothing about the other, and a new name is only safe when its directory was synced. */
#ifndef TESTS_ROBUST_DISK_MODEL_H
#define TESTS_ROBUST_DISK_MODEL_H

#include "tree-copy.h"

#include <stdint.h>

struct disk;

/* Begins with the tree, all of it on disk, as it is laid out at top. */
struct disk *disk_new(const struct tree *base, const char *top);
void disk_free(struct disk *d);

/* What has happened. Paths are absolute, and those that are not below top are left out of account.
 * The first finds out about the file by looking at it, so it comes right after the call. */
void disk_written(struct disk *d, const char *look); /* look: any path to the file, like /proc/PID/fd/3 */
void disk_named(struct disk *d, const char *path);   /* created, linked, made a directory or a link */
void disk_dressed(struct disk *d, const char *look); /* its mode changed; that is on disk at once */
void disk_moved(struct disk *d, const char *from, const char *to);
void disk_removed(struct disk *d, const char *path);

/* `visit` sees each state that is legal now, at most `limit` of them; all where there are no more than
 * that, otherwise the extreme ones and a random choice. Call it before each sync, and at the end. */
size_t disk_states(struct disk *d, size_t limit, void (*visit)(void *data, const struct tree *state),
                   void *data);

void disk_sync_file(struct disk *d, const char *look, const char *path);
void disk_sync_file_system(struct disk *d, const char *path); /* NULL: all of them */

/* The newest content of a file, synced or not; NULL when nothing of it is known. */
const char *disk_newest(struct disk *d, const char *relative, size_t *size);

#endif
