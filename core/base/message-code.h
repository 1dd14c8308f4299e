/* SPDX-License-Identifier: Apache-2.0 */
/* message-code - the stable code of a message, RH1001, found by what the message was made from.
 *
 * The catalogue is docs/messages/; the tables are generated from it. */
#ifndef RH_BASE_MESSAGE_CODE_H
#define RH_BASE_MESSAGE_CODE_H

#include <stddef.h>
#include <stdint.h>

/* The code of the message with this printf format: 1001 for RH1001. 0: it has none. Nothing is cached: to be
 * called when a message is printed, and not when it is made. */
unsigned rh_message_code(const char *format);

/* The wording of a format, as the catalogue has it: "…" for each value, the first line only. The caller's. */
char *rh_message_wording(const char *format);

/* The generated table: the wordings in the order of their bytes, and where each starts. */
struct rh_message_entry {
    uint32_t at;
    uint16_t code;
};
extern const char rh_message_wordings[];
extern const struct rh_message_entry rh_message_entries[];
extern const size_t rh_message_count;

#endif
