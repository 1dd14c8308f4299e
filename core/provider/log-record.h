/* SPDX-License-Identifier: Apache-2.0 */
/* log-record - one line of a provider's log, as a record: how grave it is, which resources it is about, what
 * was under way, and the message. Texts are fit to be shown. */
#ifndef RH_PROVIDER_LOG_RECORD_H
#define RH_PROVIDER_LOG_RECORD_H

#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;

/* Of more resources than this, only the first are named. */
enum { RH_LOG_NAMED = 12 };

/* A resource that a line is about. */
struct rh_log_about {
    uint32_t id; /* as in its want, or RH_NOBODY */
    const char *title;
};

struct rh_log_record {
    enum rh_level level;
    bool repeated;    /* the terminal has it already */
    bool generated;   /* said by the runtime on the provider's behalf */
    const char *type; /* the type of its resources, or NULL: a message of the host */
    const struct rh_log_about *about;
    size_t n;          /* of `about`: at most RH_LOG_NAMED */
    size_t total;      /* resources that it is about */
    const char *label; /* what was under way ("Updating"), or NULL */
    const char *message;
    unsigned code; /* of the message, or 0 */
};

/* Appends "file[/a, /b]: Updating: message", as one line of text has it. */
void rh_log_record_add_text(struct rh_buf *b, const struct rh_log_record *r);

/* Says it as a line of this program's log: an rh_sink's `log` for what belongs to no run. */
void rh_log_record_print(void *data, const struct rh_log_record *r);

#endif
