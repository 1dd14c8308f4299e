/* SPDX-License-Identifier: Apache-2.0 */
/* elf - what a program or shared library of any architecture needs, read from its bytes: nothing of it runs.
 */
#ifndef RH_KIT_ELF_H
#define RH_KIT_ELF_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

struct rh_elf_words {
    char **v;
    size_t n, cap;
};

struct rh_elf {
    const char *arch;           /* as rh_kit_arch() names it; static */
    char *interpreter;          /* the dynamic loader that it names; or NULL */
    struct rh_elf_words needed; /* libraries */
    struct rh_elf_words paths;  /* where to look for them first, with $ORIGIN in them */
    unsigned glibc[3];          /* the newest version of the C library's interface that it uses */
    bool private_glibc;         /* it uses what only the very same C library has */
    size_t loaded; /* bytes from the start that the loader reads; the rest has debug information, or 0 */
};

/* -1 with an error when it is not an ELF file that a kit can have; `name` is for messages. */
RH_CHECKED int rh_elf_read(struct rh_elf *elf, char *bytes, size_t n, const char *name, struct rh_error *err);
void rh_elf_clear(struct rh_elf *elf);

/* Leaves out of the bytes what the loader does not read, in place; returns how many are left. `loaded` is of
 * rh_elf_read(). */
size_t rh_elf_strip(char *bytes, size_t n, size_t loaded);

#define rh_autoelf __attribute__((cleanup(rh_elf_clear)))

#endif
