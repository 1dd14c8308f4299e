/* SPDX-License-Identifier: Apache-2.0 */
/* pip - runs pip in an environment, and makes environments. */
#ifndef PIP_PACKAGE_PIP_H
#define PIP_PACKAGE_PIP_H

#include "environment.h"

#define PIP_PYTHON "/usr/bin/python3"

/* Makes the environment where it is not there, and makes a half-made one whole. 0; or -1 with the reason
 * given. */
int32_t pip_make_environment(struct environment *e);

/* Installs what `requirement` says, as pip reads it. `broken`: over what is there. The same answers. */
int32_t pip_install(const struct environment *e, const char *requirement, int broken);

int32_t pip_uninstall(const struct environment *e, const char *name);

/* Whether pip may change the environment: it is there, and no distribution manages it. The same answers. */
int32_t pip_check(const struct environment *e);

#endif
