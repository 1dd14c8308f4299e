/* SPDX-License-Identifier: Apache-2.0 */
/* remove-tree - removing a directory of ours with all that is in it. */
#include "config.h"

#include "base/io.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

enum { DESCRIPTORS = 16 };

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    (void)remove(path);
    return 0;
}

void
rh_remove_tree(const char *path)
{
    (void)nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
