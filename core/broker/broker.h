/* SPDX-License-Identifier: Apache-2.0 */
/* broker - hints and reports over NATS. The broker keeps nothing: a hint that is lost is made up for by the
 * interval of the agent, and a report stays in the spool of its machine until who takes it has it on disk.
 *
 * Subjects: rhost.hint, to all agents; rhost.report.NAME, a request with a report of the machine NAME, whose
 * header Rhost-Run has the id of the run. The reply is "+OK", or "-" and a reason. */
#ifndef RH_BROKER_BROKER_H
#define RH_BROKER_BROKER_H

#define RH_BROKER_HINT "rhost.hint"
#define RH_BROKER_REPORT "rhost.report."
#define RH_BROKER_RUN "Rhost-Run"

struct rh_fetch_parts;

/* How the broker is reached, by whoever is no agent. */
struct rh_broker_address {
    const char *url;                    /* tls://HOST:PORT, or nats:// to this machine */
    const char *ca, *certificate, *key; /* files; or NULL */
};

/* put.c: sends a report for the agent, which waits for the answer on standard input. The exit status. */
int rh_broker_put(const struct rh_fetch_parts *r);

/* hint.c */

/* Hands on to the agent that a hint came, until the agent ends. The exit status. */
int rh_broker_listen(const struct rh_fetch_parts *r);

/* Sends one hint. -1 after a message. */
int rh_broker_hint(const struct rh_broker_address *b);

/* receive.c: puts the reports that come into a folder, DIRECTORY/NAME/RUN.json, until a signal ends it. -1
 * after a message. */
int rh_broker_receive(const struct rh_broker_address *b, const char *directory);

#endif
