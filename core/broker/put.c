/* SPDX-License-Identifier: Apache-2.0 */
/* put - sends a report, and gives the agent the answer as one of HTTP. */
#include "config.h"

#include "broker/broker.h"

#include "agent/fetch-request.h"
#include "agent/fetch-wire.h"
#include "broker/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 255, MILLISECONDS = 1000 };

/* "NAME/RUN.json" */
static bool
read_path(const char *path, char name[LONGEST_NAME + 1], char run[LONGEST_NAME + 1])
{
    const char *slash = strchr(path, '/'), *end = slash ? strstr(slash, ".json") : NULL;
    size_t n = slash ? (size_t)(slash - path) : 0, m = end ? (size_t)(end - slash) - 1 : 0;

    if (!n || !m || n > LONGEST_NAME || m > LONGEST_NAME || end[5])
        return false;
    memcpy(name, path, n);
    name[n] = '\0';
    memcpy(run, slash + 1, m);
    run[m] = '\0';
    return true;
}

static natsStatus
request(natsConnection *c, const struct rh_fetch_parts *r, const char *name, const char *run, natsMsg **reply)
{
    char subject[LONGEST_NAME + sizeof RH_BROKER_REPORT + 1];
    natsMsg *m = NULL;
    natsStatus s;

    (void)snprintf(subject, sizeof subject, RH_BROKER_REPORT "%s", name);
    s = natsMsg_Create(&m, subject, NULL, r->body.s, (int)r->body.n);
    if (s == NATS_OK)
        s = natsMsgHeader_Set(m, RH_BROKER_RUN, run);
    if (s == NATS_OK)
        s = natsConnection_RequestMsg(reply, c, m, strtol(r->seconds.s, NULL, 10) * MILLISECONDS);
    natsMsg_Destroy(m);
    return s;
}

static const char *
reason_of(natsStatus s)
{
    return s == NATS_NO_RESPONDERS ? "no collector takes reports from the broker at the moment"
           : s == NATS_MAX_PAYLOAD ? "it is larger than the broker allows (max_payload)"
           : s == NATS_TIMEOUT     ? "the collector did not confirm in time that the report is on disk"
                                   : natsStatus_GetText(s);
}

static bool
say(enum rh_fetch_part type, const char *text)
{
    return rh_fetch_send(STDIN_FILENO, type, text, strlen(text));
}

int
rh_broker_put(const struct rh_fetch_parts *r)
{
    char name[LONGEST_NAME + 1], run[LONGEST_NAME + 1], inbox[LONGEST_NAME + 16];
    const char *why = "the URL of the report cannot be used";
    natsConnection *c = NULL;
    natsMsg *reply = NULL;
    natsStatus s = NATS_ERR;
    bool taken, sent;

    if (r->body.s && read_path(rh_connection_path(r->url.s), name, run)) {
        (void)snprintf(inbox, sizeof inbox, "_INBOX.%s", name); /* which no other machine may read */
        c = rh_connection_of_agent(r, inbox, &why);
    }
    if (c)
        s = request(c, r, name, run, &reply);
    taken =
        s == NATS_OK && natsMsg_GetDataLength(reply) == 3 && memcmp(natsMsg_GetData(reply), "+OK", 3) == 0;
    if (s == NATS_OK)
        sent = say(RH_FETCH_STATUS, taken ? "200" : "422");
    else if (c && s == NATS_MAX_PAYLOAD)
        sent = say(RH_FETCH_STATUS, "413");
    else
        sent = say(RH_FETCH_REASON, c ? reason_of(s) : why);
    natsMsg_Destroy(reply);
    rh_connection_close(c);
    return !(sent && say(RH_FETCH_END, ""));
}
