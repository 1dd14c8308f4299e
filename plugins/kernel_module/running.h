/* SPDX-License-Identifier: Apache-2.0 */
/* running - modules of the running kernel, which modprobe(8) loads and unloads. */
#ifndef KERNEL_MODULE_RUNNING_H
#define KERNEL_MODULE_RUNNING_H

#include <rhost/provider.h>

#include <sys/types.h>

enum running_state {
    RUNNING_NOT,
    RUNNING_LOADED,
    RUNNING_BUILT_IN, /* part of the kernel itself: it cannot be unloaded */
};

/* enum running_state, or -1 after the reason was given. */
int running_state(rhost_ctx *ctx, const char *name);

/* The names of all loaded modules, sorted; how many, or -1 after the reason was given. */
ssize_t running_list(rhost_ctx *ctx, const char ***names);

/* 1: modprobe knows the module, 0: it does not; -1 after the reason was given. Changes nothing. */
int running_known(rhost_ctx *ctx, const char *name);

/* Loads it with these options (a hash of texts, or NULL), beside those of modprobe.d. */
int32_t running_load(rhost_ctx *ctx, const char *name, const rhost_value *options);

int32_t running_unload(rhost_ctx *ctx, const char *name);

#endif
