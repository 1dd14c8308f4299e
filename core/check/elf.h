/* SPDX-License-Identifier: Apache-2.0 */
/* elf - which symbols a shared object exports, read from the file: nothing of it runs. */
#ifndef RH_CHECK_ELF_H
#define RH_CHECK_ELF_H

struct rh_arena;
struct rh_error;
struct rh_value;

/* A list of their names; NULL when the file can't be read as a shared object of this machine. */
struct rh_value *rh_elf_exports(struct rh_arena *a, const char *path, struct rh_error *err);

#endif
