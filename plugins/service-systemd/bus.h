/* SPDX-License-Identifier: Apache-2.0 */
/* bus - a connection to systemd, and what is asked of it. */
#ifndef SERVICE_SYSTEMD_BUS_H
#define SERVICE_SYSTEMD_BUS_H

#include "names.h"
#include "unit.h"

#include <systemd/sd-bus.h>

#define BUS_NAME "org.freedesktop.systemd1"
#define BUS_PATH "/org/freedesktop/systemd1"
#define BUS_MANAGER "org.freedesktop.systemd1.Manager"
#define BUS_UNIT "org.freedesktop.systemd1.Unit"

/* NULL when systemd runs here as the first process, or why it can't be reached. */
const char *bus_why_not(void);

/* Connects: as root to systemd itself, so that no message bus is needed; else by the system's bus. NULL
 * after the reason was given. A connection lives as long as a callback. */
sd_bus *bus_open(rhost_ctx *ctx);
void bus_close(sd_bus *bus);

/* What went wrong in words, in memory of the call. */
const char *bus_reason(rhost_ctx *ctx, const sd_bus_error *error, int result);

/* Has systemd read its unit files anew. -1 after the reason was given. */
int bus_reload(rhost_ctx *ctx, sd_bus *bus);

/* How units are: `names` are full and n of them. One question for all, and one more for each about its
 * file. -1 after the reason was given. */
int bus_units(rhost_ctx *ctx, sd_bus *bus, const char *const *names, size_t n, struct unit *units);

/* Tells each unit that is loaded or has a file and whose name ends like this ("*.service"). */
int bus_each(rhost_ctx *ctx, sd_bus *bus, const char *pattern,
             int (*visit)(rhost_ctx *ctx, const struct unit *unit));

/* One property of a unit as text, in memory of the call; "" when it has no such. */
const char *bus_property(rhost_ctx *ctx, sd_bus *bus, const char *unit, const char *interface,
                         const char *property);
int bus_flag(sd_bus *bus, const char *unit, const char *property);

/* Enable, disable, mask or unmask: `method` of Manager. `force` -1: the method has none. Returns what
 * sd_bus_call() does. */
int bus_files(sd_bus *bus, const char *method, const char *const *names, int runtime, int force,
              sd_bus_error *error);

/* The object of a unit, in memory of the call; NULL for what can't be one. */
char *bus_object(rhost_ctx *ctx, const char *unit);

/* The name of a unit file that is most like this one; NULL: none is. */
const char *bus_suggest(rhost_ctx *ctx, sd_bus *bus, const char *name);

#endif
