/* SPDX-License-Identifier: Apache-2.0 */
/* connection - a connection to the broker, by libnats. */
#include "config.h"

#include "broker/connection.h"

#include "agent/fetch-request.h"
#include "broker/broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT = 10000 /* ms */, LONGEST_URL = 500, PING = 20000 /* ms */ };

const char *
rh_connection_path(const char *url)
{
    const char *host = strstr(url, "://"), *slash = host ? strchr(host + 3, '/') : NULL;

    return slash ? slash + 1 : "";
}

/* Texts of PEM, or files; each may be NULL. */
struct identity {
    const char *ca, *certificate, *key;
    bool files;
    const char *inbox; /* where replies go to; or NULL */
};

static natsStatus
set_identity(natsOptions *o, const struct identity *i)
{
    natsStatus s = NATS_OK;

    if (i->ca)
        s = i->files ? natsOptions_LoadCATrustedCertificates(o, i->ca)
                     : natsOptions_SetCATrustedCertificates(o, i->ca);
    if (s == NATS_OK && i->certificate && i->key)
        s = i->files ? natsOptions_LoadCertificatesChain(o, i->certificate, i->key)
                     : natsOptions_SetCertificatesChain(o, i->certificate, i->key);
    return s;
}

/* Addresses that the broker names are not used: it says where itself is, and not where others are. A
 * connection that is lost is not mended, but closed: who has it opens a new one, with a new login. */
static natsStatus
set_up(natsOptions *o, const char *url, const struct identity *i)
{
    char server[LONGEST_URL];
    bool tls = strncmp(url, "tls://", 6) == 0;
    const char *path = rh_connection_path(url);
    size_t n = *path ? (size_t)(path - url) - 1 : strlen(url);
    natsStatus s;

    if (n >= sizeof server)
        return NATS_INVALID_ARG;
    memcpy(server, url, n);
    server[n] = '\0';
    s = natsOptions_SetURL(o, server);
    if (s == NATS_OK)
        s = natsOptions_SetIgnoreDiscoveredServers(o, true);
    if (s == NATS_OK)
        s = natsOptions_SetAllowReconnect(o, false);
    if (s == NATS_OK)
        s = natsOptions_SetTimeout(o, CONNECT);
    if (s == NATS_OK)
        s = natsOptions_SetPingInterval(o, PING);
    if (s == NATS_OK)
        s = natsOptions_SetName(o, "rhost/" PACKAGE_VERSION);
    if (s == NATS_OK && i->inbox)
        s = natsOptions_SetCustomInboxPrefix(o, i->inbox);
    if (s == NATS_OK)
        s = natsOptions_SetSecure(o, tls);
    if (s == NATS_OK && tls)
        s = set_identity(o, i);
    return s;
}

static natsConnection *
connect_to(const char *url, const struct identity *i, const char **why)
{
    natsConnection *c = NULL;
    natsOptions *o = NULL;
    natsStatus s = natsOptions_Create(&o);

    if (s == NATS_OK)
        s = set_up(o, url, i);
    if (s == NATS_OK)
        s = natsConnection_Connect(&c, o);
    natsOptions_Destroy(o);
    if (s == NATS_OK)
        return c;
    *why = natsStatus_GetText(s);
    return NULL;
}

/* Without encryption only this machine is connected to, unless the settings allow more. */
static bool
is_allowed(const char *url, bool plain)
{
    return strncmp(url, "tls://", 6) == 0
           || (strncmp(url, "nats://", 7) == 0 && (plain || rh_fetch_is_local(url, "nats://")));
}

static const char not_allowed[] =
    "nats:// leads to this machine only, unless 'allow_http' is set: use tls://";

natsConnection *
rh_connection_of_agent(const struct rh_fetch_parts *r, const char *inbox, const char **why)
{
    struct identity i = { r->ca.s, r->certificate.s, r->key.s, false, inbox };

    if (is_allowed(r->url.s, r->plain.s))
        return connect_to(r->url.s, &i, why);
    *why = not_allowed;
    return NULL;
}

natsConnection *
rh_connection_open(const struct rh_broker_address *b, const char **why)
{
    struct identity i = { b->ca, b->certificate, b->key, true, NULL };

    if (is_allowed(b->url, false))
        return connect_to(b->url, &i, why);
    *why = not_allowed;
    return NULL;
}

void
rh_connection_close(natsConnection *c)
{
    natsConnection_Destroy(c);
}
