/* SPDX-License-Identifier: Apache-2.0 */
/* kind - the types of partitions. */

#include "kind.h"

#include <ctype.h>
#include <strings.h>

static const struct kind {
    const char *word, *guid, *number;
} kinds[] = {
    { "linux", "0fc63daf-8483-4772-8e79-3d69d8477de4", "83" },
    { "swap", "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", "82" },
    { "uefi", "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "ef" },
    { "lvm", "e6d6d379-f507-44c2-a23c-238f2a3df928", "8e" },
    { "raid", "a19d880f-05fc-4d3b-a006-743f0f84911e", "fd" },
    { "bios_boot", "21686148-6449-6e6f-744e-656564454649", NULL },
};

const char *
kind_word(rhost_ctx *ctx, const char *code)
{
    char *lower;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(code, kinds[i].guid) == 0
            || (kinds[i].number && strcasecmp(code, kinds[i].number) == 0))
            return kinds[i].word;
    lower = rhost_copy(ctx, code, strlen(code));
    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return lower;
}

const char *
kind_code(const char *word, int gpt)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0)
            return gpt ? kinds[i].guid : kinds[i].number;
    return gpt ? (strlen(word) == 36 ? word : NULL) : (strlen(word) == 2 ? word : NULL);
}
