/* SPDX-License-Identifier: Apache-2.0 */
/* message-text - the catalogue of messages, entry by entry. */
#include "config.h"

#include "cli/message-text.h"

#include <string.h>

const char *
rh_message_text_next(const char *at, struct rh_message_text *text)
{
    if (!*at)
        return NULL;
    text->code = at;
    text->wordings = text->code + strlen(text->code) + 1;
    text->explanation = text->wordings + strlen(text->wordings) + 1;
    return text->explanation + strlen(text->explanation) + 1;
}
