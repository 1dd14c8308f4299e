/* SPDX-License-Identifier: Apache-2.0 */
/* message-text - the catalogue of messages (docs/messages/), as `rhost explain` shows it. */
#ifndef RH_CLI_MESSAGE_TEXT_H
#define RH_CLI_MESSAGE_TEXT_H

/* Generated: for each code three texts, one after the other: "RH1001", its wordings, each with a newline, and
 * the explanation. An empty text ends it. */
extern const char rh_message_texts[];

struct rh_message_text {
    const char *code, *wordings, *explanation;
};

/* The entry at `at`; returns where the next one starts, or NULL at the end. */
const char *rh_message_text_next(const char *at, struct rh_message_text *text);

#endif
