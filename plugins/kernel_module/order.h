/* SPDX-License-Identifier: Apache-2.0 */
/* order - the files of modules-load.d(5) and modprobe.d(5) that count, beside the one that is managed. */
#ifndef KERNEL_MODULE_ORDER_H
#define KERNEL_MODULE_ORDER_H

#include "entry.h"

/* A file other than `target` that has an entry of this kind for the module, in memory of the call. Only files
 * that are read together with `target` count: none, where that is in another directory than those of the
 * system. 0, with *path or NULL; -1 after the reason was given. */
int order_other(rhost_ctx *ctx, const char *target, enum entry_kind kind, const char *name,
                const char **path);

/* A file that is read after `target` and gives one of these options another value. As above; *key is the
 * option. */
int order_overridden(rhost_ctx *ctx, const char *target, const char *name, const rhost_value *options,
                     const char **path, const char **key);

/* Visits the name of each module that has an entry of this kind in a file of the system; perhaps several
 * times. */
int order_each(rhost_ctx *ctx, enum entry_kind kind,
               int (*visit)(rhost_ctx *ctx, const char *name, void *data), void *data);

#endif
