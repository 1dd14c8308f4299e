/* SPDX-License-Identifier: Apache-2.0 */
/* options - mount options as a list: split, joined, compared, and held against what the kernel shows. */
#ifndef MOUNT_OPTIONS_H
#define MOUNT_OPTIONS_H

#include <rhost/provider.h>

struct options {
    const char **at;
    size_t n;
};

/* From "a,b=\"x,y\"", without "defaults" and empty ones unless there is nothing else; of NULL that is
 * "defaults" alone. In memory of the call. */
struct options options_split(rhost_ctx *ctx, const char *text);

/* From a value: an array or a string. */
struct options options_of(rhost_ctx *ctx, const rhost_value *v);

/* "a,b"; with `first` in front of it, which may be NULL. */
const char *options_text(rhost_ctx *ctx, const struct options *o, const char *first);

void options_report(const struct options *o, rhost_value *into);

int options_have(const struct options *o, const char *name);

/* The same ones, in any order. */
int options_are(const struct options *a, const struct options *b);

/* The first of `wanted` that the kernel, which shows `now`, does not heed; NULL: none. Only flags that
 * every file system has, and what tmpfs says of itself, can be told. */
const char *options_unheeded(const struct options *wanted, const struct options *now);

/* What takes back the flags of `now` that `wanted` does not have: "suid,exec"; NULL: none to take back. */
const char *options_taken_back(rhost_ctx *ctx, const struct options *was, const struct options *wanted);

/* Whether the kernel is sure to change from one to the other while it is mounted: they differ only in flags
 * that every file system has. */
int options_differ_in_flags(const struct options *a, const struct options *b);

/* Without those that say where a file system is (loop, offset=), and with `access`, which is ro or rw: for
 * one more mount of a device. */
struct options options_for_twin(rhost_ctx *ctx, const struct options *o, const char *access);

/* With those of `wanted` that say where it is. */
struct options options_with_source(rhost_ctx *ctx, const struct options *o, const struct options *wanted);

#endif
