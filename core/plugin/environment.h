/* SPDX-License-Identifier: Apache-2.0 */
/* environment - the environment variables that a worker gets. */
#ifndef RH_PLUGIN_ENVIRONMENT_H
#define RH_PLUGIN_ENVIRONMENT_H

/* NULL-terminated; the array is the caller's, the strings stay those of the environment. */
char **rh_worker_environment(void);

#endif
