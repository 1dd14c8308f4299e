/* SPDX-License-Identifier: Apache-2.0 */
/* elf - which symbols a shared object exports, read from the file: nothing of it runs. */
#ifndef RH_CHECK_ELF_H
#define RH_CHECK_ELF_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* A list of their names; NULL when the file can't be read as a shared object of this machine. */
RH_CHECKED struct rh_value *rh_elf_exports(struct rh_arena *a, const char *path, struct rh_error *err);

/* alloc-hook.c: memory that a plugin asks for, and does not get.
 *
 * The calls of malloc() and its like in all shared objects of this process are led here: those of the
 * C library as well, so that strdup(), fopen() or getline() fail like the rest. Who asked is found by
 * walking up the stack: what the host allocates, also while the plugin calls it, is left alone. */

/* Once the plugin of this path was loaded; false where it can't be done. For good. */
bool rh_alloc_hook(const char *plugin);

/* Which of the plugin's allocations from now on fails, counted from 1, and whether all behind it do. 0:
 * none does. They are counted until the next call, which returns how many there were. */
uint64_t rh_alloc_fail(uint64_t at, bool all_behind);

/* Neither counts nor lets fail, or does again. */
void rh_alloc_pause(bool paused);

#endif
