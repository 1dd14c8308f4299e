/* SPDX-License-Identifier: Apache-2.0 */
/* seeded - what the parts of the provider seeded share. */
#ifndef RH_TEST_SEEDED_H
#define RH_TEST_SEEDED_H

#include <rhost/provider.h>

#include <sys/types.h>

/* Whether FAULT_SEED names this fault. */
int seeded_has(const char *fault);

/* seeded-uses.c: what it declares, with the faults of that: former names of attributes, and needs. */
void seeded_declare(struct rhost_provider *provider, struct rhost_attr *value, struct rhost_attr *note);

/* Uses of the machine that are not declared, while the file at `path` is written. */
void seeded_use(rhost_ctx *ctx, const char *path);

/* seeded-save.c: writes a file in place, whatever comes of it. */
void seeded_write(const char *path, const char *text, mode_t mode);

/* Writes a file and gives it this name: 0, or -1 with the reason given. */
int seeded_save(rhost_ctx *ctx, const char *path, const char *text);

/* Work that takes long: 0 when it is to be left undone. */
int seeded_work(rhost_ctx *ctx, const struct rhost_change *change);

#endif
