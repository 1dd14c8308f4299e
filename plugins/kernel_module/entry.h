/* SPDX-License-Identifier: Apache-2.0 */
/* entry - what files of modules-load.d(5) and modprobe.d(5) say about one module. */
#ifndef KERNEL_MODULE_ENTRY_H
#define KERNEL_MODULE_ENTRY_H

#include <rhost/lines.h>

enum entry_kind {
    ENTRY_LOAD,      /* NAME: it is loaded at boot */
    ENTRY_BLACKLIST, /* blacklist NAME */
    ENTRY_OPTIONS,   /* options NAME KEY=VALUE ... */
};

/* '-' and '_' are the same in names of modules; in place, the kernel's form. */
void entry_tidy_name(char *name);

int entry_has(rhost_ctx *ctx, const struct rhost_lines *l, enum entry_kind kind, const char *name);

/* Puts the options that the file gives the module into a hash; of two values of one option the last counts.
 * How many statements there are. */
size_t entry_options(rhost_ctx *ctx, const struct rhost_lines *l, const char *name, rhost_value *into);

/* The name of the module that the statement of this kind at line *i is about, in memory of the call, or NULL;
 * *i goes on to the next statement. */
char *entry_next(rhost_ctx *ctx, const struct rhost_lines *l, enum entry_kind kind, size_t *i);

/* Has the file say it once, in the place of what said it, or at the end. `options` is for ENTRY_OPTIONS, a
 * hash of texts. */
void entry_put(rhost_ctx *ctx, struct rhost_lines *l, enum entry_kind kind, const char *name,
               const rhost_value *options);

void entry_remove(rhost_ctx *ctx, struct rhost_lines *l, enum entry_kind kind, const char *name);

#endif
