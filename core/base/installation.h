/* SPDX-License-Identifier: Apache-2.0 */
/* installation - where the programs, plugins and directories of this rhost are: where it was installed, in a
 * build tree, or in a directory that a kit was unpacked to.
 *
 * A program of a kit is started by a dynamic loader, which is given the directories of libraries: no
 * environment variable says them, so that what rhost starts gets the libraries of the machine. */
#ifndef RH_BASE_INSTALLATION_H
#define RH_BASE_INSTALLATION_H

#include "base/cleanup.h"

#include <stdbool.h>

/* This process was started from the kit in `dir`, an absolute path, by this loader (NULL where it starts no
 * program of the kit). Both texts stay the caller's and are used from now on; `name` is what ps(1) shows. */
void rh_installation_use_kit(const char *dir, const char *loader, const char *name);

/* Whether a kit can be used from this directory: the loader reads some characters as separators. */
bool rh_installation_is_kit_path(const char *dir);

/* The directory of the kit; NULL: there is none. */
const char *rh_installation_kit(void);

/* The file of a program of rhost's own, "rhost-worker" for example: beside this program, else where such
 * programs are installed. The text is the caller's. */
char *rh_installation_program(const char *name);

/* What starts this rhost again, also when it was replaced meanwhile. The text is the caller's. */
char *rh_own_program(void);

/* The file of this program, for reading. The text is the caller's. */
char *rh_own_file(void);

enum { RH_LOADER_ARGUMENTS = 3 };

/* The arguments before the file that start a program of rhost's own: 0, or in a kit RH_LOADER_ARGUMENTS. Each
 * is the caller's. */
size_t rh_installation_loader(char *argv[RH_LOADER_ARGUMENTS]);

/* Static, or of the kit: where plugins are installed, the state directory of root, the directory for its
 * caches. */
const char *rh_installation_plugins(void);
const char *rh_installation_state(void);
const char *rh_installation_cache(void);

#endif
