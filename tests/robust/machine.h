/* SPDX-License-Identifier: Apache-2.0 */
/* machine - packages, repositories, units and crontabs that a scenario changes, by way of programs that take
 * the place of the real ones (stand-in).
 *
 * The directories that providers know by fixed paths lie below the scenario's files/, where symbolic links in
 * mounts of this process alone lead to. */
#ifndef TESTS_ROBUST_MACHINE_H
#define TESTS_ROBUST_MACHINE_H

#include "tree-copy.h"

#include <stdio.h>

/* `stand_in` is the script. Ends the program when that fails. */
void machine_open(const char *top, const char *stand_in);
void machine_close(const char *top);

/* What is there before the first manifest. */
void machine_lay_out(const char *top);

/* The resources of the first or second manifest. The second notifies exec a, b and e. */
void machine_write_manifest(FILE *f, const char *top, int version);

#endif
