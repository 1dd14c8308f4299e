/* SPDX-License-Identifier: Apache-2.0 */
/* connection - a connection to the broker, by libnats. */
#ifndef RH_BROKER_CONNECTION_H
#define RH_BROKER_CONNECTION_H

#include <nats/nats.h>

#include <stdbool.h>

struct rh_broker_address;
struct rh_fetch_parts;

/* Each returns NULL with a reason in static memory. TLS is required where the URL has tls://, and the name of
 * the server is checked. `inbox`: where replies go to, so that no other machine may read them; or NULL. */
natsConnection *rh_connection_of_agent(const struct rh_fetch_parts *r, const char *inbox, const char **why);
natsConnection *rh_connection_open(const struct rh_broker_address *b, const char **why);

/* Where the path of "tls://HOST:PORT/NAME/RUN.json" begins, behind its slash; "" where it has none. */
const char *rh_connection_path(const char *url);

void rh_connection_close(natsConnection *c);

#endif
