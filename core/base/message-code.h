/* SPDX-License-Identifier: Apache-2.0 */
/* message-code - the stable code of a message, RH1001, found by what the message was made from.
 *
 * The catalogue is docs/messages/; the tables are generated from it. */
#ifndef RH_BASE_MESSAGE_CODE_H
#define RH_BASE_MESSAGE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of the message with this printf format: 1001 for RH1001. 0: it has none. Nothing is cached: to be
 * called when a message is printed, and not when it is made. */
unsigned rh_message_code(const char *format);

/* The wording of a format, as the catalogue has it: "…" for each value, the first line only. The caller's. */
char *rh_message_wording(const char *format);

/* The code of a message that another text was made of: `code` where that is known, else that of the format,
 * else that of the text, which may be a wording without any values. */
unsigned rh_message_code_of(unsigned code, const char *format, const char *text);

/* Marks a wording that reaches no function for messages as its format, so that the catalogue must have it. */
#define RH_WORDING(text) text

struct rh_buf;

/* Appends " [RH1001]", which belongs at the end of a message's first line; nothing for no code. It is noted
 * that one was shown: the reader gets a hint at the end (cli/refusal.h). */
void rh_message_add_code(struct rh_buf *b, unsigned code, bool colour);

/* "RH1001" into `name`. */
enum { RH_CODE_NAME = 8 };
const char *rh_message_code_name(unsigned code, char name[RH_CODE_NAME]);
/* The code in "RH1001", "rh1001" or "1001"; 0 when it is none. */
unsigned rh_message_code_read(const char *name);
unsigned rh_message_code_shown(void); /* the first; 0: none */

/* The generated table: the wordings in the order of their bytes, and where each starts. */
struct rh_message_entry {
    uint32_t at;
    uint16_t code;
};
extern const char rh_message_wordings[];
extern const struct rh_message_entry rh_message_entries[];
extern const size_t rh_message_count;

#endif
