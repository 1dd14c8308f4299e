/* SPDX-License-Identifier: Apache-2.0 */
/* push-name - the files that the controller keeps of a target, by its name. */
#include "config.h"

#include "base/text.h"
#include "reach/push-parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { LONGEST_NAME = 100 };

void
rh_push_add_file_name(struct rh_buf *b, const char *text)
{
    size_t start = b->n;
    uint64_t digest = 0xcbf29ce484222325; /* FNV-1a */
    bool same = strlen(text) <= LONGEST_NAME;

    for (const char *s = text; *s; s++) {
        bool fits = isalnum((unsigned char)*s) || (strchr("-_", *s)) || (*s == '.' && s > text);

        digest = (digest ^ (unsigned char)*s) * 0x100000001b3;
        same &= fits;
        if (b->n - start < LONGEST_NAME)
            rh_buf_addc(b, fits ? *s : '_');
    }
    if (!same)
        rh_buf_addf(b, "-%08" PRIx32, (uint32_t)(digest ^ digest >> 32));
}
