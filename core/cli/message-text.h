/* SPDX-License-Identifier: Apache-2.0 */
/* message-text - the catalogue of messages (docs/messages/), as `rhost explain` shows it. */
#ifndef RH_CLI_MESSAGE_TEXT_H
#define RH_CLI_MESSAGE_TEXT_H

/* Generated: for each code three texts, one after the other: "RH1001", its wordings, each with a newline, and
 * the explanation. An empty text ends it. */
extern const char rh_message_texts[];

#endif
