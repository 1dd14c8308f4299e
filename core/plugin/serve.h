/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the process that a plugin is loaded into. */
#ifndef RH_PLUGIN_SERVE_H
#define RH_PLUGIN_SERVE_H

struct rh_shared;

/* Serves the host on RH_WORKER_CHANNEL (plugin/spawn.h) until it is let go. `broker` is the socket that leads
 * to the broker. Returns the exit status of the process. */
int rh_worker_serve(struct rh_shared *shared, int broker);

#endif
